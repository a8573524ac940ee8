"""Messages, parts and tasks of A2A, the dialects they are spoken in, and who is calling."""
