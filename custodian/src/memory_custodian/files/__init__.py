"""The only code that touches the disk: memory files, the private state directory, locks and journals."""
