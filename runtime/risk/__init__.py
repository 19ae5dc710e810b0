"""`collude risk`: one question about numbers of answers, its answer, in words and as a figure."""
