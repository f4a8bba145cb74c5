"""Files: plain text lines in, whole files out."""
