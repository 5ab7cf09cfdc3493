"""A server warns at its start of a certificate that clients will refuse."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from foliot.core.instant import Wall, reading_of
from foliot.ports import clock
from foliot.serve.banner import banner
from foliot.serve.first_token import SignIn
from foliot.serve.lifecycle_log import log_tls
from foliot.serve.server_tls import server_tls
from foliot.serve.settings import Settings, TlsFiles
from foliot.web.server.tls import CertificateFiles, certify


def made_in(year: int, directory: Path) -> CertificateFiles:
    return certify(directory, ["localhost"], datetime(year, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("year", "said"),
    [
        pytest.param(2019, "server.pem expired on 20", id="expired"),
        pytest.param(9000, "server.pem is not valid before 8999-12-3", id="not yet valid"),
    ],
)
def test_a_certificate_that_is_not_valid_is_told_in_banner_and_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, year: int, said: str
) -> None:
    files = made_in(year, tmp_path)
    settings = Settings(tls=TlsFiles(files.certificate, files.key))

    tls = server_tls(settings)
    log_tls(tls)

    assert said in banner(settings, 8080, SignIn(), tls)
    (record,) = caplog.records
    assert (record.levelname, said in record.getMessage()) == ("WARNING", True)


def test_nothing_is_said_of_a_certificate_that_is_valid(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = certify(tmp_path, ["localhost"], reading_of(Wall(clock.now())).replace(tzinfo=UTC))

    tls = server_tls(Settings(tls=TlsFiles(files.certificate, files.key)))
    log_tls(tls)

    assert tls.warning is None
    assert caplog.records == []
