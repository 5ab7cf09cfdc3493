from ipaddress import ip_address

import pytest

from foliot.core.errors import Invalid
from foliot.dispatch.egress.addresses import is_public, is_this_machines, literal_address
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules

PRIVATE_ADDRESSES = [
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0"),  # noqa: S104
    *("169.254.1.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1"),
    *("::", "::1", "fc00::1", "fd00::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1"),
    *("2002:0a00:0001::", "2001:0:0a00:1::", "4000::1"),
    *("2606:4700::5efe:10.0.0.1", "fd00::5efe:8.8.8.8", "64:ff9b:1:a00:0:100::"),
]
PUBLIC_ADDRESSES = [
    *("8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"),
    *("2002:0808:0808::", "64:ff9b:1::8.8.8.8", "2606:4700::5efe:8.8.8.8"),
]


def refusal(rules: EgressRules, address: str, *, host: str = "h.example", port: int = 80) -> str:
    return rules.refusal(host, port, ip_address(address)) or ""


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "8.8.8.8", "::1", "fd00::1"])
def test_by_default_neighbours_and_the_internet_may_be_called(address: str) -> None:
    assert refusal(EgressRules(), address) == ""


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("169.254.169.254", "link-local"),
        ("169.254.0.1", "link-local"),
        ("fe80::1", "link-local"),
        ("::ffff:169.254.169.254", "link-local"),
        ("64:ff9b::169.254.169.254", "link-local"),
        ("64:ff9b:1::a9fe:a9fe", "link-local"),
        ("2002:a9fe:a9fe::1", "link-local"),
        ("2001:0:1:2:3:4:5601:5601", "link-local"),
        ("::169.254.169.254", "link-local"),
        ("::ffff:0:169.254.169.254", "link-local"),
        ("64:ff9b:a9fe:a9fe::", "link-local"),
        ("64:ff9b:a9:fea9:fe::", "link-local"),
        ("64:ff9b:1:a9fe:a9:fe00::", "link-local"),
        ("64:ff9b:1:a9:fe:a9fe::", "link-local"),
        ("64:ff9b:1:0:a9:fea9:fe00::", "link-local"),
        ("64:ff9b:1::1:a9fe:a9fe", "link-local"),
        ("2001:db8::5efe:169.254.169.254", "link-local"),
        ("2001:db8::200:5efe:169.254.169.254", "link-local"),
        ("fe80::a9fe:a9fe", "link-local"),
        ("169.254.170.2", "link-local"),
        ("fd00:ec2::23", "the metadata service of a cloud"),
        ("fd00:c1::a9fe:a9fe", "the metadata service of a cloud"),
        ("fd00:42::42", "the metadata service of a cloud"),
        ("fd00:ec2::254", "the metadata service of a cloud"),
        ("fd20:ce::254", "the metadata service of a cloud"),
        ("100.100.100.200", "the metadata service of a cloud"),
        ("168.63.129.16", "the metadata service of a cloud"),
        ("::ffff:100.100.100.200", "the metadata service of a cloud"),
    ],
)
def test_by_default_link_local_and_metadata_addresses_are_denied(address: str, what: str) -> None:
    shown = ip_address(address)

    assert refusal(EgressRules(), address) == (
        f"the address {shown}, port 80, is {what}, which is denied unless FOLIOT_EGRESS_ALLOW "
        "names it"
    )


@pytest.mark.parametrize(
    "host", ["metadata.google.internal", "metadata", "metadata.google.internal.", "instance-data"]
)
def test_by_default_metadata_names_are_denied_before_they_are_resolved(host: str) -> None:
    refused = EgressRules().refusal_of_name(host, 80)

    assert refused == (
        f"{host}, port 80, is the metadata service of a cloud, which is denied unless "
        "FOLIOT_EGRESS_ALLOW names it"
    )


@pytest.mark.parametrize(
    ("listens_on", "called", "port", "is_denied"),
    [
        ("127.0.0.1", "127.0.0.1", 8080, True),
        ("127.0.0.1", "::ffff:127.0.0.1", 8080, True),
        ("127.0.0.1", "0.0.0.0", 8080, True),  # noqa: S104
        ("127.0.0.1", "127.0.0.1", 8081, False),
        ("127.0.0.1", "127.0.0.2", 8080, False),
        ("0.0.0.0", "127.0.0.1", 8080, True),  # noqa: S104
        ("0.0.0.0", "127.0.0.99", 8080, True),  # noqa: S104
        ("0.0.0.0", "203.0.113.7", 8080, False),  # noqa: S104
        ("::", "::1", 8080, True),
        ("::", "::ffff:127.0.0.1", 8080, True),
        ("::", "2001:db8::1", 8080, False),
    ],
)
def test_by_default_foliots_own_listener_is_denied(
    listens_on: str, called: str, port: int, *, is_denied: bool
) -> None:
    rules = parse_egress(None, None, None, [(listens_on, 8080)])

    assert ("where Foliot itself listens" in refusal(rules, called, port=port)) is is_denied


def test_a_listener_that_is_no_address_denies_nothing() -> None:
    assert parse_egress(None, None, None, [("/run/foliot.sock", 0)]).own == ()


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES)
def test_public_only_refuses_what_is_not_on_the_internet(address: str) -> None:
    rules = parse_egress(None, None, "public-only")

    assert not is_public(ip_address(address))
    assert refusal(rules, address).endswith("is not public, and FOLIOT_EGRESS=public-only")


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_public_only_lets_the_internet_pass(address: str) -> None:
    assert refusal(parse_egress(None, None, "Public-Only"), address) == ""


def test_public_only_still_denies_what_is_denied_by_default() -> None:
    rules = parse_egress(None, None, "public-only")

    assert "the metadata service" in refusal(rules, "168.63.129.16")


@pytest.mark.parametrize(
    ("allow", "host", "passes"),
    [
        ("10.0.0.0/8", "h.example", True),
        ("10.0.0.1", "h.example", True),
        ("10.0.0.0/8:443", "h.example", False),
        ("h.example", "h.example", True),
        ("h.example", "x.h.example", False),
        ("*.example", "h.example", True),
        ("*.example", "example", False),
        ("*.example", "hexample", False),
        ("H.Example.", "h.example.", True),
        (":80", "h.example", True),
        (":1-79", "h.example", False),
        ("*", "h.example", True),
        ("*:443", "h.example", False),
    ],
)
@pytest.mark.parametrize("mode", ["public-only", "listed-only"])
def test_entries_of_the_allow_list_let_pass_what_the_mode_refuses(
    mode: str, allow: str, host: str, *, passes: bool
) -> None:
    rules = parse_egress(allow, None, mode)

    assert (refusal(rules, "10.0.0.1", host=host) == "") is passes


def test_listed_only_refuses_also_the_internet() -> None:
    rules = parse_egress("api.example", None, "listed-only")

    assert refusal(rules, "8.8.8.8").endswith(
        "is not in FOLIOT_EGRESS_ALLOW, and FOLIOT_EGRESS=listed-only"
    )
    assert refusal(rules, "8.8.8.8", host="api.example") == ""


@pytest.mark.parametrize(
    ("allow", "passes"),
    [
        ("169.254.169.254", True),
        ("169.254.0.0/16:80", True),
        ("169.254.0.0/16:81", False),
        ("h.example", True),
        ("*.example", False),
        ("*", False),
        (":80", False),
    ],
)
def test_only_an_entry_that_names_it_lifts_a_denial_of_the_defaults(
    allow: str, *, passes: bool
) -> None:
    assert (refusal(parse_egress(allow, None, None), "169.254.169.254") == "") is passes


@pytest.mark.parametrize(
    "deny",
    [
        *("10.0.0.0/8", "10.0.0.1:80", "h.example", "*.example", ":80", ":1-100", "*"),
        *("x.example, 10.0.0.0/8", "x.example 10.0.0.0/8"),
    ],
)
def test_the_deny_list_wins_over_the_allow_list(deny: str) -> None:
    rules = parse_egress("10.0.0.1 h.example", deny, "public-only")

    assert "is denied by '" in refusal(rules, "10.0.0.1")


@pytest.mark.parametrize("deny", ["10.0.0.0/8:443", "other.example", "*.h.example", ":443", "::/0"])
def test_what_the_deny_list_does_not_mean_passes(deny: str) -> None:
    assert refusal(parse_egress(None, deny, None), "10.0.0.1") == ""


def test_a_denied_ipv4_network_is_denied_inside_ipv6_too() -> None:
    rules = parse_egress(None, "10.0.0.0/8", None)

    for address in ("::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "2002:0a01:0203::"):
        assert "is denied by '10.0.0.0/8' in FOLIOT_EGRESS_DENY" in refusal(rules, address)


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0xa9fea9fe", "169.254.169.254"),
        ("::1", "::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("example.com", None),
        ("1.2.3.4.5", None),
        ("b\xfccher", None),
    ],
)
def test_addresses_are_known_in_all_spellings(spelling: str, address: str | None) -> None:
    found = literal_address(spelling)

    assert (found and str(found)) == address


def test_a_spelling_is_seen_through_before_anything_is_resolved() -> None:
    rules = parse_egress(None, "127.0.0.0/8", None)

    assert rules.refusal_of_name("0x7f000001", 80)
    assert rules.refusal_of_name("h.example", 80) is None


def test_without_an_address_only_names_are_judged() -> None:
    assert parse_egress(None, "10.0.0.0/8", "public-only").refusal("h.example", 80, None) is None
    assert parse_egress(None, None, "public-only").refusal("10.0.0.1", 80, None)
    assert parse_egress("h.example", None, "listed-only").refusal("x.example", 80, None)


def test_this_machine_is_known_by_its_addresses() -> None:
    assert is_this_machines(ip_address("127.0.0.1"))
    assert is_this_machines(ip_address("::"))
    assert not is_this_machines(ip_address("192.0.2.1"))
    assert not is_this_machines(ip_address("2001:db8::1"))


@pytest.mark.parametrize("text", ["", None, " , "])
def test_an_empty_list_is_no_list(text: str | None) -> None:
    assert parse_egress(text, text, None) == EgressRules()


FORMS = (
    "an address or network (10.0.0.0/8, [fd00::/8]:443), a host (api.example.com, *.example.com), "
    "or a port (:25, :8000-8100)"
)


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("25", "; a port is written :25"),
        ("10.0.0.1/8", "; the network is written 10.0.0.0/8"),
        ("10.0.0", ""),
        ("10.0.0.0/33", ""),
        ("h.example:0", "; ports are numbers from 1 to 65535"),
        ("h.example:99999", "; ports are numbers from 1 to 65535"),
        (":80-", "; ports are numbers from 1 to 65535"),
        (":90-80", "; the first port of a range is the lower one"),
        ("a*.example", ""),
        ("http://h.example", ""),
        ("h.example/path", ""),
        ("[fd00::/8", ""),
        ("[]", ""),
        ("-x", ""),
    ],
)
@pytest.mark.parametrize("variable", ["FOLIOT_EGRESS_ALLOW", "FOLIOT_EGRESS_DENY"])
def test_an_entry_that_cannot_be_read_is_refused_with_what_would_be_right(
    variable: str, entry: str, hint: str
) -> None:
    text = f"127.0.0.1, {entry}"
    lists = (text, None) if variable.endswith("ALLOW") else (None, text)

    with pytest.raises(Invalid) as refused:
        parse_egress(*lists, None)

    assert str(refused.value) == f'{variable}: "{entry}" is not valid; give {FORMS}{hint}.'


def test_a_mode_that_is_not_known_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        parse_egress(None, None, "closed")

    assert str(refused.value) == (
        'FOLIOT_EGRESS: "closed" is not valid; give one of open, public-only, listed-only.'
    )


@pytest.mark.parametrize(
    ("entry", "address", "port"),
    [
        ("fd00::/8", "fd00::1", 80),
        ("[fd00::/8]", "fd00::1", 80),
        ("[fd00::/8]:443", "fd00::1", 443),
        ("::1", "::1", 80),
        ("[::1]:8000-8100", "::1", 8100),
    ],
)
def test_ipv6_is_written_with_or_without_brackets(entry: str, address: str, port: int) -> None:
    rules = parse_egress(None, entry, None)

    assert f"is denied by '{entry}'" in refusal(rules, address, port=port)


def test_an_allowed_network_must_hold_all_that_an_address_may_lead_to() -> None:
    rules = parse_egress("10.0.0.0/8", None, None)

    assert refusal(rules, "::ffff:10.1.2.3") == ""
    # A translator may read 10.0.0.0 in it, or else 169.254.169.254.
    assert "link-local" in refusal(rules, "64:ff9b:1:a00::a9fe:a9fe")
