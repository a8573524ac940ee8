"""One file a verb: it declares its options, asks `files/`, calls `rules/`, and returns an `Outcome`."""
