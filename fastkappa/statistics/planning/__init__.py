"""Planning of a study: how many items a test or an interval of kappa needs."""
