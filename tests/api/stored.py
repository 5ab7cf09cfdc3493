"""What the store holds that no answer shows."""

from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpRequest,
    OAuth,
    QueueMessage,
    ServiceBusMessage,
    StandardWebhooks,
)
from tests.support.api_client import Client


def secrets_of(client: Client) -> list[str]:
    """Return the secrets that are stored for the job."""
    action = client.job().definition.action
    found = []
    for each in (action, action.error_action):
        match each and each.part:
            case HttpRequest(authentication=BasicAuthentication(password=secret)):
                found += [secret]
            case HttpRequest(authentication=OAuth(secret=secret) | StandardWebhooks(secret=secret)):
                found += [secret]
            case HttpRequest(authentication=ClientCertificate(pfx=pfx, password=password)):
                found += [pfx, password]
            case QueueMessage(sas_token=token):
                found += [token]
            case ServiceBusMessage(authentication=authentication) if authentication:
                found += [authentication.sas_key]
    return [secret.reveal() for secret in found if secret is not None]
