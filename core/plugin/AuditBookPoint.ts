import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { extensionPoint } from "#core/plugin/extensionPoint.ts";

/** Where a plugin puts tables whose rows are to be tamper-evident. */
export const AuditBookPoint = extensionPoint<AuditBook>("core.audit-book");
