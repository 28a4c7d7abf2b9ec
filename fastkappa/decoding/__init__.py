"""Choose the labels with the highest expected kappa from class probabilities.

The package ``items`` reads the probabilities, and ``label_programme`` finds the optimal labels.
"""
