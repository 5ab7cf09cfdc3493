"""The files in `deploy/`, read as their engines would read them."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"

# What an operator has to give, as compose would put it in; values that the real server accepts.
GIVEN = {
    "POSTGRES_PASSWORD": "p" * 32,
    "FOLIOT_SECRET_KEYS": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "FOLIOT_ADMIN_TOKEN": "t" * 64,
    "FOLIOT_PUBLIC_URL": "https://jobs.example.com",
    "FOLIOT_CERTIFICATES": "/etc/ssl/foliot",
}
_REQUIRED = re.compile(r"\$\{(\w+):\?[^}]*\}")


class Start(NamedTuple):
    """How a file starts a node: the arguments after `foliot`, and the variables that are set."""

    arguments: list[str]
    environ: dict[str, str]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, with lines that go on joined."""
    lines = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    kept = (line for line in lines if line and not line.startswith("#"))
    return [(name, text.strip()) for name, _, text in (line.partition(" ") for line in kept)]


def of_the_image(name: str) -> list[str]:
    """Return what the last stage says under the name of an instruction."""
    all_ = instructions()
    last = max(place for place, (found, _) in enumerate(all_) if found == "FROM")
    return [text for found, text in all_[last:] if found == name]


def image() -> Start:
    environ = dict(word.split("=", 1) for text in of_the_image("ENV") for word in shlex.split(text))
    program, *first = json.loads(of_the_image("ENTRYPOINT")[0])
    assert program == "foliot"
    return Start([*first, *json.loads(of_the_image("CMD")[0])], environ)


def compose() -> dict[str, Any]:
    text = (DEPLOY / "compose.yaml").read_text()
    return yaml.safe_load(_REQUIRED.sub(lambda found: GIVEN[found[1]], text))


def compose_nodes() -> dict[str, dict[str, Any]]:
    return {name: each for name, each in compose()["services"].items() if name.startswith("node-")}


def unit() -> dict[str, list[str]]:
    """Return the settings of the systemd unit; one may be given several times."""
    settings: dict[str, list[str]] = {}
    for line in (DEPLOY / "foliot.service").read_text().splitlines():
        name, is_setting, value = line.partition("=")
        if is_setting and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


def manifests() -> dict[str, dict[str, Any]]:
    """Return what is applied, by kind, and the example of a secret."""
    folder = DEPLOY / "kubernetes"
    names = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    found = [yaml.safe_load((folder / name).read_text()) for name in names]
    found.append(yaml.safe_load((folder / "secret.example.yaml").read_text()))
    return {each["kind"]: each for each in found}


def container() -> dict[str, Any]:
    (found,) = manifests()["Deployment"]["spec"]["template"]["spec"]["containers"]
    return found


def starts() -> Iterator[tuple[str, Start]]:
    """Return every way in which a file here starts a node."""
    own = image()
    yield "Dockerfile", own
    for name, node in compose_nodes().items():
        yield f"compose.yaml {name}", Start(node["command"], own.environ | node["environment"])
    given = unit()
    program, *arguments = shlex.split(given["ExecStart"][0])
    assert program == "/opt/foliot/bin/foliot"
    yield "foliot.service", Start(arguments, dict(_pair(text) for text in given["Environment"]))
    inside = container()
    environ = {each["name"]: each.get("value") or _secret(each) for each in inside["env"]}
    yield "kubernetes", Start(inside["args"], own.environ | environ)


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def _secret(variable: Mapping[str, Any]) -> str:
    names = {"PGPASSWORD": "POSTGRES_PASSWORD"}
    assert variable["valueFrom"]["secretKeyRef"]["key"] in manifests()["Secret"]["stringData"]
    return GIVEN[names.get(variable["name"], variable["name"])]
