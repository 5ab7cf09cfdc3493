"""Reads templates of Azure Resource Manager, with the evaluator of deployments."""

from collections.abc import Sequence

from foliot.core.errors import path_text
from foliot.core.ids import CollectionKey
from foliot.importers.arm_evaluation import evaluate
from foliot.importers.documents import Fields
from foliot.importers.model import ImportOptions, ImportResult, LeftOut, SourceText
from foliot.importers.scheduler_resources import (
    COLLECTION_TYPE,
    JOB_TYPE,
    SchedulerResource,
    collect,
)


def read_templates(
    sources: Sequence[SourceText], options: ImportOptions, parameters: SourceText | None = None
) -> ImportResult:
    """Evaluate templates, and take the collections and jobs that they deploy."""
    resources: list[SchedulerResource] = []
    left_out: list[LeftOut] = []
    for source in sources:
        template = evaluate(source, parameters, options)
        for each in template.resources:
            origin = f"{source.name}, {path_text(each.path)}"
            if each.type.lower() not in (COLLECTION_TYPE, JOB_TYPE):
                left_out.append(LeftOut(origin, f"{each.type} {each.name} is no job."))
                continue
            collection, _, job = each.name.partition("/")
            key = CollectionKey(each.subscription, each.group, options.collection or collection)
            resources.append(
                SchedulerResource(
                    origin=origin, key=key, job=job or None, body=Fields(each.body, each.path)
                )
            )
        for kind, name in template.left_out:
            reason = f"{kind} {name} is not deployed: its condition is false."
            left_out.append(LeftOut(source.name, reason))
    return collect(resources, left_out, options)
