"""The JSON API of an escrow: who comes in, what they may say, and what is answered."""
