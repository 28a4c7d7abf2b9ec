"""Results as text, HTML, CSV, dictionaries and data frames: the parts that all of them share."""
