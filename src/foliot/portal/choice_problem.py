"""What is wrong with the collection that the parameter `of` of an address names."""

from foliot.core.errors import shown
from foliot.portal.page_request import PageRequest


def problem_of_choice(request: PageRequest) -> str:
    """Say what is wrong with the parameter `of`; empty if nothing is."""
    text = request.query.get("of")
    if not text or request.chosen_key is not None:
        return ""
    return f"of: {shown(text)} is not valid; give subscription/group/collection."
