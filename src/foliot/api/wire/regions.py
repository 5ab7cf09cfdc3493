"""Where a collection says it is: Azure's region codes come back as the names Azure shows."""

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
    """Return a location as it is shown; one that is no region of Azure's as it was written."""
    return _BY_CODE.get(location.replace(" ", "").lower(), location)


def region_names() -> tuple[str, ...]:
    """Return the regions that Azure has names for."""
    return _NAMES
