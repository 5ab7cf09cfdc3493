"""Opens a PFX file in a process of its own with a limit on its CPU time.

The cost of a file cannot be known before it is open: an encrypted part may hold another one. Only
that process imports the parts of cryptography that read certificates, which take 3 MB.
"""

import json
import os
import resource
import subprocess
import sys
from typing import NamedTuple

from foliot.api.wire.pfx.cost import MAX_CERTIFICATES, MAX_RSA_BITS, Unfit, check_cost
from foliot.core.errors import Unavailable
from foliot.core.instant import Instant, instant_of

_CPU_SECONDS = 3
_TIMEOUT_SECONDS = 60
_TOO_LONG = "takes too long to open; export it again with fewer rounds and a smaller key."


class CertificateFacts(NamedTuple):
    """What a PFX file says about its certificate."""

    thumbprint: str
    expires_at: Instant
    subject: str


def open_in_subprocess(file: bytes, password: str | None) -> CertificateFacts:
    """Open a file in another process, or raise Unfit if it cannot be used."""
    check_cost(file)
    given = json.dumps([file.hex(), password]).encode()
    # The process needs none of our secrets.
    environment = {name: each for name, each in os.environ.items() if "FOLIOT" not in name}
    try:
        done = subprocess.run(  # noqa: S603  (our own)
            [sys.executable, "-I", "-m", __name__],
            input=given,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise Unfit(_TOO_LONG) from None
    except OSError:
        raise Unavailable("No process can be started to open a certificate; try later.") from None
    if done.returncode < 0:
        raise Unfit(_TOO_LONG)
    if done.returncode > 0:
        raise Unavailable("The process that opens certificates failed; try later.")
    found = json.loads(done.stdout)
    if isinstance(found, str):
        raise Unfit(found)
    return CertificateFacts(*found)


def open_in_this_process(file: bytes, password: str | None) -> CertificateFacts:
    """Open a file, whatever it costs, or raise Unfit."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA1  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12  # noqa: PLC0415

    from foliot.api.wire.pfx.subject_name import subject_text  # noqa: PLC0415

    try:
        opened = load_pkcs12(file, None if password is None else password.encode())
    except BaseException:  # noqa: BLE001  (a NUL in a password makes the library panic)
        raise Unfit(
            "cannot be opened: the file is broken or the password is wrong; give both again."
        ) from None
    if opened.cert is None or opened.key is None:
        raise Unfit("holds no certificate with its private key; give a PFX that does.")
    if isinstance(opened.key, RSAPrivateKey) and opened.key.key_size > MAX_RSA_BITS:
        raise Unfit(f"holds a key of more than {MAX_RSA_BITS} bits; give a smaller one.")
    if len(opened.additional_certs) >= MAX_CERTIFICATES:
        held = len(opened.additional_certs) + 1
        raise Unfit(f"holds {held} certificates; give at most {MAX_CERTIFICATES}.")
    certificate = opened.cert.certificate
    return CertificateFacts(
        certificate.fingerprint(SHA1()).hex().upper(),  # noqa: S303  (the contract's)
        instant_of(certificate.not_valid_after_utc),
        subject_text(certificate.subject),
    )


def main() -> None:
    """Open the file on standard input; write the facts about its certificate, or the problem."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    file, password = json.load(sys.stdin)
    try:
        found = open_in_this_process(bytes.fromhex(file), password)
    except Unfit as problem:
        found = str(problem)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
