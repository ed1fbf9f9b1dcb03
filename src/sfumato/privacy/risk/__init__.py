"""One risk indicator a file: equation, citation, doctest."""
