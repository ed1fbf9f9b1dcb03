"""What Python users hold: Dataset, Query, RiskProfile, Choice, Release, Ledger."""
