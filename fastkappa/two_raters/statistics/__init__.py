"""What the table of two raters says of each label and of both margins."""
