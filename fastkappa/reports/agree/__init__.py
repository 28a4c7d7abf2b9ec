"""What `fastkappa agree` tells: as text for a person, as JSON for a program, and as a picture."""
