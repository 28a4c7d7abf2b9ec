"""A confusion table that is updated batch by batch."""

from fastkappa.accumulator.accumulator import ConfusionAccumulator as ConfusionAccumulator
