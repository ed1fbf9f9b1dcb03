"""Where SQL runs."""
