"""What several parties read: datasets, policies, requests, signals, notifications."""
