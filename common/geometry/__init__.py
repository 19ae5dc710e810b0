"""Transforms, anchors, Procrustes and alignment estimators. Pure mathematics."""
