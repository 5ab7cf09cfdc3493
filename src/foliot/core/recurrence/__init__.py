"""Computes when a job runs, from its recurrence, its start and the time when it was accepted.

acceptance         refuses calendars that never occur, when an enabled job is saved
compile            compiles a rule and its anchor to a pattern
occurrence_counts  counts the occurrences between two instants, by arithmetic
pattern            repeating patterns of clock readings, which find the next one by a jump
previous           finds the occurrence before an instant
rule               the recurrence that a client gave, valid by construction
sentence           describes a rule in plain English
smallest_gap       computes the smallest gap between two occurrences, for quotas
timetable          the occurrences of one job
zone               time zones: from clock readings to instants and back
"""

from foliot.core.recurrence.acceptance import accept, check_end, check_start
from foliot.core.recurrence.occurrence_counts import count_between, counts_between
from foliot.core.recurrence.previous import previous_before
from foliot.core.recurrence.rule import (
    MAX_INTERVAL,
    WEEK_DAYS,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    Schedule,
)
from foliot.core.recurrence.sentence import sentence
from foliot.core.recurrence.smallest_gap import nominal_length, smallest_gap
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
    "previous_before",
    "sentence",
    "smallest_gap",
    "zone_of",
]
