"""What a batch that was fixed in advance costs, by libraries of the field. Nothing is read and nothing is drawn."""
