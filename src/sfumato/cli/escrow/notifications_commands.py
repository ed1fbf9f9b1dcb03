"""`sfumato notifications`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from sfumato.cli.escrow.desk import with_client
from sfumato.cli.options import flag, option
from sfumato.cli.output import Confirmation, Shown, ShownList

if TYPE_CHECKING:
    from sfumato.client.client import Client


@with_client
def notifications(
    client: Client,
    unread: Annotated[bool, flag("--unread", "List only unread notifications.")] = False,
    read: Annotated[str | None, option("Mark this notification as read instead.", "ID")] = None,
) -> Shown | ShownList:
    """List your notifications, newest first."""
    if read is None:
        return client.notifications(unread=unread)
    client.read_notification(read)
    return Confirmation(f"Notification {read} is marked as read.", {"read": read})
