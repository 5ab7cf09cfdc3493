"""Callers who may see something, and look for more."""

from collections.abc import Sequence

from chaos.api import TOKEN, collection_path
from chaos.load import soon
from chaos.stage import Stage
from hostile.attack import Attack, Result
from hostile.client import Browser, Client, make_token
from hostile.requests import COLLECTION, attackers_job, http_job, make_collection

SECRETS = ("secret-of-header", "secret-of-cookie", "secret-of-key", "secret-of-address")


async def old_cookies(stage: Stage) -> Result:
    """Use the cookie of a session that was signed out."""
    pages = ("/", "/collections", "/tokens", "/settings", "/live")
    async with stage.server() as server, Client(server.port, token=None) as client:
        browser = Browser(client)
        await browser.sign_in(TOKEN)
        first = (await browser.see("/collections")).status
        old = dict(browser.cookies)
        await browser.send("/collections", "/sign-out", {})
        browser.cookies = old
        opened = [page for page in pages if (await browser.see(page)).status == 200]
    return Result(
        tried="the cookie of a session after signing out",
        count=len(pages),
        happened=f"{len(opened)} pages opened",
        objections=[
            *(f"{page} opens with an old cookie" for page in opened),
            *([] if first == 200 else [f"a good cookie was answered with {first}"]),
        ],
    )


async def credentials_of_jobs(stage: Stage) -> Result:
    """Read credentials of jobs: as a Reader by the API, and in pages as anybody."""
    headers = {
        "Authorization": f"Bearer {SECRETS[0]}",
        "Cookie": f"session={SECRETS[1]}",
        "X-Api-Key": SECRETS[2],
    }
    body = http_job(f"http://user:{SECRETS[3]}@127.0.0.1:9/", soon(3600), headers=headers)
    page = f"/collections/chaos/g/{COLLECTION}/jobs/keys"
    paths = (attackers_job("keys"), f"{collection_path(COLLECTION)}/jobs")
    pages = (page, f"{page}/action", f"{page}/json", f"{page}/edit", f"{page}/history")
    async with stage.server() as server, Client(server.port) as owner:
        await make_collection(server)
        await owner.call("PUT", attackers_job("keys"), body)
        reader = await make_token(stage.data, "Reader")
        async with Client(server.port, reader) as client:
            seen = {f"the API at {path}": await client.call("GET", path) for path in paths}
            browser = Browser(client)
            await browser.sign_in(reader)
            seen |= {f"the page {path}": await browser.see(path) for path in pages}
    shown = [
        f"{where} shows {secret}"
        for where, answer in seen.items()
        for secret in SECRETS
        if secret in answer.text
    ]
    return Result(
        tried="a Reader who reads jobs with credentials in headers and address",
        count=len(paths) + len(pages),
        happened=f"{len(shown)} credentials shown",
        objections=shown,
    )


async def paths_of_the_machine(stage: Stage) -> Result:
    """Look at the server's settings with a token of one collection."""
    pages = ("/settings", "/about", "/", "/tokens", "/metrics", "/nodes")
    async with stage.server() as server:
        await make_collection(server)
        token = await make_token(stage.data, "Contributor", collection_path(COLLECTION))
        async with Client(server.port, token) as client:
            browser = Browser(client)
            await browser.sign_in(token)
            told = [
                f"{page} shows {_shown(text, words)}"
                for page in pages
                for text in [(await browser.see(page)).text]
                for words in [(str(stage.folder), str(stage.data), "foliot.db")]
                if _shown(text, words)
            ]
    return Result(
        tried="settings, as a Contributor of one collection",
        count=len(pages),
        happened=f"{len(told)} paths of the machine shown",
        objections=told,
    )


def _shown(text: str, words: Sequence[str]) -> str:
    return next((word for word in words if word in text), "")


ATTACKS: dict[str, Attack] = {
    "old-cookies": old_cookies,
    "credentials-of-jobs": credentials_of_jobs,
    "paths-of-the-machine": paths_of_the_machine,
}
