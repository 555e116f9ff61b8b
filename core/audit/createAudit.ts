// Appends entries to the audit chain, each with the hash of the one before.

import type { Clock } from "#core/clock.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { AssertionFailed, assert, defineFaults } from "#core/fault.ts";
import { type CanonicalRules, canonicalJson } from "#core/json.ts";

/** Holds one action of an operator, or of the service for a user. */
export type AuditEntry = {
	/** The actor: `operator:<x-admin-actor>`, `profile:<id>`, `service:<plugin>`. */
	actor: string;
	/** The action, in snake_case with dots: `trading.setting.changed`. */
	action: string;
	/** On what: `wallet:<id>`, `setting:<key>`. */
	subject: string;
	/**
	 * The values before and after, never a secret. A bigint becomes its digits. Limited to 8 KiB in
	 * all.
	 */
	detail: Readonly<Record<string, unknown>>;
};

/**
 * Appends to the log in which every change is noticed: each entry has the hash of the one before.
 *
 * An entry is written in the transaction of the action that it records, so neither exists without
 * the other.
 */
export type Audit = {
	/**
	 * The entry gets its number as the transaction's last step. One that is too large, or not well
	 * made, is our own mistake: it fails at once, and with it what it tells.
	 */
	append(tx: Tx, entry: AuditEntry): Promise<void>;
};

/**
 * Holds the number and hash of the newest entry: an older entry cannot change without changing this
 * hash.
 */
export type AuditHead = {
	/** 0 and zeros where there is no entry yet. */
	seq: number;
	/** Lower case hexadecimal, 64 digits. */
	hash: string;
};

const RULES: CanonicalRules = {
	/** Deeper than anything an entry has to say. */
	depthMax: 32,
	refused: (what) => new AssertionFailed(`an audit entry cannot hold ${what}`),
	replace,
	/** Replaces what PostgreSQL cannot store as jsonb: NUL, and half a surrogate pair. */
	replaceText: (text) => text.replaceAll("\0", "\uFFFD").toWellFormed(),
	skipsUndefined: true,
};

export const AUDIT_ENTRY_BYTES_MAX = 8_192;

const ACTOR = /^(operator|profile|service):[\x20-\x7e]{1,200}$/;
const ACTION = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** "audt" in ASCII. Any constant will do; it must only be the same in every process. */
const AUDIT_LOCK_KEY = 0x61756474;

export const auditFault = defineFaults({
	command: { status: 500, retry: "never", public: "The command is not understood." },
	noEntries: {
		status: 409,
		retry: "never",
		public: "There is no audit log in this database; it is probably the wrong one.",
		advice: "Point DATABASE_URL or DATA_DIR at the database that the service uses.",
	},
});

const EMPTY: AuditHead = { seq: 0, hash: "0".repeat(64) };

/**
 * Makes the audit log, a chain of hashes.
 *
 * There is one chain, so whoever appends waits for whoever appends. The lock is therefore the last
 * one that a transaction takes, when nothing but the commit is left to do: nobody who holds it
 * waits for anybody, so it is short and no part of a deadlock.
 */
export function createAudit({ clock }: { clock: Clock }): Audit {
	const pending = new WeakMap<Tx, string[]>();
	return {
		async append(tx, entry) {
			const text = renderEntry(entry, clock.nowMs());
			const waiting = pending.get(tx);
			if (waiting) {
				waiting.push(text);
				return;
			}
			const entries = [text];
			pending.set(tx, entries);
			const store = async () => {
				// Entries that a later step appends are stored by a step of their own.
				pending.delete(tx);
				await storeEntries(tx, entries);
			};
			// A step that adds a step: so it stands behind those that were added before it runs.
			tx.beforeCommit(async () => tx.beforeCommit(store));
		},
	};
}

/**
 * Returns the text of an entry that is stored and hashed. One that is too large is refused, never
 * cut: half an entry would prove nothing.
 */
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

/**
 * Returns an entry as the one text that RFC 8785 has for it, so that equal entries have equal
 * hashes. Where the RFC has none: a bigint is its digits, members that are undefined are left out,
 * and a text that no jsonb can hold becomes one that it can: a stranger's name must not keep an
 * entry from being written.
 */
export function auditJson(value: unknown): string {
	return canonicalJson(value, RULES);
}

/**
 * Inserts an entry behind the newest one, under the chain's lock. The newest entry is the last of
 * the primary key: one row of the index. PostgreSQL hashes, so reading the newest and writing the
 * next is one statement.
 */
export async function insertEntry(tx: Tx, entry: string): Promise<void> {
	await tx.execute(
		`insert into core.audit_entry (seq, prev_hash, entry, hash)
		select last.seq + 1, last.hash, $1::text, sha256(last.hash || convert_to($1::text, 'UTF8'))
		from (
			(select seq, hash from core.audit_entry order by seq desc limit 1)
			union all
			select 0, decode(repeat('00', 32), 'hex')
			order by seq desc limit 1
		) as last`,
		[entry],
	);
}

/**
 * Takes the chain's lock until the transaction ends. In a statement of its own: one that waits for
 * a lock goes on with what it saw before it waited.
 */
export async function lockChain(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [AUDIT_LOCK_KEY]);
}

/** Reads the newest entry's number and hash, by the primary key from its end. */
export async function readHead(db: Queryable): Promise<AuditHead> {
	const [head] = await db.query<AuditHead>(
		`select seq, encode(hash, 'hex') as hash from core.audit_entry order by seq desc limit 1`,
	);
	return head ?? EMPTY;
}

/**
 * Takes the lock and inserts entries, all sent together; each insert sees the lock held and the one
 * before it.
 */
async function storeEntries(tx: Tx, entries: readonly string[]): Promise<void> {
	await Promise.all([lockChain(tx), ...entries.map((entry) => insertEntry(tx, entry))]);
}

/** Replaces a bigint by its digits, and a time by its text. */
function replace(value: unknown): unknown {
	if (typeof value === "bigint") return value.toString();
	return value instanceof Date ? value.toISOString() : value;
}
