"""From class probabilities, choose the labels with the highest expected kappa.

The package ``items`` reads the probabilities, and ``label_programme`` finds the optimal labels.
"""
