"""The JSON API and the web pages of an escrow: sign-in, permissions, requests and replies."""
