"""Where analysts' own functions run: in a process of bubblewrap that sees no file, no network and no other process."""
