"""What to do about a picture: tools to call, code to write, a way to find."""
