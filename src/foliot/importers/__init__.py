"""Turns jobs of other schedulers into jobs of Foliot. No I/O, no clock, no randomness.

Each reader takes the texts of files and returns collections of jobs as the API's JSON, with notes
on what changes, and with what is left out and why.

arm                    templates of Azure Resource Manager
arm_evaluation         evaluates templates, with placeholders for secure parameters
aws_expressions        schedule expressions of Amazon EventBridge
aws_targets            targets, API destinations and connections of Amazon EventBridge
azure_export           lists of collections and jobs, as the API of Azure Scheduler gave them
bounded_text           fills in values in texts, within a limit
command_job            requests and policies from command lines
cron_text              cron expressions of others, written as Foliot accepts them
crontab                crontabs of users and of the system
curl                   command lines of curl
curl_command           a job as a command line of curl
documents              JSON and YAML documents, and objects whose values have the right type
eventbridge            rules and schedules of Amazon EventBridge
exported_jobs          jobs written with placeholders or parameters in place of secrets
finish                 gives names, writes placeholders, sorts jobs into collections
gcloud                 jobs of Google Cloud Scheduler
gcloud_schedule        schedules of Google Cloud Scheduler
hidden_text            texts with secrets, written with placeholders
http_call              a request of the source, written as an action
job_parts              retries, timeouts and calendars that several sources write
kubernetes             CronJobs of Kubernetes
logicapp               workflows of Logic Apps
logicapp_expressions   expressions in workflows
logicapp_request       HTTP actions of workflows
logicapp_trigger       triggers of workflows
model                  options and results of an import
output                 the documents that an import writes
program_options        options of command lines
scheduler_jobs         jobs of Azure Scheduler: hides secrets, asks for missing ones
scheduler_resources    collections and jobs of Azure Scheduler, sorted
shell_command          the one program that a shell command runs
shell_words            words and operators of a shell command
template_resources     collections and jobs as resources of a deployment template
wget                   command lines of wget
windows_zones          names of time zones in Windows
"""

from foliot.importers.arm import read_templates
from foliot.importers.azure_export import read_exports
from foliot.importers.crontab import read_crontabs
from foliot.importers.eventbridge import read_event_rules
from foliot.importers.gcloud import read_cloud_jobs
from foliot.importers.kubernetes import read_cron_jobs
from foliot.importers.logicapp import read_workflows
from foliot.importers.model import (
    ImportedCollection,
    ImportedJob,
    ImportOptions,
    ImportResult,
    LeftOut,
    SourceText,
)
from foliot.importers.output import write_collections

__all__ = [
    "ImportOptions",
    "ImportResult",
    "ImportedCollection",
    "ImportedJob",
    "LeftOut",
    "SourceText",
    "read_cloud_jobs",
    "read_cron_jobs",
    "read_crontabs",
    "read_event_rules",
    "read_exports",
    "read_templates",
    "read_workflows",
    "write_collections",
]
