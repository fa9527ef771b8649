"""Reading: media by reference, video frames, saved replies, what a data set hashes to, which samples are wanted."""
