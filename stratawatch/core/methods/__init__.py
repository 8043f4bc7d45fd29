"""Methods of the literature, named as in their papers: to compare with, and to choose where they fit."""
