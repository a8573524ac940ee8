"""What `csb doctor` looks at, a file a subject."""
