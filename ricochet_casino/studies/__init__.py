"""What experiments of several games share: blocks of deals, settings, studies of verdicts."""
