"""From model to what a person sees. Computes nothing."""
