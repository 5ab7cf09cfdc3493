"""The address of a test's PostgreSQL database as an operator writes it, and a key for it."""

from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="


def address(url: str) -> str:
    """Return the address in the form an operator writes, with a password that nobody asks for."""
    parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    query = "&".join(
        f"{name}={quote(value, safe='')}"
        for name, value in parts.items()
        if name not in {"user", "dbname", "password"}
    )
    password = parts.get("password", "hunter2")
    return f"postgresql://{parts['user']}:{password}@/{parts['dbname']}?{query}"
