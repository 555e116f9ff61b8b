import type { Tx } from "#core/db/Database.ts";

/** What an operator, or the service in somebody's name, did. */
export type AuditEntry = {
	/** Who: `operator:<x-admin-actor>`, `profile:<id>`, `service:<plugin>`. */
	actor: string;
	/** What, in snake_case with dots: `trading.setting.changed`. */
	action: string;
	/** On what: `wallet:<id>`, `setting:<key>`. */
	subject: string;
	/** Before and after, never a secret. A bigint becomes its digits. 8 KiB at most, all in all. */
	detail: Readonly<Record<string, unknown>>;
};

/**
 * The log that nobody can rewrite unnoticed: each entry carries the hash of the one before.
 *
 * An entry is written in the transaction of what it tells, so neither is there without the other.
 */
export type Audit = {
	/**
	 * The entry gets its number as the transaction's last step. One that is too large, or not well
	 * made, is our own mistake: it fails at once, and with it what it tells.
	 */
	append(tx: Tx, entry: AuditEntry): Promise<void>;
};
