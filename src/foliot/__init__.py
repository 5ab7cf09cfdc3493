"""Foliot: a self-hosted job scheduler that speaks the Azure Scheduler REST API."""
