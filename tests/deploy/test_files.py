"""What the files in `deploy/` say, against the real command line, settings and server."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from foliot.cli import app
from foliot.core.errors import FoliotError, Invalid
from foliot.serve.settings import PostgresAddress, Settings, read_settings
from foliot.store.sealing.keyring import load_keyring
from tests.deploy import files
from tests.deploy.files import DEPLOY, ROOT, Start
from tests.support.server import foliot, running

STARTS = [pytest.param(start, id=name) for name, start in files.starts()]
# How long a server may take that has given its attempts their grace: to put back and to say so.
MARGIN = 15


class Environment(dict[str, str]):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, name: str, default: object = None) -> object:
        self.asked.add(name)
        return super().get(name, default)


def known_variables() -> set[str]:
    environ = Environment()
    read_settings({}, environ)
    return environ.asked


def settings_of(start: Start) -> Settings:
    """Return what the command line and the variables mean, read by the command's own parser."""
    group = typer.main.get_command(app)
    name, command, rest = group.resolve_command(group.make_context("foliot", []), start.arguments)
    assert name == "serve"
    assert command is not None
    return read_settings(command.make_context("serve", rest).params, start.environ)


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


@pytest.mark.parametrize("start", STARTS)
def test_a_start_is_one_that_the_server_accepts(start: Start) -> None:
    settings = settings_of(start)

    assert {each for each in start.environ if each.startswith("FOLIOT_")} <= known_variables()
    assert settings.data_dir == Path("/var/lib/foliot")
    assert not settings.no_auth


def test_every_variable_that_a_file_names_is_one_of_the_server() -> None:
    ours = {"FOLIOT_CERTIFICATES"}
    for path in filter(Path.is_file, DEPLOY.rglob("*")):
        named = set(re.findall(r"FOLIOT_[A-Z_]*[A-Z]", path.read_text()))
        assert named <= known_variables() | ours, path


def test_the_image_is_made_of_files_that_are_there_and_let_into_the_context() -> None:
    let_in = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines()
    } - {"*"}
    sources = [
        source
        for name, text in files.instructions()
        if name == "COPY" and not text.startswith("--from")
        for source in text.split()[:-1]
    ]

    assert set(sources) == {each for each in let_in if not each.startswith(("#", "**"))}
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_has_a_user_of_its_own_and_a_base_with_a_version() -> None:
    bases = [text.split()[0] for name, text in files.instructions() if name == "FROM"]
    made = re.search(r"useradd --uid (\d+) --user-group", " ".join(files.of_the_image("RUN")))

    assert made
    assert files.of_the_image("USER") == [f"{made[1]}:{made[1]}"]
    assert int(made[1]) > 1000
    assert len(set(bases)) == 1
    assert all(re.search(r":\d", base) and "/" not in base for base in bases)
    assert files.of_the_image("VOLUME") == [files.image().environ["FOLIOT_DATA_DIR"]]
    assert files.of_the_image("EXPOSE") == [str(settings_of(files.image()).port)]
    assert not [name for name, _ in files.instructions() if name == "ADD"]


@pytest.mark.parametrize(
    ("tls", "host"),
    [("none", "127.0.0.1"), ("auto", "0.0.0.0"), ("auto", "::")],  # noqa: S104
)
def test_the_probe_of_the_image_tells_a_server_that_answers_from_one_that_does_not(
    tmp_path: Path, tls: str, host: str
) -> None:
    (text,) = files.of_the_image("HEALTHCHECK")
    program, *arguments = json.loads(text.partition(" CMD ")[2])
    assert program == "foliot"
    assert "FOLIOT_DATA_DIR" in files.image().environ

    def probe() -> int:
        return foliot(*arguments, DATA_DIR=str(tmp_path)).returncode

    before = probe()
    with running(tmp_path, HOST=host, TLS=tls, ADMIN_TOKEN="t" * 32) as server:
        answering = probe()
        server.stop(signal.SIGKILL)
        killed = probe()

    assert (before, answering, killed) == (1, 0, 1)


def test_the_probes_of_kubernetes_lead_to_the_server(tmp_path: Path) -> None:
    container = files.container()
    (port,) = container["ports"]
    probes = {name: container[f"{name}Probe"] for name in ("liveness", "readiness", "startup")}
    (of_service,) = files.manifests()["Service"]["spec"]["ports"]

    with running(tmp_path) as server:
        answers = {
            name: server.call("GET", probe["httpGet"]["path"]).status
            for name, probe in probes.items()
        }

    assert set(answers.values()) == {200}
    assert probes["readiness"]["httpGet"]["path"] == "/readyz"
    assert probes["liveness"]["httpGet"]["path"] == "/healthz"
    assert {probe["httpGet"]["port"] for probe in probes.values()} == {port["name"]}
    assert of_service["targetPort"] == port["name"]
    assert port["containerPort"] == settings_of(dict(files.starts())["kubernetes"]).port


def test_whoever_stops_a_node_waits_longer_than_its_grace() -> None:
    kinds = dict(files.starts())
    pod = files.manifests()["Deployment"]["spec"]["template"]["spec"]
    word, pause = files.container()["lifecycle"]["preStop"]["exec"]["command"]
    assert word == "sleep"
    waits = {
        "foliot.service": int(files.unit()["TimeoutStopSec"][0]),
        "kubernetes": pod["terminationGracePeriodSeconds"] - int(pause),
    } | {
        f"compose.yaml {name}": seconds(node["stop_grace_period"])
        for name, node in files.compose_nodes().items()
    }

    for name, wait in waits.items():
        assert wait >= settings_of(kinds[name]).grace_seconds + MARGIN, name
    assert files.unit()["KillSignal"] == files.of_the_image("STOPSIGNAL") == ["SIGTERM"]


def test_nodes_of_compose_share_a_database_and_not_a_directory() -> None:
    nodes = files.compose_nodes()
    whole = files.compose()
    volumes = [each.split(":")[0] for node in nodes.values() for each in node["volumes"]]
    networks = [each["networks"]["inside"]["ipv4_address"] for each in whole["services"].values()]
    balancer = whole["services"]["balancer"]["networks"]["inside"]["ipv4_address"]

    assert len(nodes) == 3
    assert sorted(volumes) == sorted(set(volumes))
    assert set(volumes) < set(whole["volumes"])
    assert len(networks) == len(set(networks))
    for name in nodes:
        settings = settings_of(dict(files.starts())[f"compose.yaml {name}"])
        assert isinstance(settings.database, PostgresAddress)
        assert settings.database.shown == "postgresql://database/foliot"
        assert [str(each) for each in settings.trusted_proxies] == [f"{balancer}/32"]
        assert nodes[name]["read_only"]


def test_compose_has_no_secret_and_no_version_that_moves() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    images = [each["image"] for each in files.compose()["services"].values()]

    for name in files.GIVEN:
        assert f"${{{name}:?" in text
        assert f"${{{name}:-" not in text
    assert all(re.fullmatch(r"[a-z]+:\d[\d.]*", image) for image in images)
    assert files.container()["image"] in images


def test_compose_mounts_files_that_are_there_where_nginx_looks_for_them() -> None:
    nodes = files.compose_nodes()
    config = (DEPLOY / "nginx.conf").read_text()
    own, certificates = files.compose()["services"]["balancer"]["volumes"]
    upstreams = re.findall(r"^ *server (\S+):(\d+) ", config, re.MULTILINE)

    assert (DEPLOY / own.split(":")[0]).is_file()
    assert f"ssl_certificate {certificates.split(':')[1]}/" in config
    assert {name for name, _ in upstreams} == set(nodes)
    assert {int(port) for _, port in upstreams} == {settings_of(files.image()).port}
    (published,) = files.compose()["services"]["balancer"]["ports"]
    assert f"listen {published.split(':')[1]} ssl;" in config


def test_pods_have_as_few_rights_as_can_be() -> None:
    pod = files.manifests()["Deployment"]["spec"]["template"]["spec"]
    inside = files.container()
    user = files.of_the_image("USER")[0].split(":")[0]

    assert pod["securityContext"]["runAsNonRoot"]
    assert str(pod["securityContext"]["runAsUser"]) == user
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not pod["automountServiceAccountToken"]
    # Or the service `foliot` would set FOLIOT_PORT to an address, which the server refuses.
    assert not pod["enableServiceLinks"]
    assert inside["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    mounted = {each["mountPath"] for each in inside["volumeMounts"]}
    assert mounted == {files.image().environ["FOLIOT_DATA_DIR"], "/tmp"}  # noqa: S108
    assert {each["name"] for each in inside["volumeMounts"]} == {
        each["name"] for each in pod["volumes"]
    }


def test_service_deployment_and_budget_mean_the_same_pods() -> None:
    found = files.manifests()
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]

    assert found["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert found["Service"]["spec"]["selector"] == labels
    assert found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert found["Deployment"]["spec"]["replicas"] == 3
    assert found["Deployment"]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_a_placeholder_of_the_secret_is_refused_by_the_server(tmp_path: Path) -> None:
    values = files.manifests()["Secret"]["stringData"]

    with pytest.raises(Invalid, match="FOLIOT_ADMIN_TOKEN"):
        read_settings({}, {"FOLIOT_ADMIN_TOKEN": values["admin-token"]})
    with pytest.raises(FoliotError, match="is not base64"):
        load_keyring(tmp_path, from_environment=values["secret-keys"], database_exists=False)


def test_the_unit_keeps_to_its_directory() -> None:
    unit = files.unit()

    for name in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert unit[name] == ["yes"]
    assert unit["ProtectSystem"] == ["strict"]
    assert unit["User"] == ["foliot"]
    (state,) = unit["StateDirectory"]
    assert f"FOLIOT_DATA_DIR=/var/lib/{state}" in unit["Environment"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["verify"], id="it is valid"),
        # In tenths, from 0, which is sealed, to 100, which is a root shell.
        pytest.param(["security", "--offline=true", "--threshold=20"], id="it is hardened"),
    ],
)
def test_systemd_finds_nothing_wrong_with_the_unit(words: list[str], tmp_path: Path) -> None:
    unit = tmp_path / "foliot.service"
    text = (DEPLOY / "foliot.service").read_text()
    unit.write_text(text.replace("/opt/foliot/bin/foliot", str(Path(sys.executable))))

    done = subprocess.run(  # noqa: S603  (systemd's own, on a file of ours)
        ["systemd-analyze", *words, str(unit)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_leaves_no_core_file() -> None:
    assert "\nLimitCORE=0\n" in (files.DEPLOY / "foliot.service").read_text()


def test_no_file_believes_a_whole_network_of_pods() -> None:
    for path in files.DEPLOY.rglob("*.yaml"):
        assert "/8" not in path.read_text(), path
