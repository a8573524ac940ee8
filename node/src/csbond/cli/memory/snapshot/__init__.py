"""`csb memory snapshot`: memories as files that travel (MEM-006)."""
