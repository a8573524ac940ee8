"""Background work at set times: what there is to do, and the one runner that does it."""
