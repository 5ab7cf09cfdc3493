"""Computes when a job runs, from its recurrence, its start and the time when it was accepted.

acceptance         refuses calendars that never occur, when an enabled job is saved
clock_changes      from readings of a clock that is put forward and back to instants
compile            compiles a rule and its anchor to a pattern
cron               cron expressions, parsed
days_off           leaves days off out of a pattern, or moves their readings
dst_policy         when times run that the clock skips or shows twice
exclusion          days off as values
explanation        explains which times a clock change or a day off has moved or dropped
occurrence_counts  counts the occurrences between two instants, by arithmetic
pattern            repeating patterns of clock readings, which find the next one by a jump
phrases            phrases of the sentences about rules
previous           finds the occurrence before an instant
rule               the recurrence that a client gave, valid by construction
sentence           describes a rule in plain English
smallest_gap       computes the smallest gap between two occurrences, for quotas
timetable          the occurrences of one job
zone               time zones: from clock readings to instants and back
"""

from foliot.core.recurrence.acceptance import accept, check_end, check_start
from foliot.core.recurrence.cron import Cron
from foliot.core.recurrence.dst_policy import DstPolicy, RepeatedTime, SkippedTime
from foliot.core.recurrence.exclusion import (
    NO_CALENDAR_DAYS,
    CalendarDays,
    DateRange,
    DayOffMove,
    Exclusion,
    parse_dates,
)
from foliot.core.recurrence.explanation import ExplainedTime, explain_next, notes_on
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
    "NO_CALENDAR_DAYS",
    "WEEK_DAYS",
    "CalendarDays",
    "Cron",
    "DateRange",
    "DayOffMove",
    "DstPolicy",
    "Exclusion",
    "ExplainedTime",
    "Frequency",
    "MonthlyOccurrence",
    "Recurrence",
    "RepeatedTime",
    "Schedule",
    "SkippedTime",
    "Timetable",
    "accept",
    "check_end",
    "check_start",
    "count_between",
    "counts_between",
    "explain_next",
    "instant_of_moment",
    "next_occurrence",
    "nominal_length",
    "notes_on",
    "occurrences",
    "parse_dates",
    "previous_before",
    "sentence",
    "smallest_gap",
    "zone_of",
]
