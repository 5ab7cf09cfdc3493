"""Named statements through a dialect: what all readings and changes share."""

from foliot.store.sealing.keyring import Keyring
from foliot.store.sql.dialect import Dialect, Parameters, Row
from foliot.store.sql.statements import Statement


class SqlAccess:
    """One connection and the keys that open definitions."""

    def __init__(self, dialect: Dialect, keyring: Keyring) -> None:
        self._dialect = dialect
        self._keyring = keyring
        self._run = dialect.run

    def _row(self, statement: Statement, parameters: Parameters | Row = ()) -> Row | None:
        return self._run(statement, parameters).fetchone()

    def _number(self, statement: Statement, parameters: Parameters | Row = ()) -> int:
        row = self._row(statement, parameters)
        return 0 if row is None else row[0]

    def _change(self, statement: Statement, parameters: Parameters | Row = ()) -> int:
        return self._run(statement, parameters).rowcount
