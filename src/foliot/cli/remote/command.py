"""Makes a function a command that talks to a server, with the options that all of them have."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cached_property
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer
from msgspec import Struct

from foliot.cli.plain_values import examples_text
from foliot.cli.remote.exit_codes import exiting
from foliot.cli.remote.output import Printer, parse_format
from foliot.cli.remote.profile_file import load_profile
from foliot.client.calls import FoliotClient
from foliot.client.connection import Connection
from foliot.client.errors import NotThere
from foliot.client.find_server import ServerOptions, find_server
from foliot.client.paths import key_text, parse_key
from foliot.core.errors import Invalid, within
from foliot.core.ids import CollectionKey

DEFAULT_NAME = "default"

_MOST_NAMED = 5
_SERVER_PANEL = "Server"
_COLLECTION_HELP = "SUBSCRIPTION/GROUP/NAME, or the name alone. FOLIOT_COLLECTION."


class CollectionOptions(Struct, frozen=True):
    """What a command was told about its collection."""

    collection: str | None = None
    subscription: str | None = None
    group: str | None = None


class ServerSession:
    """What a command works with: the server, the collection and the output."""

    def __init__(
        self, server: ServerOptions, collection: CollectionOptions, output: Printer
    ) -> None:
        self._server = server
        self._collection = collection
        self.out = output

    @cached_property
    def client(self) -> FoliotClient:
        """The client of the server that the options, the environment or a profile name."""
        profile = load_profile(os.environ)
        return FoliotClient(Connection(find_server(self._server, os.environ, profile)))

    @cached_property
    def key(self) -> CollectionKey:
        """The collection that the command is about."""
        return self._find(self.named_collection)

    @property
    def collection_options(self) -> CollectionOptions:
        """The options that name a collection, as they were given."""
        return self._collection

    @property
    def named_collection(self) -> str | None:
        """The collection as it was named, if it was."""
        named = self._collection.collection or os.environ.get("FOLIOT_COLLECTION")
        if named:
            return named
        profile = load_profile(os.environ)
        return None if profile is None else profile.collection

    def new_key(self, name: str) -> CollectionKey:
        """Return the key of a collection to be created: what is not named is `default`."""
        if "/" in name:
            with within("NAME"):
                return parse_key(name)
        given = self._collection
        return CollectionKey(given.subscription or DEFAULT_NAME, given.group or DEFAULT_NAME, name)

    def key_of(self, name: str) -> CollectionKey:
        """Return the key of a collection that is named as an argument."""
        return self._find(name)

    def close(self) -> None:
        """Close the connection to the server, if there is one."""
        if "client" in vars(self):
            self.client.close()

    def _find(self, named: str | None) -> CollectionKey:
        if named is not None and "/" in named:
            with within("--collection"):
                return parse_key(named)
        given = self._collection
        if named and given.subscription and given.group:
            return CollectionKey(given.subscription, given.group, named)
        return self._only_one(named)

    def visible_keys(self, named: str | None = None) -> list[CollectionKey]:
        """Return the collections of a name, or all, in the subscription and group if given."""
        given = self._collection
        return [
            key
            for key in self.client.collection_keys()
            if _fits(key.name, named)
            and _fits(key.subscription, given.subscription)
            and _fits(key.group, given.group)
        ]

    def _only_one(self, named: str | None) -> CollectionKey:
        found = self.visible_keys(named)
        if len(found) == 1:
            return found[0]
        if not found:
            what = "there is no collection" + ("" if named is None else f" '{named}'")
            raise NotThere(f"{what} on {self.client.url}; `foliot collection create` makes one.")
        names = ", ".join(sorted(map(key_text, found))[:_MOST_NAMED])
        more = len(found) - _MOST_NAMED
        told = f"{names} and {more} more" if more > 0 else names
        raise Invalid(("--collection",), f"is needed, there are {len(found)}: {told}.")


def _fits(name: str, wanted: str | None) -> bool:
    return wanted is None or name.lower() == wanted.lower()


def text_option(name: str, *flags: str, panel: str | None = None, **more: Any) -> Parameter:
    """Return an option that is a text, or absent."""
    annotation = Annotated[
        str | None, typer.Option(*(flags or (f"--{name}",)), rich_help_panel=panel, **more)
    ]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


_COLLECTION = (
    text_option("collection", "--collection", "-c", metavar="COLLECTION", help=_COLLECTION_HELP),
    text_option("subscription", metavar="NAME", help="The subscription of the collection."),
    text_option("group", metavar="NAME", help="The resource group of the collection."),
)
_SERVER = (
    text_option(
        "server", metavar="URL", help="Where the server is. FOLIOT_SERVER.", panel=_SERVER_PANEL
    ),
    text_option(
        "token",
        metavar="TOKEN",
        help="The token; others on this machine can read options. FOLIOT_TOKEN.",
        panel=_SERVER_PANEL,
    ),
    text_option(
        "ca",
        metavar="FILE",
        help="The authority of the server's certificate. FOLIOT_CA.",
        panel=_SERVER_PANEL,
    ),
)
_OUTPUT = text_option(
    "output", "--output", "-o", metavar="FORMAT", help="table (default), json, jsonl or yaml."
)

Command = Callable[..., None]


def server_command(
    name: str,
    *,
    options: Sequence[Parameter] = (),
    of_collection: bool = True,
    has_formats: bool = True,
    examples: str = "",
) -> Callable[[Command], Command]:
    """Make `function(session, ...)` a command: it gets a session in the place of these options."""

    def decorate(function: Command) -> Command:
        own = list(signature(function).parameters.values())[1:]
        own = [each for each in own if each.kind is not Parameter.VAR_KEYWORD]
        formats = [_OUTPUT] if has_formats else []
        shared = [*(_COLLECTION if of_collection else ()), *formats, *_SERVER]

        def command(**values: Any) -> None:
            with exiting(name), closing(_session(values)) as session:
                function(session, **values)

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__dict__["__signature__"] = Signature([*own, *options, *shared])
        command.__dict__["examples"] = examples_text(examples)
        return command

    return decorate


def _session(values: dict[str, Any]) -> ServerSession:
    def take(*names: str) -> list[Any]:
        return [values.pop(name, None) for name in names]

    form = parse_format(values.pop("output", None) or "table")
    return ServerSession(
        ServerOptions(*take("server", "token", "ca")),
        CollectionOptions(*take("collection", "subscription", "group")),
        Printer(form),
    )
