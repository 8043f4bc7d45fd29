"""Tripathi, Jagannathan and Dhamodharaswamy: one sample's labels recycled for the precision of many classifiers."""
