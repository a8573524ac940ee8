"""What is remembered: entries, the words they are found by, and how a search ranks them."""
