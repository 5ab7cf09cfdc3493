"""What the fields of forms are called; pages, refusals and conflicts use the same words."""

# By the end of a field's name: one part of it, or two where one would not be enough.
_LABELS = {
    "name": "Name",
    # A job's schedule
    "state": "State",
    "startTime": "Start",
    "first": "First run",
    "recurrence.frequency": "Repeat",
    "recurrence.interval": "Repeat every",
    "count": "Stop after",
    "endTime": "End",
    "timeZone": "Time zone",
    "minutes": "At these minutes",
    "hours": "At these hours",
    "weekDays": "On these days",
    "monthDays": "On these days of the month",
    "monthlyOccurrences": "On these weekdays of the month",
    "months": "Only in these months",
    # An action
    "type": "Type",
    "uri": "Address",
    "method": "Method",
    "headers": "Headers",
    "body": "Body",
    "authentication.type": "Authentication",
    "username": "User name",
    "password": "Password",
    "pfx": "Certificate with its key",
    "tenant": "Tenant",
    "audience": "Audience",
    "clientId": "Client ID",
    "secret": "Client secret",
    "storageAccount": "Storage account",
    "queueName": "Queue",
    "topicPath": "Topic",
    "sasToken": "Shared access signature",
    "format": "Format",
    "message": "Message",
    "namespace": "Namespace",
    "transportType": "Transport",
    "sasKeyName": "Key name",
    "sasKey": "Key",
    "label": "Label",
    "messageId": "Message ID",
    "correlationId": "Correlation ID",
    "contentType": "Content type",
    "sessionId": "Session ID",
    "partitionKey": "Partition key",
    "viaPartitionKey": "Via partition key",
    "to": "To",
    "replyTo": "Reply to",
    "replyToSessionId": "Reply to session ID",
    "timeToLive": "Time to live",
    "scheduledEnqueueTimeUtc": "Enqueue at",
    "forcePersistence": "Force persistence",
    "customMessageProperties": "Custom properties",
    "retryType": "Retries",
    "retryInterval": "Wait between retries",
    "retryCount": "Number of retries",
    # A collection
    "collection": "Name",
    "subscription": "Subscription",
    "group": "Resource group",
    "sku.name": "Plan",
    "location": "Location",
    "tags": "Tags",
    "maxJobCount": "Most jobs",
    "maxJobOccurrence": "Most runs of a job",
    "maxRecurrence.frequency": "Fastest recurrence",
    "maxRecurrence.interval": "Once every",
    # A token
    "role": "Role",
    "scope": "Scope",
    "expires": "Expires",
}
_ERROR_ACTION = ".errorAction."


def label_of(name: str) -> str:
    """Return what a form calls a field."""
    two = ".".join(name.split(".")[-2:])
    return _LABELS.get(two) or _LABELS[name.rpartition(".")[2]]


def full_label_of(name: str) -> str:
    """Return what a field is called outside its part of the form."""
    where = "Error action: " if _ERROR_ACTION in name else ""
    return where + label_of(name)
