import type { AuditEntry } from "#core/audit/Audit.ts";
import { auditJson } from "#core/audit/auditJson.ts";
import { assert } from "#core/fault/assert.ts";

export const AUDIT_ENTRY_BYTES_MAX = 8_192;

const ACTOR = /^(operator|profile|service):[\x20-\x7e]{1,200}$/;
const ACTION = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** The text that is stored and hashed. Refused, never cut: half an entry would prove nothing. */
export function renderEntry(entry: AuditEntry, atMs: number): string {
	const { actor, action, subject, detail } = entry;
	assert(ACTOR.test(actor), "an audit entry's actor is operator:, profile: or service: and a name");
	assert(ACTION.test(action), "an audit entry's action is words with dots");
	assert(subject !== "", "an audit entry has a subject");
	const at = new Date(atMs);
	const text = auditJson({ at, actor, action, subject, detail });
	const bytes = Buffer.byteLength(text);
	const tooLarge = `the audit entry ${action} has ${bytes} bytes of ${AUDIT_ENTRY_BYTES_MAX}`;
	assert(bytes <= AUDIT_ENTRY_BYTES_MAX, tooLarge);
	return text;
}
