"""What the commands print: for a person, and as JSON for a program."""
