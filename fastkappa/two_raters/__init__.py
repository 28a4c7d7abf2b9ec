"""The agreement of two raters, from one table of counts."""
