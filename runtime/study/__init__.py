"""`collude study`: run the cells of a study, keep what is done, write the report."""
