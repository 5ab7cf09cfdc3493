"""Azure's region codes and the names Azure shows for them."""

_AMERICAS = (
    *("Brazil South", "Brazil Southeast", "Canada Central", "Canada East", "Central US"),
    *("Chile Central", "East US", "East US 2", "Mexico Central", "North Central US"),
    *("South Central US", "West Central US", "West US", "West US 2", "West US 3"),
)
_EUROPE = (
    *("Austria East", "Belgium Central", "France Central", "France South", "Germany North"),
    *("Germany West Central", "Italy North", "North Europe", "Norway East", "Norway West"),
    *("Poland Central", "Spain Central", "Sweden Central", "Sweden South", "Switzerland North"),
    *("Switzerland West", "UK South", "UK West", "West Europe"),
)
_ASIA_AND_PACIFIC = (
    *("Australia Central", "Australia Central 2", "Australia East", "Australia Southeast"),
    *("Central India", "East Asia", "Indonesia Central", "Japan East", "Japan West"),
    *("Jio India Central", "Jio India West", "Korea Central", "Korea South", "Malaysia West"),
    *("New Zealand North", "South India", "Southeast Asia", "West India"),
)
_MIDDLE_EAST_AND_AFRICA = (
    *("Israel Central", "Qatar Central", "South Africa North", "South Africa West"),
    *("UAE Central", "UAE North"),
)
# Clouds apart from the public one: templates and scripts written for them name these.
_SOVEREIGN = (
    *("China East", "China East 2", "China East 3", "China North", "China North 2"),
    *("China North 3", "Germany Central", "Germany Northeast", "US DoD Central", "US DoD East"),
    *("US Gov Arizona", "US Gov Iowa", "US Gov Texas", "US Gov Virginia"),
)
_NAMES = tuple(
    sorted((*_AMERICAS, *_EUROPE, *_ASIA_AND_PACIFIC, *_MIDDLE_EAST_AND_AFRICA, *_SOVEREIGN))
)


def region_names() -> tuple[str, ...]:
    """Return the names of Azure's regions."""
    return _NAMES


def display_name(location: str) -> str:
    """Return the name of a region for its code; return any other location unchanged."""
    return _BY_CODE.get(_code(location), location)


def region_code(location: str) -> str:
    """Return the code of a region for its name; return any other location unchanged."""
    code = _code(location)
    return code if code in _BY_CODE else location


def _code(name: str) -> str:
    return name.replace(" ", "").lower()


_BY_CODE = {_code(name): name for name in _NAMES}
