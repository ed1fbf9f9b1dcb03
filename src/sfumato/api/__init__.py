"""The objects of Python users: Dataset, Query, RiskProfile, Choice, Release, Ledger."""
