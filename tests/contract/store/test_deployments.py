from msgspec.structs import replace

from foliot.core.instant import Instant
from foliot.core.model.deployment import (
    DeployedResource,
    Deployment,
    DeploymentKey,
    DeploymentMode,
)
from foliot.ports.store import Transaction
from tests.support.builders import NOW, SUBSCRIPTION, a_deployment, a_deployment_key
from tests.support.store_harness import Open, written

FULL = Deployment(
    key=DeploymentKey("Sub", "Grüppe", "Main.1"),
    deployed_at=NOW,
    duration=12_345,
    correlation_id="an-id",
    template_hash="18446744073709551615",
    mode=DeploymentMode.COMPLETE,
    tags={"a": "ä"},
    parameters={"big": {"type": "Int", "value": 2**63 - 1}, "no": {"type": "SecureString"}},
    outputs={"deep": {"type": "Object", "value": {"a": [None, True, 1.5, "\0 \U000f0000"]}}},
    resources=(DeployedResource("c"), DeployedResource("c", "j")),
    deleted=("old",),
)


def names(to: Transaction, group: str = "Prod") -> list[str]:
    return [each.key.name for each in to.deployments(SUBSCRIPTION, group)]


def save(store: Open, *deployments: Deployment, kept: int = 800) -> list[bool]:
    return [
        written(store, lambda to, each=each: to.save_deployment(each, kept=kept))
        for each in deployments
    ]


def test_a_deployment_comes_back_as_it_was_by_a_key_in_any_letter_case(store: Open) -> None:
    assert save(store, FULL, a_deployment("Sparse")) == [True, True]

    key = DeploymentKey("sUB", "grÜPPE", "mAIN.1")
    assert written(store, lambda to: to.deployment(key)) == FULL
    sparse = written(store, lambda to: to.deployment(a_deployment_key("SPARSE")))
    assert sparse == a_deployment("Sparse")


def test_there_is_no_deployment_of_another_key(store: Open) -> None:
    save(store, a_deployment("main"))

    others = [
        a_deployment_key("other"),
        a_deployment_key("main", group="Test"),
        DeploymentKey("other", "Prod", "main"),
    ]
    assert [written(store, lambda to, key=key: to.deployment(key)) for key in others] == [None] * 3


def test_a_deployment_replaces_the_one_before_it(store: Open) -> None:
    later = a_deployment("MAIN", deployed_at=Instant(NOW + 1), outputs={"new": {"value": 1}})

    assert save(store, a_deployment("main"), later) == [True, False]

    assert written(store, lambda to: to.deployment(a_deployment_key("main"))) == later
    assert written(store, names) == ["MAIN"]


def test_deployments_are_listed_by_name_in_pages(store: Open) -> None:
    save(store, *(a_deployment(name) for name in ("d", "B", "a", "C")))
    save(store, a_deployment("elsewhere", group="Test"))

    def page(to: Transaction) -> list[str]:
        found = to.deployments(SUBSCRIPTION, "prod", after="A", skip=1, limit=2)
        return [each.key.name for each in found]

    assert written(store, names) == ["a", "B", "C", "d"]
    assert written(store, page) == ["C", "d"]


def test_the_oldest_deployments_of_the_group_make_room(store: Open) -> None:
    ages = {"oldest": 1, "newest": 4, "older": 2, "newer": 3}
    deployments = [a_deployment(name, deployed_at=Instant(NOW + age)) for name, age in ages.items()]
    save(store, a_deployment("elsewhere", group="Test", deployed_at=NOW))

    save(store, *deployments, kept=3)
    assert written(store, names) == ["newer", "newest", "older"]

    save(store, replace(deployments[0], deployed_at=Instant(NOW - 9)), kept=3)
    assert written(store, names) == ["newer", "newest", "oldest"]
    assert written(store, lambda to: names(to, "Test")) == ["elsewhere"]


def test_a_deployment_is_deleted_once(store: Open) -> None:
    save(store, a_deployment("main"), a_deployment("other"))

    def delete(to: Transaction) -> bool:
        return to.delete_deployment(a_deployment_key("MAIN"))

    assert [written(store, delete), written(store, delete)] == [True, False]
    assert written(store, names) == ["other"]


def test_all_deployments_of_a_group_are_deleted_together(store: Open) -> None:
    save(store, a_deployment("a"), a_deployment("b"), a_deployment("c", group="Test"))

    written(store, lambda to: to.delete_deployments(SUBSCRIPTION.upper(), "PROD"))

    assert written(store, names) == []
    assert written(store, lambda to: names(to, "Test")) == ["c"]
