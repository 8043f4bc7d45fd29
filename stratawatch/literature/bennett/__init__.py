"""Online stratified sampling of one classifier's precision (Bennett & Carvalho, CIKM 2010).

Items that a classifier calls positive are put into bins by score. A few labels at a time are drawn from bins at random,
as the labels so far suggest, until the interval is narrow enough in two rounds running.
"""
