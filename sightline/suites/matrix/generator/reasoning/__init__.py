"""What follows from a picture: chains of steps, texts that fit or don't, and what would be if something changed."""
