"""What a picture shows: things, texts, places."""
