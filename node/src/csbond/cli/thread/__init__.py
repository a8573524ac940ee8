"""`csb thread`: the long conversations of the node of the home."""
