"""What `Store` itself promises: durability, isolation, and the right answer to the right caller."""

import asyncio
from threading import Thread

import pytest

from foliot.core.errors import Conflict, Unavailable
from foliot.core.model.collection import Collection
from foliot.ports.store import Reading, Store, Transaction
from tests.support.builders import SUBSCRIPTION, a_collection, a_job
from tests.support.store_harness import Gate, Open, run, with_jobs, written


def names(view: Reading) -> list[str]:
    return [each.key.name for each in view.collections(SUBSCRIPTION, limit=1000)]


def add(name: str) -> object:
    return lambda to: to.add_collection(a_collection(name))


def test_what_was_written_is_read_afterwards(store: Open) -> None:
    async def steps(it: Store) -> list[bool]:
        seen: list[bool] = []
        for number in range(50):
            added = await it.write(add(f"c{number}"))
            seen.append(await it.read(lambda view, key=added.key: view.collection(key)) == added)
        return seen

    assert all(run(store, steps))


def test_a_lookup_does_not_wait_for_whoever_goes_through_many_rows(store: Open) -> None:
    async def steps(it: Store) -> tuple[object, object]:
        gate = Gate()
        added = await it.write(add("c"))

        def browse(view: Reading) -> list[str]:
            gate(view)
            return names(view)

        browsing = asyncio.create_task(it.browse(browse))
        await gate.reached()
        found = await it.read(lambda view: view.collection(added.key))
        gate.open()
        return found == added, await browsing

    assert run(store, steps) == (True, ["c"])


def test_a_change_sees_what_it_has_changed_itself(store: Open) -> None:
    def change(to: Transaction) -> tuple[int, int]:
        collection, jobs = with_jobs(to, "a", "b")
        to.delete_job(jobs[0].id)
        return len(to.jobs(collection.id)), to.count_jobs(collection.id)

    assert written(store, change) == (1, 1)


def test_what_was_written_is_there_when_the_store_is_opened_again(store: Open) -> None:
    written(store, add("a"))

    assert run(store, lambda it: it.read(names)) == ["a"]


def test_two_hundred_changes_at_once_are_all_kept(store: Open) -> None:
    async def steps(it: Store) -> tuple[list[Collection], list[str]]:
        added = await asyncio.gather(*(it.write(add(f"c{n:03}")) for n in range(200)))
        return added, await it.read(names)

    added, listed = run(store, steps)

    assert [each.key.name for each in added] == [f"c{n:03}" for n in range(200)]
    assert listed == [f"c{n:03}" for n in range(200)]
    assert len({each.id for each in added}) == 200


def test_changes_happen_one_after_the_other(store: Open) -> None:
    collection, _ = written(store, with_jobs)

    def count_up(to: Transaction) -> None:
        to.add_job(a_job(collection.id, f"j{to.count_jobs(collection.id)}"))

    async def steps(it: Store) -> int:
        await asyncio.gather(*(it.write(count_up) for _ in range(100)))
        return await it.read(lambda view: view.count_jobs(collection.id))

    assert run(store, steps) == 100


def test_a_change_that_raises_is_undone_and_the_others_of_its_batch_are_kept(store: Open) -> None:
    def add_and_raise(to: Transaction) -> None:
        to.add_collection(a_collection("undone"))
        raise LookupError("my own")

    async def steps(it: Store) -> tuple[list[object], list[str]]:
        gate = Gate()
        held = asyncio.create_task(it.write(gate))
        await gate.reached()
        waiting = [
            asyncio.create_task(it.write(change)) for change in (add("a"), add_and_raise, add("b"))
        ]
        await asyncio.sleep(0)
        gate.open()
        return await asyncio.gather(held, *waiting, return_exceptions=True), await it.read(names)

    (first, before, raised, after), listed = run(store, steps)

    assert first == "passed"
    assert isinstance(before, Collection)
    assert isinstance(after, Collection)
    assert isinstance(raised, LookupError)
    assert str(raised) == "my own"
    assert listed == ["a", "b"]


def test_each_error_reaches_its_own_caller(store: Open) -> None:
    def refuse(number: int) -> object:
        def change(_: Transaction) -> None:
            raise Conflict(str(number))

        return change

    async def steps(it: Store) -> list[object]:
        calls = [it.write(refuse(n)) if n % 2 else it.read(refuse(n)) for n in range(40)]
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [str(each) for each in run(store, steps)] == [str(n) for n in range(40)]


@pytest.mark.parametrize("error", [StopIteration, SystemExit, asyncio.CancelledError])
def test_a_store_survives_whatever_a_change_or_a_view_raises(
    store: Open, error: type[BaseException]
) -> None:
    def strange(_: Reading) -> None:
        raise error

    async def caught(call: object) -> bool:
        try:
            await call
        except BaseException:  # noqa: BLE001  (which one differs: a future takes no StopIteration)
            return True
        return False

    async def steps(it: Store) -> tuple[bool, bool, list[str]]:
        outcome = await caught(it.write(strange)), await caught(it.read(strange))
        await it.write(add("a"))
        return *outcome, await it.read(names)

    assert run(store, steps) == (True, True, ["a"])


def test_a_view_does_not_see_what_is_written_while_it_looks(store: Open) -> None:
    async def steps(it: Store) -> tuple[list[str], list[str]]:
        gate = Gate()

        def look_twice(view: Reading) -> tuple[list[str], list[str]]:
            first = names(view)
            gate(view)
            return first, names(view)

        look = asyncio.create_task(it.read(look_twice))
        await gate.reached()
        await it.write(add("meanwhile"))
        gate.open()
        return await look

    assert run(store, steps) == ([], [])


def test_a_view_does_not_wait_for_the_writer_nor_see_what_is_not_committed(store: Open) -> None:
    async def steps(it: Store) -> tuple[list[str], list[str]]:
        gate = Gate()

        def add_and_wait(to: Transaction) -> None:
            to.add_collection(a_collection("a"))
            gate(to)

        change = asyncio.create_task(it.write(add_and_wait))
        await gate.reached()
        before = await it.read(names)
        gate.open()
        await change
        return before, await it.read(names)

    assert run(store, steps) == ([], ["a"])


def test_a_change_that_is_cancelled_while_it_waits_is_not_begun(store: Open) -> None:
    async def steps(it: Store) -> tuple[list[bool], list[str]]:
        gate = Gate()
        held = asyncio.create_task(it.write(gate))
        await gate.reached()
        waiting = [asyncio.create_task(it.write(add(name))) for name in ("a", "cancelled", "b")]
        await asyncio.sleep(0)
        waiting[1].cancel()
        await asyncio.wait([waiting[1]])
        gate.open()
        await held
        await asyncio.wait(waiting)
        return [task.cancelled() for task in waiting], await it.read(names)

    assert run(store, steps) == ([False, True, False], ["a", "b"])


def test_a_change_that_is_cancelled_alone_leaves_the_writer_at_work(store: Open) -> None:
    async def steps(it: Store) -> list[str]:
        gate = Gate()
        held = asyncio.create_task(it.write(gate))
        await gate.reached()
        waiting = asyncio.create_task(it.write(add("cancelled")))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        gate.open()
        await held
        await it.write(add("next"))
        return await it.read(names)

    assert run(store, steps) == ["next"]


def test_a_change_that_is_cancelled_when_it_has_begun_is_kept(store: Open) -> None:
    async def steps(it: Store) -> list[str]:
        gate = Gate()

        def wait_and_add(to: Transaction) -> None:
            gate(to)
            to.add_collection(a_collection("begun"))

        begun = asyncio.create_task(it.write(wait_and_add))
        await gate.reached()
        begun.cancel()
        await asyncio.wait([begun])
        gate.open()
        await it.write(add("next"))
        return await it.read(names)

    assert run(store, steps) == ["begun", "next"]


def test_a_view_that_is_cancelled_disturbs_no_other(store: Open) -> None:
    async def steps(it: Store) -> list[str]:
        gate = Gate()
        look = asyncio.create_task(it.read(gate))
        await gate.reached()
        look.cancel()
        await asyncio.wait([look])
        gate.open()
        return [await it.read(lambda _, n=n: f"{n}") for n in range(4)]

    assert run(store, steps) == ["0", "1", "2", "3"]


def test_closing_finishes_what_was_begun(store: Open) -> None:
    async def steps(it: Store) -> list[object]:
        gate = Gate()
        held = asyncio.create_task(it.write(gate))
        await gate.reached()
        waiting = [asyncio.create_task(it.write(add(f"c{n}"))) for n in range(5)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(it.close())
        await asyncio.sleep(0)
        gate.open()
        await closing
        return await asyncio.gather(held, *waiting)

    assert len(run(store, steps)) == 6
    assert run(store, lambda it: it.read(names)) == [f"c{n}" for n in range(5)]


def test_a_closed_store_is_unavailable_and_may_be_closed_again(store: Open) -> None:
    async def steps(it: Store) -> list[object]:
        await it.close()
        calls = it.read(names), it.write(add("late"))
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = run(store, steps)

    assert [type(each) for each in outcomes] == [Unavailable, Unavailable]


def test_event_loops_in_several_threads_share_a_store(store: Open) -> None:
    async def steps(it: Store) -> list[str]:
        def other_loop(prefix: str) -> None:
            async def add_some() -> None:
                await asyncio.gather(*(it.write(add(f"{prefix}{n}")) for n in range(10)))

            asyncio.run(add_some())

        threads = [Thread(target=other_loop, args=(prefix,)) for prefix in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        return await it.read(names)

    assert run(store, steps) == [f"{prefix}{n}" for prefix in "abc" for n in range(10)]


def test_an_event_loop_that_is_gone_does_not_stop_the_writer(store: Open) -> None:
    async def steps(it: Store) -> list[str]:
        gate = Gate()

        async def begin_and_leave() -> None:
            call = it.write(gate)
            call.send(None)
            call.close()

        leaving = Thread(target=lambda: asyncio.run(begin_and_leave()))
        leaving.start()
        await asyncio.to_thread(leaving.join)
        await gate.reached()
        gate.open()
        await it.write(add("after"))
        return await it.read(names)

    assert run(store, steps) == ["after"]
