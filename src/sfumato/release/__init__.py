"""The pipeline: request -> choose -> reserve -> draw -> record -> certificate."""
