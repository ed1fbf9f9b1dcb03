"""What users hold: Dataset, Query, RiskProfile, Choice, Release, Ledger. Each verb is a call into the rooms below."""
