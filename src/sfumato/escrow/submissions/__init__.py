"""What is asked and decided: requests and signals."""
