"""What a picture means: sentences, short answers, values."""
