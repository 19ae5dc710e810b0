"""Data sets, splits and the feature map."""
