"""`csb memory`: what the node of the home remembers."""
