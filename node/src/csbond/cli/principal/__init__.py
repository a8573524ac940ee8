"""`csb principal`: who else may use the node of the home, and for what."""
