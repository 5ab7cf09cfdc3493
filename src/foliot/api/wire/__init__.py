"""The wire format: JSON as clients of the Azure Scheduler API write it, to values and back."""
