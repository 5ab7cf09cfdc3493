"""How each refusal is answered: one table from exceptions to status and code."""

from foliot.api.call import Answer
from foliot.core import errors

_TABLE: dict[type[errors.FoliotError], tuple[int, str]] = {
    errors.Invalid: (400, "BadRequest"),
    errors.InvalidQuery: (400, "MissingOrInvalidRequiredQueryParameter"),
    errors.UnknownVersion: (400, "MissingOrIncorrectVersionHeader"),
    errors.Unauthenticated: (401, "AuthenticationFailed"),
    errors.Forbidden: (403, "AuthorizationFailed"),
    errors.GroupNotFound: (404, "ResourceNotFound"),
    errors.CollectionNotFound: (404, "ResourceNotFound"),
    errors.JobNotFound: (404, "NotFound"),
    errors.Conflict: (409, "ConflictError"),
    errors.Unavailable: (503, "ServerBusy"),
}
_HEADERS = {
    401: (("www-authenticate", "Bearer"),),
    503: (("retry-after", "5"),),
}


def refusal(error: errors.FoliotError) -> Answer:
    """Answer a refusal in its own words."""
    for kind in type(error).__mro__:
        if kind in _TABLE:
            status, code = _TABLE[kind]
            return error_answer(status, code, _message(error), _HEADERS.get(status, ()))
    return failure()


def _message(error: errors.FoliotError) -> str:
    if isinstance(error, errors.CollectionNotFound):
        # Clients of the old service know these words.
        return (
            f"The Resource 'Microsoft.Scheduler/jobcollections/{error.name}' "
            f"under resource group '{error.group}' was not found."
        )
    return str(error)


def failure() -> Answer:
    """Answer what should not have happened, without showing anything of it."""
    return error_answer(
        500, "InternalError", "Something went wrong in the server; its log has the details."
    )


def not_found(path: str) -> Answer:
    """Answer a call to an address that is none of ours."""
    return error_answer(404, "NotFound", f"There is nothing at '{path}'.")


def wrong_method(method: str, allowed: list[str]) -> Answer:
    """Answer a call with a method that its address does not know."""
    listed = ", ".join(allowed)
    message = f"The method '{method}' is not known here; the known ones are {listed}."
    return error_answer(405, "InvalidHttpVerb", message, (("allow", listed),))


def too_large(most: int) -> Answer:
    """Answer a call whose body is larger than we read."""
    message = f"The body is larger than {most} bytes; send a smaller one."
    return error_answer(413, "RequestEntityTooLarge", message, (("connection", "close"),))


def error_answer(
    status: int, code: str, message: str, headers: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """Answer with an error in the shape that Azure's clients read."""
    return Answer(status, {"error": {"code": code, "message": message}}, headers)
