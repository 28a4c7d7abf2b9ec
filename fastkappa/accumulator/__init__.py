"""Counts that grow batch by batch, and shrink again."""

from fastkappa.accumulator.accumulator import ConfusionAccumulator as ConfusionAccumulator
