-- The statements that both databases run as they are; each adds a file with those that differ.
--
-- `{job}` is the list of a job's columns, `{run}` of a run's, and so on; `{in_scope}` is the
-- condition that a collection is in a scope, `{in_group}` that a job is of a resource group;
-- `columns.py` has them all.
-- Parameters have names, except in statements that run for every occurrence: there they are in the
-- order of the columns, because to bind them by name costs as much as the statement itself.

-- name: resource_group
-- Return a stored resource group.
SELECT {resource_group}, 1
FROM resource_group
WHERE folded_subscription = :subscription AND folded_name = :name;

-- name: resource_groups
-- Return a page of the resource groups of a subscription: those that are stored, and for each other
-- group that has collections its first collection.
SELECT subscription, name, location, tags, is_stored FROM (
    SELECT {resource_group}, 1 AS is_stored, folded_name
    FROM resource_group
    WHERE folded_subscription = :subscription
    UNION ALL
    SELECT subscription, resource_group, location, NULL, 0, folded_group
    FROM collection
    WHERE folded_subscription = :subscription
      AND NOT EXISTS (
          SELECT 1 FROM collection AS earlier
          WHERE earlier.folded_subscription = collection.folded_subscription
            AND earlier.folded_group = collection.folded_group
            AND earlier.folded_name < collection.folded_name
      )
      AND NOT EXISTS (
          SELECT 1 FROM resource_group AS stored
          WHERE stored.folded_subscription = collection.folded_subscription
            AND stored.folded_name = collection.folded_group
      )
) AS listed
WHERE folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: count_resource_groups
-- Count the stored resource groups of a subscription.
SELECT count(*) FROM resource_group WHERE folded_subscription = :subscription;

-- name: count_jobs_of_group
-- Count the jobs of a resource group.
SELECT coalesce(sum(job_count), 0) FROM collection
WHERE folded_subscription = :subscription AND folded_group = :group;

-- name: subscriptions
-- Return a page of the subscriptions that have groups or collections.
SELECT folded_subscription FROM (
    SELECT folded_subscription FROM resource_group
    UNION
    SELECT folded_subscription FROM collection WHERE id > 0
) AS used
WHERE folded_subscription > :after
ORDER BY folded_subscription
LIMIT :limit OFFSET :skip;

-- name: save_resource_group
-- Insert a resource group, or update the one that is stored; its name cannot change.
INSERT INTO resource_group (
    subscription, name, folded_subscription, folded_name, location, tags
)
VALUES (:subscription, :name, :folded_subscription, :folded_name, :location, :tags)
ON CONFLICT (folded_subscription, folded_name) DO UPDATE
SET location = excluded.location, tags = excluded.tags;

-- name: delete_resource_group
-- Delete a stored resource group.
DELETE FROM resource_group
WHERE folded_subscription = :subscription AND folded_name = :name;

-- name: collection
-- Return a collection by its key.
SELECT {collection}
FROM collection
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: collections
-- Return a page of the collections of a subscription.
SELECT {collection}
FROM collection
WHERE folded_subscription = :subscription
  AND (folded_group, folded_name) > (:after_group, :after_name)
ORDER BY folded_group, folded_name
LIMIT :limit OFFSET :skip;

-- name: collections_in_group
-- Return a page of the collections of a resource group. The last one seen may be of another group.
SELECT {collection}
FROM collection
WHERE folded_subscription = :subscription
  AND folded_group = :group
  AND folded_name > CASE WHEN :after_group = :group THEN :after_name ELSE '' END
  AND :after_group <= :group
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: count_collections
-- Count the collections of a subscription that have a plan.
SELECT count(*) FROM collection WHERE folded_subscription = :subscription AND sku = :sku;

-- name: add_collection
-- Insert a collection without jobs.
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name,
    location, tags, sku, state, quota, created_at, changed_at, changed_by
)
VALUES (
    :subscription, :group, :name, :folded_subscription, :folded_group, :folded_name,
    :location, :tags, :sku, :state, :quota, :created_at, :changed_at, :changed_by
);

-- name: save_collection
-- Update a collection; its key and when it was created cannot change.
UPDATE collection
SET location = :location, tags = :tags, sku = :sku, state = :state, quota = :quota,
    changed_at = :changed_at, changed_by = :changed_by
WHERE id = :id;

-- name: collection_state
-- Return the state of a collection before a change.
SELECT state FROM collection WHERE id = :id;

-- name: halt_jobs
-- Halt the jobs of a collection, or let them go on; goes with a change of its state.
UPDATE job SET is_halted = :is_halted WHERE collection_id = :collection_id;

-- name: delete_collection
-- Delete a collection whose jobs were hidden.
DELETE FROM collection WHERE id = :id;

-- name: delete_collections_of_group
-- Delete the collections of a resource group, whose jobs were hidden.
DELETE FROM collection WHERE folded_subscription = :subscription AND folded_group = :group;

-- name: add_hidden_collection
-- Insert the collection that hides deleted jobs until the janitor has removed their history. Nobody
-- can give its key.
INSERT INTO collection (
    id, subscription, resource_group, name, folded_subscription, folded_group, folded_name,
    sku, state
)
VALUES (0, '', '', '', '', '', '', 'Standard', 'Disabled')
ON CONFLICT DO NOTHING;

-- name: hide_job
-- Hide a deleted job.
UPDATE job SET {hidden} WHERE id = :job_id;

-- name: hide_jobs
-- Do the same for all jobs of a collection.
UPDATE job SET {hidden} WHERE collection_id = :collection_id;

-- name: hide_jobs_of_group
-- Do the same for all jobs of a resource group.
UPDATE job SET {hidden} WHERE {in_group};

-- name: drop_definition
-- Delete the definition of a deleted job.
DELETE FROM definition WHERE job_id = :job_id;

-- name: drop_definitions
-- Delete the definitions of a deleted collection's jobs.
DELETE FROM definition WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id);

-- name: drop_definitions_of_group
-- Delete the definitions of a deleted group's jobs.
DELETE FROM definition WHERE job_id IN (SELECT id FROM job WHERE {in_group});

-- name: drop_all_runs
-- Delete all runs of a collection.
DELETE FROM run WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id);

-- name: drop_runs_of_group
-- Delete all runs of a resource group.
DELETE FROM run WHERE job_id IN (SELECT id FROM job WHERE {in_group});

-- name: calendar
-- Return a calendar of a collection by its name.
SELECT {calendar} FROM calendar WHERE collection_id = :collection_id AND folded_name = :name;

-- name: calendars
-- Return a page of the calendars of a collection.
SELECT {calendar}
FROM calendar
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: calendar_names
-- Return the names of the calendars of a collection.
SELECT name FROM calendar WHERE collection_id = :collection_id ORDER BY folded_name;

-- name: jobs_using
-- Return the jobs that use a calendar.
SELECT job.id, name
FROM calendar_use JOIN job ON job.id = job_id
WHERE calendar_id = :id
ORDER BY folded_name;

-- name: add_calendar
-- Insert a calendar.
INSERT INTO calendar (collection_id, name, folded_name, dates, changed_at, changed_by)
VALUES (:collection_id, :name, :folded_name, :dates, :changed_at, :changed_by);

-- name: save_calendar
-- Update a calendar; its name cannot change.
UPDATE calendar SET dates = :dates, changed_at = :changed_at, changed_by = :changed_by
WHERE id = :id;

-- name: delete_calendar
-- Delete a calendar that no job uses.
DELETE FROM calendar WHERE id = :id;

-- name: use_calendar
-- Store that a job uses a calendar.
INSERT INTO calendar_use (calendar_id, job_id) VALUES (:calendar_id, :job_id);

-- name: forget_calendars
-- Delete what is stored about the calendars that a job uses.
DELETE FROM calendar_use WHERE job_id = :job_id;

-- name: alert
-- Return an alert of a collection by its name.
SELECT {alert} FROM alert WHERE collection_id = :collection_id AND folded_name = :name;

-- name: alerts
-- Return a page of the alerts of a collection.
SELECT {alert}
FROM alert
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: alert_names
-- Return the names of the alerts of a collection.
SELECT name FROM alert WHERE collection_id = :collection_id ORDER BY folded_name;

-- name: add_alert
-- Insert an alert.
INSERT INTO alert (
    collection_id, name, folded_name, is_enabled, changed_at, changed_by, sealed
)
VALUES (:collection_id, :name, :folded_name, :is_enabled, :changed_at, :changed_by, :sealed);

-- name: save_alert
-- Update an alert; its name cannot change.
UPDATE alert
SET is_enabled = :is_enabled, changed_at = :changed_at, changed_by = :changed_by, sealed = :sealed
WHERE id = :id;

-- name: delete_alert
-- Delete an alert.
DELETE FROM alert WHERE id = :id;

-- name: count_older_seals
-- Count the values that were not sealed with the newest key.
SELECT
    (SELECT count(*) FROM definition WHERE substr(sealed, 1, :size) <> :header)
    + (SELECT count(*) FROM deployment WHERE substr(sealed, 1, :size) <> :header)
    + (SELECT count(*) FROM audit WHERE substr(sealed, 1, :size) <> :header)
    + (SELECT count(*) FROM alert WHERE substr(sealed, 1, :size) <> :header);

-- name: older_alert_seals
-- Return alerts that were not sealed with the newest key, a limited number at a time.
SELECT id, collection_id, folded_name, sealed
FROM alert
WHERE id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY id
LIMIT :limit;

-- name: reseal_alert
-- Store an alert under another key, unless somebody has changed it in the meantime.
UPDATE alert SET sealed = :renewed WHERE id = :id AND sealed = :sealed;

-- name: watched_collections
-- Return the collections that have enabled alerts, and when one was last changed.
SELECT collection_id, max(changed_at) FROM alert WHERE is_enabled = 1 GROUP BY collection_id;

-- name: watching_alerts
-- Return the enabled alerts of a collection.
SELECT {alert} FROM alert WHERE collection_id = :collection_id AND is_enabled = 1 ORDER BY id;

-- name: watched_job
-- Return a job with its collection, unless it is deleted.
SELECT {collection}, {job}, sealed
FROM job
    JOIN collection ON collection.id = job.collection_id
    JOIN definition ON definition.job_id = job.id
WHERE job.id = :id AND job.collection_id > 0;

-- name: jobs_to_check
-- Return a page of the jobs of a collection that may be late, without success or paused: all but
-- those whose last run went well and that wait for their next time, or have ended.
SELECT folded_name, {job}, sealed
FROM job JOIN definition ON definition.job_id = job.id
WHERE collection_id = :collection_id AND folded_name > :after
  AND (
    ((state = 'enabled' OR ended_at > :ended_since) AND is_halted = 0 AND (
        :is_full = 1 OR next_at <= :now OR consecutive_failures > 0 OR last_outcome IS NULL
        OR last_outcome NOT IN ('succeeded', 'recovered')
        OR EXISTS (SELECT 1 FROM run WHERE run.job_id = job.id)
    ))
    OR paused_because IS NOT NULL
  )
ORDER BY folded_name
LIMIT :limit;

-- name: last_success
-- Return begin and end of the newest successful attempt of a job that ended since an instant. It is
-- ordered by its begin, as the index is: a job that goes well costs one entry.
SELECT started_at, ended_at
FROM history
WHERE job_id = :job_id AND started_at >= :begun_since AND ended_at >= :since
    AND outcome IN ('succeeded', 'recovered')
ORDER BY started_at DESC, number DESC
LIMIT 1;

-- name: open_incidents
-- Return the open incidents of a job.
SELECT {incident} FROM incident WHERE job_id = :job_id AND closed_at IS NULL ORDER BY id;

-- name: open_incidents_after
-- Return a page of the open incidents of all jobs.
SELECT {incident} FROM incident
WHERE closed_at IS NULL AND id > :after
ORDER BY id
LIMIT :limit;

-- name: recent_incidents
-- Return the newest incidents of an alert.
SELECT {incident} FROM incident WHERE alert_id = :alert_id ORDER BY id DESC LIMIT :limit;

-- name: held_incidents
-- Return incidents that are held back and were opened before an instant.
SELECT {incident} FROM incident
WHERE telling = 'held' AND opened_at <= :before
ORDER BY opened_at
LIMIT :limit;

-- name: held_incidents_of
-- Return the incidents of an alert and a job that are held back.
SELECT {incident} FROM incident
WHERE alert_id = :alert_id AND job_id = :job_id AND telling = 'held'
ORDER BY id;

-- name: count_told
-- Return how many incidents of an alert and a job are told, of those opened after an instant.
SELECT count(*) FROM incident
WHERE alert_id = :alert_id AND job_id = :job_id AND opened_at > :since AND telling = 'told';

-- name: count_incidents
-- Return how many incidents of an alert, a job and an event were opened after an instant.
SELECT count(*) FROM incident
WHERE alert_id = :alert_id AND job_id = :job_id AND opened_at > :since AND event = :event;

-- name: count_open_incidents
-- Return how many incidents are open.
SELECT count(*) FROM incident WHERE closed_at IS NULL;

-- name: open_incident
-- Insert an incident, unless one like it is open.
INSERT INTO incident ({new_incident}) VALUES ({new_incident_values});

-- name: close_incident
-- Close an incident that is open.
UPDATE incident SET closed_at = :at, is_resolved = :is_resolved
WHERE id = :id AND closed_at IS NULL;

-- name: set_telling
-- Store whether an incident is told.
UPDATE incident SET telling = :telling WHERE id = :id;

-- name: trim_incidents
-- Delete some of the incidents that were closed before an instant, with their notifications.
DELETE FROM incident WHERE id IN (
    SELECT id FROM incident WHERE closed_at < :before ORDER BY closed_at LIMIT :limit
);

-- name: trim_incidents_of_job
-- Delete some incidents of a job, with their notifications.
DELETE FROM incident WHERE id IN (
    SELECT id FROM incident WHERE job_id = :job_id LIMIT :limit
);

-- name: trim_incidents_without_alert
-- Delete some incidents of alerts that are deleted, with their notifications. The recursion steps from
-- one alert to the next, and reads none of its other incidents.
DELETE FROM incident WHERE id IN (
    WITH RECURSIVE known (alert_id) AS (
        SELECT min(alert_id) FROM incident
        UNION ALL
        SELECT (SELECT min(later.alert_id) FROM incident AS later WHERE later.alert_id > known.alert_id)
        FROM known
        WHERE known.alert_id IS NOT NULL
    )
    SELECT gone.id FROM incident AS gone
    WHERE gone.alert_id IN (
        SELECT known.alert_id FROM known
        WHERE known.alert_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM alert WHERE alert.id = known.alert_id)
    )
    LIMIT :limit
);

-- name: claim_duty
-- Go on with a duty, or take it over if its lease has ended.
UPDATE duty SET node = :node, lease_until = :until
WHERE name = :name AND (node = :node OR lease_until <= :now);

-- name: take_duty
-- Take on a duty that nobody has had.
INSERT INTO duty (name, node, lease_until) VALUES (:name, :node, :until) ON CONFLICT DO NOTHING;

-- name: notifications
-- Return the notifications of an incident.
SELECT {notification} FROM notification
WHERE incident_id = :incident_id
ORDER BY number, destination;

-- name: waiting_of_alert
-- Return the notifications of an alert that wait.
SELECT {notification} FROM notification
WHERE alert_id = :alert_id AND state = 'waiting';

-- name: alert_incident_counts
-- Return how many incidents of the alerts of a collection are open.
SELECT alert_id, count(*)
FROM incident JOIN alert ON alert.id = alert_id
WHERE collection_id = :collection_id AND closed_at IS NULL
GROUP BY alert_id;

-- name: destination_queues
-- Return how many notifications wait for the destinations of the alerts of a collection.
SELECT alert_id, destination, count(*)
FROM notification JOIN alert ON alert.id = alert_id
WHERE collection_id = :collection_id AND state = 'waiting'
GROUP BY alert_id, destination;

-- name: earliest_notification_at
-- Return when the next notification is due.
SELECT min(due_at) FROM notification WHERE state = 'waiting';

-- name: add_notification
-- Insert a notification.
INSERT INTO notification ({new_notification}) VALUES ({new_notification_values});

-- name: drop_untried
-- Drop the first messages of an incident that are due later and were never tried. A summary is not
-- dropped: it tells about other incidents as well.
UPDATE notification SET state = 'dropped'
WHERE incident_id = :incident_id AND number = 1 AND state = 'waiting' AND attempt = 0
    AND due_at > :now;

-- name: claim_notification
-- Claim a due notification, unless another node was quicker.
UPDATE notification SET claim = :claim, lease_until = :until, attempt = attempt + 1
WHERE id = :id AND state = 'waiting' AND due_at <= :now
  AND (lease_until IS NULL OR lease_until <= :now);

-- name: claimed_notifications
-- Return the notifications of a claim with their alerts; a deleted job or alert leaves none, and an
-- alert that is disabled counts as none.
SELECT {notification}, {alert}
FROM notification
    JOIN incident ON incident.id = notification.incident_id
    JOIN job ON job.id = incident.job_id
    LEFT JOIN alert ON alert.id = notification.alert_id
        AND alert.collection_id = job.collection_id AND alert.is_enabled = 1
WHERE claim = :claim AND notification.state = 'waiting'
ORDER BY due_at, notification.incident_id, number, destination;

-- name: settle_notification
-- Store how a try ended, unless another node has claimed the notification since. One that was put back
-- was not tried.
UPDATE notification
SET state = :state, due_at = :due_at, give_up_at = :give_up_at, attempt = :attempt,
    error = :error, tried_at = coalesce(:tried_at, tried_at), claim = NULL, lease_until = NULL
WHERE id = :id AND claim = :claim AND state = 'waiting';

-- name: move_notification
-- Store that a notification is due at another time, unless that has changed since.
UPDATE notification SET due_at = :due_at, give_up_at = :give_up_at
WHERE id = :id AND state = 'waiting' AND due_at = :former_due_at;

-- name: located_job
-- Return a collection with its job of a name, or without a job if there is none.
SELECT
    {collection},
    {job}, sealed
FROM collection
    LEFT JOIN job ON collection_id = collection.id AND job.folded_name = ?
    LEFT JOIN definition ON definition.job_id = job.id
WHERE folded_subscription = ? AND folded_group = ? AND collection.folded_name = ?;

-- name: jobs
-- Return a page of the jobs of a collection. Definitions are not joined: a join would read those of
-- skipped jobs as well.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id)
FROM job
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: jobs_in_state
-- Return a page of the jobs of a collection that are in one state.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id)
FROM job
WHERE collection_id = :collection_id AND state = :state AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: job_marks
-- Return values that tell whether the jobs of a collection have changed. A definition that is saved
-- again has another nonce, which follows the name of its key.
SELECT
    job.id, name, state, (SELECT count(*) FROM run WHERE run.job_id = job.id),
    substr(sealed, 1, 21), calendar_at, next_at, occurrence, generation, execution_count,
    settled_at, settled_well
FROM job JOIN definition ON definition.job_id = job.id
WHERE collection_id = :collection_id
ORDER BY folded_name;

-- name: job_id
-- Return the id of a job by its name.
SELECT id FROM job WHERE collection_id = ? AND folded_name = ?;

-- name: job_ids
-- Return the ids of the jobs of a collection.
SELECT id FROM job WHERE collection_id = ?;

-- name: count_jobs
-- Return how many jobs a collection has; additions and deletions keep the number.
SELECT job_count FROM collection WHERE id = :collection_id;

-- name: oldest_collections
-- Return the collections that were created first.
SELECT id, subscription, resource_group, name FROM collection WHERE id > 0 ORDER BY id LIMIT :limit;

-- name: job_figures
-- Return the figures of a page of jobs, by collection and state; deleted jobs are of collection 0.
SELECT collection_id, state, max(id), count(*),
       sum(CASE WHEN consecutive_failures > 0 THEN 1 ELSE 0 END),
       max(consecutive_failures),
       max(CASE WHEN settled_well = 1 THEN settled_at END)
FROM (
    SELECT id, collection_id, state, consecutive_failures, settled_well, settled_at
    FROM job
    WHERE id > :after
    ORDER BY id
    LIMIT :limit
) AS page
GROUP BY collection_id, state;

-- name: add_definition
-- Insert the definition of a new job.
INSERT INTO definition (job_id, sealed, created_at, changed_at, changed_by)
VALUES (:id, :sealed, :changed_at, :changed_at, :changed_by);

-- name: count_added_job
-- Count one more job of a collection.
UPDATE collection SET job_count = job_count + 1 WHERE id = :collection_id;

-- name: save_words
-- Store what a job is searched by; most changes of a job leave it as it is.
INSERT INTO job_search (job_id, collection_id, folded_name, host, words)
VALUES (:job_id, :collection_id, :folded_name, :host, :words)
ON CONFLICT (job_id) DO UPDATE SET host = excluded.host, words = excluded.words
WHERE job_search.host IS NULL OR job_search.words <> excluded.words;

-- name: drop_words
-- Delete what a job is searched by; goes with move_job.
DELETE FROM job_search WHERE job_id = :job_id;

-- name: fill_words
-- Store the same of a job of an earlier version, unless somebody has stored it in the meantime.
INSERT INTO job_search (job_id, collection_id, folded_name, host, words)
VALUES (:job_id, :collection_id, :folded_name, :host, :words)
ON CONFLICT (job_id) DO UPDATE SET host = excluded.host, words = excluded.words
WHERE job_search.host IS NULL;

-- name: jobs_without_words
-- Return jobs whose definitions an earlier version stored, so that only their names are searched.
SELECT definition.job_id
FROM definition LEFT JOIN job_search ON job_search.job_id = definition.job_id
WHERE definition.job_id > :after AND job_search.host IS NULL
ORDER BY definition.job_id
LIMIT :limit;

-- name: jobs_to_fill
-- Return such jobs up to an id, with their definitions.
SELECT {job}, sealed
FROM definition
    JOIN job ON job.id = definition.job_id
    LEFT JOIN job_search ON job_search.job_id = definition.job_id
WHERE definition.job_id >= :first AND definition.job_id <= :last AND job_search.host IS NULL
ORDER BY definition.job_id;

-- name: search_jobs
-- Return a page of the jobs in a scope that match a search, by name. CROSS JOIN keeps the tables in
-- this order: what jobs are searched by is read first, and the job only of what matches. A scope, a
-- state or an outcome that few jobs have is looked up once, not for each job. A job with a run that has
-- failed and is retried is one of those that failed.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id),
    {collection},
    found.host
FROM job_search AS found
    CROSS JOIN collection
    CROSS JOIN job
WHERE (found.folded_name, found.job_id) > (:after_name, :after_id)
  AND found.folded_name < :before_name
  AND (:is_part = 0 OR found.collection_id IN (SELECT id FROM collection WHERE {in_scope}))
  AND (:rare_state = '' OR found.job_id IN (SELECT id FROM job WHERE state = :rare_state))
  AND (
      :rare_outcome = ''
      OR found.job_id IN (SELECT id FROM job WHERE last_outcome = :rare_outcome)
      OR (:rare_outcome = 'failed' AND found.job_id IN (
          SELECT job_id FROM run WHERE attempt > 1 AND phase = 'main'
      ))
  )
  AND {is_found}
  AND collection.id = found.collection_id
  AND {in_scope}
  AND job.id = found.job_id
  AND job.state LIKE :state
  AND (
      :outcome = '' OR job.last_outcome = :outcome
      OR (:outcome = 'failed' AND EXISTS (
          SELECT 1 FROM run WHERE run.job_id = job.id AND attempt > 1 AND phase = 'main'
      ))
  )
ORDER BY found.folded_name, found.job_id
LIMIT :limit;

-- name: count_all_jobs
-- Count the jobs in a scope.
SELECT coalesce(sum(job_count), 0) FROM collection WHERE id > 0 AND {in_scope};

-- name: search_hosts
-- Return the hosts that most jobs in a scope send to, of those that contain a text.
SELECT host, count(*) AS jobs
FROM job_search CROSS JOIN collection
WHERE host > ''
  AND (
      :is_part = 0
      OR job_search.collection_id IN (SELECT id FROM collection WHERE {in_scope})
  )
  AND host LIKE :pattern ESCAPE '\'
  AND collection.id = job_search.collection_id
  AND {in_scope}
GROUP BY host
ORDER BY jobs DESC, host
LIMIT :limit;

-- name: search_alerts
-- Return the alerts in a scope whose name contains a text.
SELECT subscription, resource_group, collection.name, alert.name
FROM alert JOIN collection ON collection.id = alert.collection_id
WHERE alert.folded_name LIKE :pattern ESCAPE '\'
  AND {in_scope}
ORDER BY alert.folded_name, alert.id
LIMIT :limit;

-- name: save_job
-- Update a job; goes with save_definition. A definition is sealed for the name of its job, so that
-- the name must match.
UPDATE job
SET {set_job_state}
WHERE id = :id AND collection_id = :collection_id AND folded_name = :folded_name;

-- name: halt_job
-- Halt a job that is moved; comes before move_job.
UPDATE job SET is_halted = 1 WHERE id = :id;

-- name: move_job
-- Give a job another collection and name, halted if the collection is; goes with save_job.
UPDATE job
SET collection_id = :collection_id, name = :name, folded_name = :folded_name,
    is_halted = CASE
        WHEN EXISTS (SELECT 1 FROM collection WHERE id = :collection_id AND state = 'Enabled')
            THEN 0
        ELSE 1
    END
WHERE id = :id;

-- name: save_definition
-- Replace a definition, or store it again sealed with the newest key: who changed it then stays.
UPDATE definition
SET sealed = :sealed, changed_at = coalesce(:changed_at, changed_at),
    changed_by = coalesce(:changed_by, changed_by)
WHERE job_id = :id;

-- name: note_job_change
-- Store who changed a job whose definition stays as it is.
UPDATE definition SET changed_at = :changed_at, changed_by = :changed_by WHERE job_id = :id;

-- name: job_record
-- Return when a job was created and last changed, and by whom.
SELECT created_at, changed_at, changed_by FROM definition WHERE job_id = :job_id;

-- name: count_deleted_job
-- Count one job fewer of a collection; comes before delete_job.
UPDATE collection SET job_count = job_count - 1
WHERE id = (SELECT collection_id FROM job WHERE id = :id) AND id > 0;

-- name: count_due
-- Count the jobs and runs that are due and not held, up to a limit.
SELECT count(*) FROM (
    SELECT job_id FROM (SELECT job_id FROM due WHERE next_at <= :now LIMIT :limit) AS planned
    UNION ALL
    SELECT id FROM (
        SELECT run.id FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND due_at <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        LIMIT :limit
    ) AS waiting
    UNION ALL
    SELECT id FROM (
        SELECT run.id FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        LIMIT :limit
    ) AS lost
    LIMIT :limit
) AS due;

-- name: add_run
-- Insert a run.
INSERT INTO run ({new_run})
VALUES ({new_run_values});

-- name: count_open_runs
-- Count the runs of a job.
SELECT count(*) FROM run WHERE job_id = :job_id;

-- name: count_runs
-- Count the open runs of a job, and those of them that wait their turn.
SELECT count(*), count(*) - count(due_at) FROM run WHERE job_id = :job_id;

-- name: stalled_jobs
-- Return jobs with runs that may begin and wait their turn though no other run is in progress.
SELECT DISTINCT run.job_id
FROM run JOIN job ON job.id = run.job_id
WHERE lease_until IS NULL AND due_at IS NULL AND (is_manual = 1 OR state <> 'disabled')
  AND NOT EXISTS (
      SELECT 1 FROM run AS other WHERE other.job_id = run.job_id AND other.due_at IS NOT NULL
  )
ORDER BY run.job_id
LIMIT :limit;

-- name: add_schedule_change
-- Insert a change of when a job runs.
INSERT INTO schedule_change ({schedule_change}) VALUES ({schedule_change_values});

-- name: note_halt
-- Insert a change for each job of a collection that is halted. A job whose count is reached goes on
-- after its latest occurrence if that one expires while it waits.
INSERT INTO schedule_change (job_id, at, from_at, kind)
SELECT
    id, CAST(:at AS BIGINT),
    CASE
        WHEN next_at < :at THEN next_at
        WHEN next_at IS NULL AND state = 'enabled' AND planned_at < :at THEN planned_at + 1
        ELSE CAST(:at AS BIGINT)
    END,
    'halted'
FROM job WHERE collection_id = :collection_id;

-- name: note_resumption
-- Insert a change for each job of a collection that may run again. If the clock was set back, times up
-- to the latest planned one are decided already.
INSERT INTO schedule_change (job_id, at, from_at, kind)
SELECT
    id, CAST(:at AS BIGINT),
    CASE WHEN planned_at > :at THEN planned_at ELSE CAST(:at AS BIGINT) END + 1,
    'resumed'
FROM job WHERE collection_id = :collection_id;

-- name: schedule_changes
-- Return the changes of when a job runs, in order.
SELECT {schedule_change} FROM schedule_change WHERE job_id = :job_id ORDER BY id;

-- name: trim_schedule_changes_of_job
-- Delete the oldest changes of a job beyond those that are kept.
DELETE FROM schedule_change
WHERE job_id = :job_id AND id <= (
    SELECT id FROM schedule_change WHERE job_id = :job_id ORDER BY id DESC LIMIT 1 OFFSET :kept
);

-- name: trim_schedule_changes
-- Delete changes from before an instant, a limited number at a time.
DELETE FROM schedule_change WHERE id IN (
    SELECT id FROM schedule_change WHERE at < :before ORDER BY at LIMIT :limit
);

-- name: planned_entries
-- Return how the occurrences of a job in a stretch of planned times ended, and the stretches of
-- skipped ones that reach into it, in the order they were recorded.
SELECT {history}
FROM history
WHERE job_id = :job_id AND started_at >= :started_since AND outcome IS NOT NULL
  AND (trigger IS NULL OR trigger IN ('schedule', 'catchUp'))
  AND expected_at < :before AND coalesce(last_expected_at, expected_at) >= :since
ORDER BY number;

-- name: ended_runs_by_planned_time
-- Return how the runs of a job ended whose planned times lie in a stretch, in the order they were
-- recorded.
SELECT {history}
FROM history
WHERE job_id = :job_id AND started_at >= :started_since
  AND outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
  AND expected_at < :before AND expected_at >= :since
ORDER BY number;

-- name: make_run_due
-- Make a run due now that nobody holds and that is due later; not one that waits its turn.
UPDATE run SET due_at = :now WHERE id = :id AND lease_until IS NULL AND due_at > :now;

-- name: make_runs_due
-- Make runs of a job due now that were due, or whose lease ended, earlier.
UPDATE run
SET due_at = CASE WHEN lease_until IS NULL THEN :now ELSE due_at END,
    lease_until = CASE WHEN lease_until < :now THEN :now END
WHERE job_id = :job_id AND ((lease_until IS NULL AND due_at < :now) OR lease_until < :now);

-- name: make_all_runs_due
-- Do the same for all jobs of a collection.
UPDATE run
SET due_at = CASE WHEN lease_until IS NULL THEN :now ELSE due_at END,
    lease_until = CASE WHEN lease_until < :now THEN :now END
WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id)
  AND ((lease_until IS NULL AND due_at < :now) OR lease_until < :now);

-- name: advance_job
-- Update a job whose state is unchanged. The state is not written, because its index would be
-- written with it.
UPDATE job
SET {set_job_progress}
WHERE id = ? AND state = ?;

-- name: save_job_state
-- Update the state of a job, and when it ended if the state is final; comes before advance_job.
UPDATE job SET state = :state, ended_at = :ended_at WHERE id = :id;

-- name: fault_job
-- Fault a job whose definition is damaged; goes with drop_runs.
UPDATE job SET state = 'faulted', next_at = NULL, ended_at = :now
WHERE id = :id AND state <> 'faulted';

-- name: drop_runs
-- Delete all runs of a job.
DELETE FROM run WHERE job_id = :job_id;

-- name: history
-- Return a page of the history of a job, the newest first.
SELECT {history}
FROM history
WHERE job_id = :job_id AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: history_with_status
-- Return a page of the attempts of a job that ended in one way, the newest first.
SELECT {history}
FROM history
WHERE job_id = :job_id AND status = :status
  AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: attempt
-- Return an entry of the history of a job by its number.
SELECT {history}
FROM history
WHERE number = :number AND job_id = :job_id
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0);

-- name: inspect_histories
-- Return jobs by id, and whether their history is too old or too long.
SELECT
    id,
    EXISTS (SELECT 1 FROM history WHERE job_id = job.id AND started_at < :since)
    OR EXISTS (SELECT 1 FROM history WHERE job_id = job.id LIMIT 1 OFFSET :kept)
FROM job
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: newest_surplus
-- Return the newest entry of a job beyond those that are kept.
SELECT started_at, number FROM history
WHERE job_id = :job_id
ORDER BY started_at DESC, number DESC
LIMIT 1 OFFSET :kept;

-- name: jobs_ended_before
-- Return jobs that reached a final state before an instant.
SELECT id FROM job WHERE ended_at < :at ORDER BY ended_at LIMIT :limit;

-- name: tokens
-- Return all tokens.
SELECT {token}
FROM token
ORDER BY id;

-- name: token
-- Return the token whose secret has a hash.
SELECT {token}
FROM token
WHERE digest = :digest;

-- name: add_token
-- Insert a token.
INSERT INTO token ({new_token})
VALUES ({new_token_values});

-- name: delete_token
-- Delete a token.
DELETE FROM token WHERE id = :id;

-- name: touch_token
-- Store when a token was last used.
UPDATE token SET last_used_at = :at WHERE id = :id;

-- name: ended_session
-- Tell whether somebody signed out of a session.
SELECT 1 FROM ended_session WHERE digest = :digest;

-- name: add_ended_session
-- Insert a session that somebody signed out of.
INSERT INTO ended_session (digest, until_at) VALUES (:digest, :until_at) ON CONFLICT DO NOTHING;

-- name: delete_ended_sessions
-- Delete sessions that would have expired by now.
DELETE FROM ended_session WHERE until_at < :now;

-- name: seal_check
-- Return the value that tells whether a key is the database's.
SELECT sealed FROM seal_check;

-- name: save_seal_check
-- Replace that value by one sealed with the newest key.
INSERT INTO seal_check (id, sealed) VALUES (1, :sealed)
ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed;

-- name: search_collections
-- Return a page of the collections in a scope whose name contains a text, with how many jobs each
-- has. Here and below, an empty part of the scope matches everything.
SELECT
    {collection}, job_count
FROM collection
WHERE {in_scope}
  AND folded_name LIKE :pattern ESCAPE '\'
  AND (folded_subscription, folded_group, folded_name)
      > (:after_subscription, :after_group, :after_name)
ORDER BY folded_subscription, folded_group, folded_name
LIMIT :limit;

-- name: runs_of_job
-- Return the open runs of a job.
SELECT {run}
FROM run
WHERE job_id = :job_id
ORDER BY id;

-- name: open_runs
-- Return open runs, the newest first, of one job or of all in a scope, with the names of their
-- jobs; not those at their error action, whose main action has ended.
SELECT
    {run}, {names}
FROM run
    JOIN job ON job.id = run.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE run.id < :before AND phase = 'main'
  AND (CAST(:job_id AS BIGINT) IS NULL OR job_id = :job_id)
  AND (CAST(:is_held AS INTEGER) IS NULL OR (lease_until IS NOT NULL) = (:is_held = 1))
  AND (CAST(:trigger AS TEXT) IS NULL OR trigger = :trigger)
  AND (:is_retried = 0 OR attempt > 1)
  AND {failed_so}
  AND {in_scope}
ORDER BY run.id DESC
LIMIT :limit;

-- name: runs_to_retry
-- Return runs that failed and are retried later than now, the next ones first, with the names of their
-- jobs; not those of collections that are not enabled.
SELECT
    {run}, {names}
FROM run
    JOIN job ON job.id = run.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE phase = 'main' AND attempt > 1 AND lease_until IS NULL AND due_at > :now AND is_halted = 0
  AND (CAST(:job_id AS BIGINT) IS NULL OR job_id = :job_id)
  AND (CAST(:trigger AS TEXT) IS NULL OR trigger = :trigger)
  AND {failed_so}
  AND {in_scope}
ORDER BY due_at, run.id
LIMIT :limit;

-- name: ended_runs
-- Return a page of the runs in a scope that have ended, the last recorded first.
SELECT
    {history}, {names}
FROM history
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE {is_wanted_run} AND {in_scope} AND collection.id > 0
ORDER BY number DESC
LIMIT :limit;

-- name: notable_runs
-- Return the same of the runs that did not simply succeed, from their own index.
SELECT
    {history}, {names}
FROM history
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE outcome <> 'succeeded'
  AND {is_wanted_run} AND {in_scope} AND collection.id > 0
ORDER BY number DESC
LIMIT :limit;

-- name: ended_runs_of_job
-- Return the same of one job. Of its newest entries some more than a page are read, since they are
-- not numbered exactly in the order of their starts.
SELECT
    {history}, {names}
FROM (
    SELECT * FROM history
    WHERE history.job_id = :job_id AND {is_wanted_run}
    ORDER BY started_at DESC, number DESC
    LIMIT :limit + 100
) AS history
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE {in_scope} AND collection.id > 0
ORDER BY number DESC
LIMIT :limit;

-- name: end_of_run
-- Return the entry that ended a run of several attempts: such a run never simply succeeded, so it is
-- in the index of those. Runs from before they were recorded have no number of their own.
SELECT {history}
FROM history
WHERE job_id = :job_id AND outcome <> 'succeeded' AND run_id = :run_id
  AND (run_id > 0 OR (expected_at = :expected_at AND repeat_count = :repeat_count))
ORDER BY number DESC
LIMIT 1;

-- name: count_unrecorded
-- Count entries from before runs were recorded.
SELECT count(*) FROM history WHERE run_id IS NULL AND outcome IS NULL;

-- name: unrecorded_up_to
-- Return the last number of the oldest such entries, a limited number of them.
SELECT max(number) FROM (
    SELECT number FROM history WHERE run_id IS NULL AND outcome IS NULL
    ORDER BY number
    LIMIT :limit
) AS oldest;

-- name: record_runs
-- Give such entries the outcomes of their runs, and the number of the run if it is open, else 0. A
-- success ends its run, and so does a failure that no other attempt follows.
UPDATE history
SET run_id = coalesce(
        (
            SELECT max(run.id) FROM run
            WHERE run.job_id = history.job_id AND run.expected_at = history.expected_at
        ),
        0
    ),
    outcome = CASE
        WHEN is_error_action = 1 THEN NULL
        WHEN status = 'postponed' THEN 'skipped'
        WHEN status = 'completed' AND retry_count = 0 THEN 'succeeded'
        WHEN status = 'completed' THEN 'recovered'
        WHEN EXISTS (
            SELECT 1 FROM run
            WHERE run.job_id = history.job_id AND run.expected_at = history.expected_at
              AND phase = 'main'
        ) THEN NULL
        WHEN EXISTS (
            SELECT 1 FROM history AS later
            WHERE later.job_id = history.job_id AND later.expected_at = history.expected_at
              AND later.retry_count > 0 AND later.is_error_action = 0
              AND later.repeat_count = history.repeat_count
              AND later.retry_count > history.retry_count
        ) THEN NULL
        ELSE 'failed'
    END
WHERE run_id IS NULL AND outcome IS NULL AND number <= :up_to;

-- name: held_runs
-- Return runs that a node holds, the longest due first, with the names of their jobs.
SELECT
    {run},
    subscription, resource_group, collection.name, job.name
FROM run
    JOIN job ON job.id = run.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE lease_until IS NOT NULL
  AND {in_scope}
ORDER BY run.due_at, run.id
LIMIT :limit;

-- name: failure_groups
-- Count runs by reason and host: a sample of the newest, read from an index that has all it needs.
SELECT {failure_figures}
FROM (
    SELECT {counted_failure}
    FROM history
        JOIN job ON job.id = history.job_id
        JOIN collection ON collection.id = job.collection_id
    WHERE outcome <> 'succeeded' AND {is_wanted_run} AND {in_scope} AND collection.id > 0
    ORDER BY number DESC
    LIMIT :sample
) AS newest
GROUP BY reason, host;

-- name: retried_groups
-- Count runs that have failed and wait for a retry by reason and host of their last attempts, the newest
-- of them, with the time at which the first is due.
SELECT
    min(due_at), last.reason, last.host, count(*), count(DISTINCT retried.job_id),
    min(coalesce(last.ended_at, due_at)), max(coalesce(last.ended_at, due_at)),
    max(coalesce(last.number, 0)), 0,
    min(last.status_code), max(last.status_code), count(last.status_code),
    min(subscription), min(resource_group), min(collection_name), min(job_name)
FROM (
    SELECT
        run.job_id, due_at, subscription, resource_group,
        collection.name AS collection_name, job.name AS job_name,
        (
            SELECT max(history.number + 0) FROM history
            WHERE history.job_id = run.job_id AND history.run_id = run.id
              AND history.outcome IS NULL AND history.run_id IS NOT NULL
        ) AS last_number
    FROM run
        JOIN job ON job.id = run.job_id
        JOIN collection ON collection.id = job.collection_id
    WHERE phase = 'main' AND attempt > 1 AND lease_until IS NULL
      AND (CAST(:job_id AS BIGINT) IS NULL OR run.job_id = :job_id)
      AND (CAST(:trigger AS TEXT) IS NULL OR run.trigger = :trigger)
      AND {in_scope}
    ORDER BY run.id DESC
    LIMIT :sample
) AS retried
    LEFT JOIN history AS last
        ON last.job_id = retried.job_id AND last.number = retried.last_number
GROUP BY last.reason, last.host;

-- name: failure_mutes
-- Return the mutes that have not ended.
SELECT {failure_mute} FROM failure_mute WHERE until_at > :now ORDER BY until_at, reason, host;

-- name: drop_ended_mutes
-- Delete mutes that have ended.
DELETE FROM failure_mute WHERE until_at <= :now;

-- name: mute_failures
-- Store a mute; one of the same failures in the same scope is replaced.
INSERT INTO failure_mute ({failure_mute}) VALUES ({failure_mute_values})
ON CONFLICT (subscription, resource_group, collection, reason, host) DO UPDATE
SET until_at = excluded.until_at, muted_at = excluded.muted_at, muted_by = excluded.muted_by;

-- name: unmute_failures
-- Delete a mute.
DELETE FROM failure_mute
WHERE subscription = :subscription AND resource_group = :resource_group
  AND collection = :collection AND reason = :reason AND host = :host;

-- name: coming_jobs
-- Return jobs that run by an instant, the earliest first, with their collections.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id),
    {collection}
FROM due
    JOIN job ON job.id = due.job_id
    JOIN collection ON collection.id = due.collection_id
WHERE due.next_at <= :until
  AND {in_scope}
ORDER BY due.next_at, due.job_id
LIMIT :limit;

-- name: totals
-- Count held runs, runs that wait for a retry, and jobs that run by an instant; each up to a limit.
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM run
            JOIN job ON job.id = run.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE lease_until IS NOT NULL
          AND {in_scope}
        LIMIT :limit
    ) AS held),
    (SELECT count(*) FROM (
        SELECT 1 FROM run
            JOIN job ON job.id = run.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE lease_until IS NULL AND attempt > 1 AND phase = 'main'
          AND {in_scope}
        LIMIT :limit
    ) AS waiting),
    (SELECT count(*) FROM (
        SELECT 1 FROM due JOIN collection ON collection.id = due.collection_id
        WHERE next_at <= :until
          AND {in_scope}
        LIMIT :limit
    ) AS coming);

-- name: totals_of_all
-- Count the same in all collections.
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM run WHERE lease_until IS NOT NULL LIMIT :limit
    ) AS held),
    (SELECT count(*) FROM (
        SELECT 1 FROM run
        WHERE lease_until IS NULL AND attempt > 1 AND phase = 'main'
        LIMIT :limit
    ) AS waiting),
    (SELECT count(*) FROM (
        SELECT 1 FROM due WHERE next_at <= :until LIMIT :limit
    ) AS coming);

-- name: retried_jobs
-- Return the jobs of a collection with open runs that have failed and are retried.
SELECT DISTINCT run.job_id
FROM run JOIN job ON job.id = run.job_id
WHERE attempt > 1 AND phase = 'main' AND collection_id = :collection_id;

-- name: newest_number
-- Return the number of the newest history entry.
SELECT max(number) FROM history;

-- name: first_number_since
-- Return the first number recorded since an instant, by bisection: numbers grow with time. Each step
-- looks at the first entry from the middle on; where there is none, the instant is earlier.
WITH RECURSIVE search (low, high) AS (
    SELECT CAST(1 AS BIGINT), CAST(:newest AS BIGINT) + 1
    UNION ALL
    SELECT
        CASE
            WHEN (
                SELECT ended_at FROM history WHERE number >= (low + high) / 2
                ORDER BY number LIMIT 1
            ) < :since THEN (low + high) / 2 + 1
            ELSE low
        END,
        CASE
            WHEN (
                SELECT ended_at FROM history WHERE number >= (low + high) / 2
                ORDER BY number LIMIT 1
            ) < :since THEN high
            ELSE (low + high) / 2
        END
    FROM search
    WHERE low < high
)
SELECT low FROM search WHERE low >= high;

-- name: nodes
-- Return all nodes.
SELECT {node}
FROM node
ORDER BY name, id;

-- name: save_node
-- Store the heartbeat of a node.
INSERT INTO node ({node})
VALUES ({node_values})
ON CONFLICT (id) DO UPDATE
SET
    seen_at = excluded.seen_at,
    in_flight = excluded.in_flight,
    waiting = excluded.waiting,
    name = excluded.name,
    version = excluded.version,
    started_at = excluded.started_at,
    has_api = excluded.has_api,
    has_engine = excluded.has_engine,
    keys = excluded.keys;

-- name: delete_node
-- Delete a node that has stopped.
DELETE FROM node WHERE id = :id;

-- name: delete_silent_nodes
-- Delete nodes whose last heartbeat was before an instant.
DELETE FROM node WHERE seen_at < :before;

-- name: deployment
-- Return the record of a deployment.
SELECT sealed FROM deployment
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: deployments
-- Return a page of the records of a group.
SELECT folded_name, sealed FROM deployment
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: count_deployments
-- Count the records of a group.
SELECT count(*) FROM deployment
WHERE folded_subscription = :subscription AND folded_group = :group;

-- name: replace_deployment
-- Update a record if there is one of this key.
UPDATE deployment SET deployed_at = :deployed_at, sealed = :sealed
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: add_deployment
-- Insert a record, or update one that another node has inserted in the meantime.
INSERT INTO deployment (folded_subscription, folded_group, folded_name, deployed_at, sealed)
VALUES (:subscription, :group, :name, :deployed_at, :sealed)
ON CONFLICT (folded_subscription, folded_group, folded_name) DO UPDATE
SET deployed_at = excluded.deployed_at, sealed = excluded.sealed;

-- name: trim_deployments
-- Delete the oldest records of a group beyond those that are kept; the one just added stays, also
-- if the clock was set back.
DELETE FROM deployment WHERE id IN (
    SELECT id FROM deployment
    WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name <> :name
    ORDER BY deployed_at DESC, id DESC
    LIMIT :limit OFFSET :kept
);

-- name: delete_deployment
-- Delete a record.
DELETE FROM deployment
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: delete_deployments
-- Delete all records of a group.
DELETE FROM deployment WHERE folded_subscription = :subscription AND folded_group = :group;

-- name: older_deployment_seals
-- Return records that were not sealed with the newest key, a limited number at a time.
SELECT id, folded_subscription, folded_group, folded_name, sealed
FROM deployment
WHERE id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY id
LIMIT :limit;

-- name: reseal_deployment
-- Store a record under another key, unless somebody has replaced it in the meantime.
UPDATE deployment SET sealed = :renewed WHERE id = :id AND sealed = :sealed;

-- name: audit_entries
-- Return entries of the audit log, the newest first.
SELECT {audit} FROM audit
WHERE {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_action
-- Return entries of the audit log of one action, the newest first.
SELECT {audit} FROM audit
WHERE action = :action AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_author
-- Return entries of the audit log by one author, the newest first.
SELECT {audit} FROM audit
WHERE folded_who = :folded_who AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_collection
-- Return entries of the audit log about collections of one name, and what is in them, the newest first.
SELECT {audit} FROM audit
WHERE folded_collection = :folded_collection AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_group
-- Return entries of the audit log about resource groups of one name, and what is in them, the newest first.
SELECT {audit} FROM audit
WHERE folded_group = :folded_group AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_kind
-- Return entries of the audit log about one kind of resource, the newest first.
SELECT {audit} FROM audit
WHERE kind = :kind AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_name
-- Return entries of the audit log about one name in any collection, the newest first.
SELECT {audit} FROM audit
WHERE folded_name = :folded_name AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_subscription
-- Return entries of the audit log about what is in one subscription, the newest first.
SELECT {audit} FROM audit
WHERE folded_subscription = :folded_subscription AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entries_of_subject
-- Return entries of the audit log about one name in a collection, the newest first.
SELECT {audit} FROM audit
WHERE folded_collection = :folded_collection AND folded_name = :folded_name
    AND {is_wanted_audit}
ORDER BY at DESC, id DESC
LIMIT :limit;

-- name: audit_entry
-- Return an entry of the audit log, if it is about something in a scope.
SELECT {audit} FROM audit
WHERE id = :id
    AND (:scope_subscription = '' OR folded_subscription = :scope_subscription)
    AND (:scope_group = '' OR folded_group = :scope_group)
    AND (:scope_collection = '' OR folded_collection = :scope_collection);

-- name: add_audit_entry
-- Insert an entry into the audit log.
INSERT INTO audit ({new_audit}) VALUES ({new_audit_values});

-- name: newest_surplus_audit
-- Return the position of the newest entry that goes if a number of entries stay.
SELECT at, id FROM audit ORDER BY at DESC, id DESC LIMIT 1 OFFSET :kept;

-- name: trim_audit
-- Delete the oldest entries, up to a position, a limited number at a time.
DELETE FROM audit WHERE id IN (
    SELECT id FROM audit WHERE (at, id) <= (:at, :id) ORDER BY at, id LIMIT :limit
);

-- name: older_audit_seals
-- Return entries that were not sealed with the newest key, a limited number at a time.
SELECT {audit} FROM audit
WHERE id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY id
LIMIT :limit;

-- name: reseal_audit
-- Store the content of an entry under another key.
UPDATE audit SET sealed = :renewed WHERE id = :id;

-- name: collections_in_scope
-- Return all collections of a scope, by name.
SELECT {collection} FROM collection
WHERE id > 0 AND {in_scope}
ORDER BY folded_name, folded_group, folded_subscription;

-- name: scheduled_jobs
-- Return when jobs run next that will run, and a value that differs after each change of their
-- definition: the nonce, which follows the name of the key. CROSS JOIN keeps SQLite from reading the
-- due times of all jobs for those of one collection.
SELECT job.id, collection_id, next_at, occurrence, substr(sealed, 1, 21)
FROM collection
    CROSS JOIN job
    JOIN definition ON definition.job_id = job.id
WHERE job.collection_id = collection.id
  AND job.state = 'enabled' AND is_halted = 0 AND next_at IS NOT NULL AND {in_scope};

-- name: jobs_by_name
-- Return a page of the jobs of a collection without their definitions.
SELECT id, name FROM job WHERE collection_id = :collection_id
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: ended_by_collection
-- Count runs by collection, quarter of an hour and outcome, among entries by number. `+ 0` keeps a
-- planner from taking number and time for two independent conditions.
SELECT collection_id, history.ended_at / :quarter, outcome,
    sum(CASE outcome WHEN 'skipped' THEN coalesce(skipped_count, 1) ELSE 1 END)
FROM history JOIN job ON job.id = history.job_id
WHERE number >= :first AND number < :end AND outcome IS NOT NULL
  AND history.ended_at + 0 >= :since AND history.ended_at + 0 < :before
GROUP BY 1, 2, 3;

-- name: ended_by_job
-- Count the same of a job.
SELECT job_id, ended_at / :quarter, outcome,
    sum(CASE outcome WHEN 'skipped' THEN coalesce(skipped_count, 1) ELSE 1 END)
FROM history
WHERE job_id = :job_id AND started_at >= :begun_since AND started_at < :before
  AND outcome IS NOT NULL AND ended_at >= :since AND ended_at < :before
GROUP BY 1, 2, 3;
