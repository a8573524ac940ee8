"""Pictures of memory as files: one that stands alone, and a page around it."""
