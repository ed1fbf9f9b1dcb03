"""Many parties: people, policies, requests and who decides; state machines are data."""
