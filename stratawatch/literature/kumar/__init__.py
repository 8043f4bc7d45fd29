"""Kumar and Raj, Classifier risk estimation under limited labeling resources: stratified estimation of accuracy.

Seven ways to cut a population by how sure a classifier is of its calls, four to allocate labels to the strata.
"""
