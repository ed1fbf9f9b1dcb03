"""The JSON API and the web pages of an escrow: who comes in, what they may say, and what is answered."""
