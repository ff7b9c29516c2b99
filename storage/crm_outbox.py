"""The outbox to the other CRM: written with what it tells of, and only while there is another CRM.

A row is a thing that the other CRM has to show, not a message: ten changes while it is away are one.
"""

import json
import secrets

from agent.crm_link import Item, ItemKind, Link, Provider
from agent.jsontext import JsonObject, dumps
from storage.commit import Wakes
from storage.sql import Row, Sql


def item_of(row: Row) -> Item:
    return Item(
        id=row["id"],
        kind=ItemKind(row["kind"]),
        subject=row["subject"],
        version=row["version"],
        external_id=row["external_id"],
        sent=json.loads(row["sent"]) if row["sent"] is not None else None,
        error=row["error"],
    )


class CrmOutbox:
    """Without another CRM nothing here costs a statement."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes
        # Read once and remembered, since nobody writes but this connection; see `forget`.
        self._link: Link | None = None
        self._known = False

    def forget(self) -> None:
        """Read again: what was written may have been undone."""
        self._known = False

    @property
    def link(self) -> Link | None:
        """The other CRM, if there is one."""
        if not self._known:
            row = self._sql.maybe("crm_link")
            self._link = _link_of(row) if row and row["provider"] != Provider.BUILTIN else None
            self._known = True
        return self._link

    def connect(self, provider: Provider) -> None:
        """From here on changes are for this CRM; for one that is new, all that it may have missed is due."""
        before = self.link
        if (before.provider if before else Provider.BUILTIN) is provider:
            return
        self._sql.run("add_crm_link", provider=provider, origin=f"lead-agent-{secrets.token_hex(4)}")
        self.forget()
        if provider is not Provider.BUILTIN:
            self._sql.run("touch_crm_items")
            for deal in self._sql.all("open_deals"):
                self.deal_changed(deal["id"], deal["contact_id"])
                for note in self._sql.all("notes_of_deal", deal_id=deal["id"]):
                    self.noted(note["id"], deal["contact_id"])

    # --- what changed

    def deal_changed(self, deal_id: int, contact_id: int) -> None:
        """Its contact goes there with it."""
        if self.link:
            self._put("put_crm_item", ItemKind.DEAL, deal_id, contact_id)

    def noted(self, note_id: int, contact_id: int) -> None:
        if self.link:
            self._put("put_crm_item_once", ItemKind.NOTE, note_id, contact_id)

    def contact_changed(self, contact_id: int, *, deals: bool = False) -> None:
        """deals: they may be another contact's now."""
        if self.link:
            self._sql.run("touch_crm_contact", subject=contact_id)
            if deals:
                self._sql.run("touch_crm_deals", contact_id=contact_id)
            self._wakes.commit.syncing = True

    def _put(self, query: str, kind: ItemKind, subject: int, contact_id: int) -> None:
        self._sql.run(query, kind=kind, subject=subject, contact_id=contact_id)
        self._wakes.commit.syncing = True

    # --- what is due

    def due(self, at: int) -> Item | None:
        """The one that is due longest; of each contact the first comes first."""
        row = self._sql.maybe("due_crm_items", at=at)
        return item_of(row) if row else None

    def next(self, at: int) -> int | None:
        """The time after `at` from which another may go."""
        due = self._sql.one("next_crm_item", at=at)["at"]
        return None if due is None else int(due)

    def get(self, kind: ItemKind, subject: int) -> Item | None:
        row = self._sql.maybe("crm_item", kind=kind, subject=subject)
        return item_of(row) if row else None

    def put(self, kind: ItemKind, subject: int, contact_id: int) -> Item:
        """The item, made if there was none."""
        self._sql.run("put_crm_item_once", kind=kind, subject=subject, contact_id=contact_id)
        return item_of(self._sql.one("crm_item", kind=kind, subject=subject))

    def leave(self, kind: ItemKind, subject: int) -> None:
        """Nothing of it is due."""
        self._sql.run("leave_crm_item", kind=kind, subject=subject)

    def brought(self, item: Item, external_id: str, sent: JsonObject) -> None:
        """It shows what `item` says; still due if that has changed since."""
        self._sql.run(
            "brought_crm_item",
            id=item.id,
            version=item.version,
            external_id=external_id,
            sent=dumps(sent),
        )

    def put_off(self, item: Item, error: str, not_before: int) -> None:
        """It was refused for what it is; tried again then, in case somebody mends it there."""
        self._sql.run("put_off_crm_item", id=item.id, error=error, not_before=not_before)

    def count(self) -> int:
        """How many are due."""
        return int(self._sql.one("count_crm_items")["items"])

    def refused(self, limit: int) -> list[tuple[Item, str]]:
        """Those that the other CRM does not take, and why."""
        rows = self._sql.all("refused_crm_items", limit=limit)
        return [(item_of(row), row["error"]) for row in rows]

    def set_trouble(self, trouble: str | None) -> None:
        """Why nothing gets there, as the operators are told; None once it does again."""
        self._sql.run("set_crm_trouble", trouble=trouble)
        self.forget()


def _link_of(row: Row) -> Link:
    return Link(provider=Provider(row["provider"]), origin=row["origin"], trouble=row["trouble"])
