"""Error responses: one table from exceptions to status and code."""

from foliot.api.call import ApiResponse
from foliot.core import errors

# The status and the code of each exception that refuses a call.
STATUSES: dict[type[errors.FoliotError], tuple[int, str]] = {
    errors.Invalid: (400, "BadRequest"),
    errors.InvalidQuery: (400, "MissingOrInvalidRequiredQueryParameter"),
    errors.UnknownVersion: (400, "MissingOrIncorrectVersionHeader"),
    errors.Unauthenticated: (401, "AuthenticationFailed"),
    errors.Forbidden: (403, "AuthorizationFailed"),
    errors.SubscriptionNotFound: (404, "SubscriptionNotFound"),
    errors.GroupNotFound: (404, "ResourceGroupNotFound"),
    errors.CollectionNotFound: (404, "ResourceNotFound"),
    errors.JobNotFound: (404, "NotFound"),
    errors.RunNotFound: (404, "NotFound"),
    errors.CalendarNotFound: (404, "NotFound"),
    errors.AuditEntryNotFound: (404, "NotFound"),
    errors.AttemptNotFound: (404, "NotFound"),
    errors.AlertNotFound: (404, "NotFound"),
    errors.DeploymentNotFound: (404, "DeploymentNotFound"),
    errors.Conflict: (409, "ConflictError"),
    errors.TooManyRequests: (429, "TooManyRequests"),
    errors.Unavailable: (503, "ServerBusy"),
}
_INTERNAL = (500, "InternalError")
_UNKNOWN_PATH = (404, "NotFound")
_WRONG_METHOD = (405, "InvalidHttpVerb")
_TOO_LARGE = (413, "RequestEntityTooLarge")
OTHER_CODES = (_INTERNAL, _UNKNOWN_PATH, _WRONG_METHOD, _TOO_LARGE)
_HEADERS = {
    401: (("www-authenticate", "Bearer"),),
    503: (("retry-after", "5"),),
}


def refusal(error: errors.FoliotError) -> ApiResponse:
    """Return the response to a refused call, with the exception's message."""
    cause = error.refusal if isinstance(error, errors.RefusedInTemplate) else error
    for kind in type(cause).__mro__:
        if kind in STATUSES:
            status, code = STATUSES[kind]
            return error_response(status, code, _message(error), _headers(cause, status))
    return failure()


def _headers(error: errors.FoliotError, status: int) -> tuple[tuple[str, str], ...]:
    if isinstance(error, errors.TooManyRequests):
        return (("retry-after", str(error.seconds)),)
    return _HEADERS.get(status, ())


def _message(error: errors.FoliotError) -> str:
    if isinstance(error, errors.RefusedInTemplate):
        return f"{errors.path_text(error.path)}: {_message(error.refusal)}"
    if isinstance(error, errors.CollectionNotFound):
        # Clients of the old service know these words.
        return (
            f"The Resource 'Microsoft.Scheduler/jobcollections/{error.name}' "
            f"under resource group '{error.group}' was not found."
        )
    return str(error)


def failure() -> ApiResponse:
    """Return the response to an unexpected exception, without details of it."""
    return error_response(
        *_INTERNAL, "Something went wrong in the server; its log has the details."
    )


def not_found(path: str) -> ApiResponse:
    """Return the response to an unknown address."""
    return error_response(*_UNKNOWN_PATH, f"There is nothing at '{path}'.")


def wrong_method(method: str, allowed: list[str]) -> ApiResponse:
    """Return the response to a method that the address does not have."""
    listed = ", ".join(allowed)
    message = f"The method '{method}' is not known here; the known ones are {listed}."
    return error_response(*_WRONG_METHOD, message, (("allow", listed),))


def too_large(most: int) -> ApiResponse:
    """Return the response to a body that exceeds the limit."""
    message = f"The body is larger than {most} bytes; send a smaller one."
    return error_response(*_TOO_LARGE, message, (("connection", "close"),))


def error_response(
    status: int, code: str, message: str, headers: tuple[tuple[str, str], ...] = ()
) -> ApiResponse:
    """Return an error in the shape that Azure's clients read."""
    return ApiResponse(status, {"error": {"code": code, "message": message}}, headers)
