"""Text preparation: whitespace, words, units and tokenizers, with the origin of every symbol."""
