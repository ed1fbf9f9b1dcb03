"""Where SQL runs, and the slow oracle that the fast plans are tested against."""
