"""Sends the messages of alerts: webhooks, Slack and e-mail.

bodies         the bodies of messages: JSON for webhooks and for Slack, text for e-mail
email_threads  threads for e-mails, which nobody waits for
sender         sends a message to a destination, once
smtp           sends an e-mail through the SMTP server of the settings
"""
