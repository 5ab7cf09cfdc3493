"""A node that cannot read a due job."""

from foliot.core.errors import UnknownDefinition, UnknownKey
from foliot.core.instant import MINUTE, Instant
from foliot.engine.unreadable_jobs import UnreadableJobs
from foliot.ports.health import Health

NOW = Instant(1000 * MINUTE)


def test_health_says_whether_a_key_or_a_version_is_missing() -> None:
    health = Health()
    jobs = UnreadableJobs(health)

    jobs.missed(UnknownKey(1, "a"), NOW)
    jobs.missed(UnknownDefinition(2, "b"), NOW)

    assert health.problems.keys() == {"secret key", "version"}


def test_a_node_claims_one_run_at_a_time_until_a_minute_went_well() -> None:
    health = Health()
    jobs = UnreadableJobs(health)
    jobs.missed(UnknownKey(1, "a"), NOW)

    jobs.claimed(Instant(NOW + MINUTE - 1))
    assert (jobs.limit(500, Instant(NOW + MINUTE - 1)), bool(health.problems)) == (1, True)

    jobs.claimed(Instant(NOW + MINUTE))
    assert (jobs.limit(500, Instant(NOW + MINUTE)), bool(health.problems)) == (500, False)
