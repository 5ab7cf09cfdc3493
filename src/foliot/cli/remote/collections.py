"""`foliot collection`: lists, creates, changes and deletes collections."""

from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import COLLECTION_COLUMNS, text_at
from foliot.cli.remote.job_inputs import confirm
from foliot.cli.remote.output import details
from foliot.client.errors import NotThere, Refused
from foliot.client.job_files import JsonObject
from foliot.client.paths import key_text
from foliot.core.errors import Invalid, wrong
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="SUBSCRIPTION/GROUP/NAME, or the name alone."),
]
NewName = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="SUBSCRIPTION/GROUP/NAME; for a name alone both are `default`."
    ),
]
Plan = Annotated[
    str | None,
    typer.Option(metavar="PLAN", help="Free, Standard, P10Premium or P20Premium."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="A tag; may be repeated.")
]


@server_command(
    "collection list", of_collection=False, examples="foliot collection list --output json"
)
def list_collections(session: ServerSession) -> None:
    """List the collections that the token may see."""
    session.out.rows(session.client.collections(), COLLECTION_COLUMNS)


@server_command("collection show", examples="foliot collection show me/home/first")
def show_collection(session: ServerSession, name: Name = None) -> None:
    """Show a collection."""
    key = _key(session, name)
    session.out.value(found := session.client.collection(key), _told(key, found))


@server_command(
    "collection create",
    examples="""
foliot collection create first
foliot collection create me/home/first --plan P20Premium --tag team=web
""",
)
def create_collection(
    session: ServerSession,
    name: NewName,
    *,
    plan: Plan = None,
    location: Annotated[str | None, typer.Option(metavar="REGION", help="A region.")] = None,
    tag: Tags = None,
) -> None:
    """Create a collection."""
    key = session.new_key(name)
    try:
        session.client.collection(key)
    except NotThere:
        body = {"properties": {}, **_body(plan, tag)}
        body |= {} if location is None else {"location": location}
        session.out.value(found := session.client.put_collection(key, body), _told(key, found))
    else:
        raise Refused(f"the collection {key_text(key)} exists; `collection update` changes it.")


@server_command("collection update", examples="foliot collection update first --plan Standard")
def update_collection(
    session: ServerSession, name: Name = None, *, plan: Plan = None, tag: Tags = None
) -> None:
    """Change a collection: its plan, and the tags that are given."""
    body = _body(plan, tag)
    if not body:
        raise Invalid((), "nothing to change; give --plan or --tag.")
    key = _key(session, name)
    session.out.value(found := session.client.patch_collection(key, body), _told(key, found))


@server_command("collection delete", examples="foliot collection delete me/home/first --yes")
def delete_collection(
    session: ServerSession,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The collection.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a collection with its jobs and their history."""
    key = session.key_of(name)
    confirm(f"Delete {key_text(key)} with all its jobs and their history?", is_sure=yes)
    session.client.delete_collection(key)
    session.out.tell(f"Collection {key_text(key)} is deleted.")


@server_command("collection enable", examples="foliot collection enable me/home/work")
def enable_collection(session: ServerSession, name: Name = None) -> None:
    """Enable a collection: its jobs run again."""
    _enable(session, name, enabled=True)


@server_command("collection disable", examples="foliot collection disable me/home/work")
def disable_collection(session: ServerSession, name: Name = None) -> None:
    """Disable a collection: none of its jobs runs."""
    _enable(session, name, enabled=False)


def _enable(session: ServerSession, name: str | None, *, enabled: bool) -> None:
    key = _key(session, name)
    session.client.enable_collection(key, enabled=enabled)
    session.out.tell(f"Collection {key_text(key)} is {'enabled' if enabled else 'disabled'}.")


def _key(session: ServerSession, name: str | None) -> CollectionKey:
    return session.key if name is None else session.key_of(name)


def _body(plan: str | None, tags: list[str] | None) -> JsonObject:
    body: JsonObject = {} if plan is None else {"properties": {"sku": {"name": plan}}}
    if tags:
        body["tags"] = dict(map(_tag, tags))
    return body


def _tag(text: str) -> tuple[str, Json]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise wrong(("--tag",), text, "NAME=VALUE")
    return name, value


def _told(key: CollectionKey, found: JsonObject) -> list[str]:
    tags = found.get("tags")
    pairs = tags.items() if isinstance(tags, dict) else ()
    return details(
        [
            ("collection", key_text(key)),
            ("state", text_at(found, "properties", "state")),
            ("plan", text_at(found, "properties", "sku", "name")),
            ("location", text_at(found, "location")),
            ("quota", text_at(found, "properties", "quota")),
            ("tags", ", ".join(f"{name}={value}" for name, value in pairs)),
        ]
    )
