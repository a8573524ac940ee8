"""`csb demo`: two agents with separate homes talk, remember, and still know it after a crash."""
