"""Where rows live: the ledger of the node on a database."""
