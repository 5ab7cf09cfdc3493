"""What keeps this node from working: said by whoever notices it, read by `/readyz` and the metrics.

A problem is said once when it begins and once when it ends, however often it is reported.
"""

from collections.abc import Mapping

from foliot.ports.logs import get_logger

_log = get_logger("foliot.health")


class Health:
    """The problems of a node, one for each of its parts; its words name no path and no secret."""

    def __init__(self) -> None:
        self._problems: dict[str, str] = {}

    @property
    def problems(self) -> Mapping[str, str]:
        """What is wrong now, by part."""
        return dict(self._problems)

    def report(self, part: str, problem: str | None) -> None:
        """Say what is wrong with a part of this node, or with None that nothing is any more."""
        before = self._problems.get(part)
        if problem == before:
            return
        if problem is None:
            del self._problems[part]
            _log.info("Part of this node works again", part=part)
        else:
            self._problems[part] = problem
            _log.error("Part of this node does not work", part=part, problem=problem)
