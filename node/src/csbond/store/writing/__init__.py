"""What is written and how rows read, the same for every database: an engine brings statements and a transaction."""
