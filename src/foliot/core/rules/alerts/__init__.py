"""Decides what alerts tell about jobs, when and in which words.

conditions    which conditions of an alert a job meets
deadlines     by when a job must have had a success
expiry        when a client certificate or a SAS token of a job expires
fair_sending  which messages a node sends next
flapping      which incidents are told, and which are held back for a summary
messages      the messages of incidents, summaries and tests
quiet_hours   when a message is due
retries       when a message that did not arrive is tried again
verdicts      whether an open incident is over
"""
