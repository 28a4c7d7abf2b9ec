"""Choose the labels with the highest expected kappa from class probabilities.

``items`` reads the probabilities of the items. ``label_programme`` finds the optimal labels.
"""
