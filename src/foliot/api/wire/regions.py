"""Azure's region codes and the names Azure shows for them."""

_NAMES = (
    *("Australia East", "Australia Southeast", "Brazil South", "Canada Central", "Canada East"),
    *("Central India", "Central US", "East Asia", "East US", "East US 2", "France Central"),
    *("Germany West Central", "Japan East", "Japan West", "Korea Central", "Korea South"),
    *("North Central US", "North Europe", "Norway East", "South Central US", "South India"),
    *("Southeast Asia", "Sweden Central", "Switzerland North", "UAE North", "UK South"),
    *(
        "UK West",
        "West Central US",
        "West Europe",
        "West India",
        "West US",
        "West US 2",
        "West US 3",
    ),
)
_BY_CODE = {name.replace(" ", "").lower(): name for name in _NAMES}


def display_name(location: str) -> str:
    """Return the name of a region for its code; return any other location unchanged."""
    return _BY_CODE.get(location.replace(" ", "").lower(), location)


def region_names() -> tuple[str, ...]:
    """Return the names of Azure's regions."""
    return _NAMES
