"""Tripathi, Jagannathan and Dhamodharaswamy: labels of one sample recycled for the precision of many classifiers."""
