"""Each theorem against its printed formula and against the optimum."""
