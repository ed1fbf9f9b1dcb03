"""What a request would cost and mean, before it is one: from public facts."""
