import pytest

from foliot.core.rules.key_rotation import KeysHere, KeyState, next_step


def states(*keys: str) -> list[KeyState]:
    return [
        KeyState(f"n{number}", tuple(filter(None, each.split(","))))
        for number, each in enumerate(keys, start=1)
    ]


@pytest.mark.parametrize(
    ("keys", "sealed", "expected"),
    [
        pytest.param([], {}, "No node runs.", id="no node"),
        pytest.param(["old", ""], {}, "Wait: n2 does not tell its keys.", id="an older version"),
        pytest.param(["old", "old"], {"old": 3}, "Nothing. To change the key", id="one key"),
        pytest.param(
            ["old", "old,new"], {"old": 3}, "Round 1 or 3 of 3 is under way: n1 has", id="round 1"
        ),
        pytest.param(
            ["old,new", "old,new"], {"old": 3}, "Every node has old and new.", id="after round 1"
        ),
        pytest.param(
            ["old,new", "new,old"],
            {"new": 3},
            "Round 2 of 3 is under way: set the key new first on n1.",
            id="round 2",
        ),
        pytest.param(
            ["new,old", "new,old"],
            {"new": 2, "old": 1},
            "Restart one node: it encrypts with new what old has encrypted.",
            id="something is left",
        ),
        pytest.param(
            ["new,old", "new,old"], {"new": 3}, "Every node has new and old.", id="after round 2"
        ),
        pytest.param(
            ["new,old", "new"], {"new": 3}, "Round 1 or 3 of 3 is under way: n2 has", id="round 3"
        ),
        pytest.param(
            ["new,old", "new"], {"old": 3}, "Give n2 the key old too.", id="dropped too early"
        ),
        pytest.param(
            ["new"],
            {"old": 3},
            "No node has the key old, which has encrypted 3 values",
            id="a lost key",
        ),
    ],
)
def test_the_next_step_follows_from_the_keys_that_nodes_have(
    keys: list[str], sealed: dict[str, int], expected: str
) -> None:
    here = KeysHere(["old", "new", "lost"])

    assert next_step(states(*keys), sealed, here).startswith(expected)


@pytest.mark.parametrize(
    ("keys", "here", "expected"),
    [
        pytest.param(
            ["old"],
            KeysHere(["other"], are_in_file=True),
            "The keys given here do not open 3 values: give this command the key old too",
            id="the keys here open nothing",
        ),
        pytest.param(
            [],
            KeysHere(["other"]),
            "The keys given here do not open 3 values",
            id="the keys here open nothing and no node runs",
        ),
        pytest.param(
            ["old"],
            KeysHere(["old"], are_in_file=True),
            "Nothing. To change the key, stop the server and run `foliot key rotate`.",
            id="one server with its key in a file",
        ),
        pytest.param(
            ["old"],
            KeysHere(["old"]),
            "Nothing. To change the key, set old,new on every node",
            id="one server with its key in the environment",
        ),
        pytest.param(
            ["old", "old"],
            KeysHere(["old"], are_in_file=True),
            "Nothing. To change the key, set old,new on every node",
            id="two nodes",
        ),
    ],
)
def test_the_next_step_depends_on_the_keys_given_to_the_command(
    keys: list[str], here: KeysHere, expected: str
) -> None:
    assert next_step(states(*keys), {"old": 3}, here).startswith(expected)
