"""Notes what people do by hand, in the transaction that does it."""

from stratawatch.engine.model.audit_entry import AuditEntry
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.engine.ports.transaction import Transaction


def note_action(tx: Transaction, ports: Ports, action: str, subject: str, why: str = "") -> None:
    """Append to the audit log that `ports.by` did it now: by the machine's clock, whatever time the product has."""
    tx.audit.add(AuditEntry(SystemClock().now(), ports.by, action, subject, why))
