"""When a job runs, as a pure function of its recurrence, its start and the moment it was accepted.

acceptance  what is refused when a job is saved
compile     a rule and its anchor made into a pattern
counting    how many occurrences lie in a stretch of time
gap         how close occurrences come, for quotas
pattern     endless patterns of clock readings that jump to the next one
rule        the recurrence a client asked for, valid by construction
sentence    the rule in plain English
timetable   the occurrences of one job
zone        time zones: clock readings to instants and back
"""

from foliot.core.recurrence.acceptance import accept, check_end, check_start
from foliot.core.recurrence.counting import count_between, counts_between
from foliot.core.recurrence.gap import nominal_length, smallest_gap
from foliot.core.recurrence.rule import (
    MAX_INTERVAL,
    WEEK_DAYS,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
)
from foliot.core.recurrence.sentence import sentence
from foliot.core.recurrence.timetable import Timetable, next_occurrence, occurrences, zone_of
from foliot.core.recurrence.zone import instant_of_moment

__all__ = [
    "MAX_INTERVAL",
    "WEEK_DAYS",
    "Frequency",
    "MonthlyOccurrence",
    "Recurrence",
    "Schedule",
    "Timetable",
    "accept",
    "check_end",
    "check_start",
    "count_between",
    "counts_between",
    "instant_of_moment",
    "next_occurrence",
    "nominal_length",
    "occurrences",
    "sentence",
    "smallest_gap",
    "zone_of",
]
