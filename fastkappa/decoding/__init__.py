"""Labels from class probabilities: those with the highest expected kappa.

``items`` sees the probabilities; the module here solves for the costs of the labels.
"""
