"""What is shown of risk: profiles, histograms, guesses, individual accounts, methods side by side."""
