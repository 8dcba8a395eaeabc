"""Cards as small integers: decks, shuffles, classes and evaluation. Knows no game and no chips."""
