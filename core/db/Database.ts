// Defines the database, its transactions, its statements' parameters, and what its errors mean.

import { DatabaseError } from "pg";
import { AssertionFailed, defineFaults, Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

/** Values that the driver can bind. bigint is sent as text, bytes as `bytea`. */
export type SqlValue =
	| string
	| number
	| bigint
	| boolean
	| Date
	| Uint8Array
	| null
	| readonly SqlValue[];

/**
 * Reads and single statements. `int8` comes back as number (beyond 2^53 as bigint, which fails if
 * it is used as a number: read such rows with `readRows`), `numeric` as string.
 */
export type Queryable = {
	query<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
	/** Runs a statement for its effect; returns the number of affected rows. */
	execute(text: string, values?: readonly SqlValue[]): Promise<number>;
};

/**
 * Runs statements in one open transaction. A function that gets a `Tx` joins it and never commits
 * it: only the function that called `transaction` does, by returning. Using it after that fails.
 */
export type Tx = Queryable & {
	/** Marks the type: a pool cannot be passed where a transaction is needed. */
	readonly inTransaction: true;
	/** Streams rows, as a `CopyWriter` writes them, into `table (columns)`; returns their number. */
	copy(into: string, chunks: Iterable<Uint8Array>): Promise<number>;
	/**
	 * Runs as the transaction's last step, still inside it; a failure rolls everything back. A step
	 * that sends a single statement, before it first waits, may declare that: if all do, the commit
	 * is sent right after them. Effects of such a step on memory are not rolled back.
	 */
	beforeCommit(run: () => Promise<void>, options?: { singleStatement?: boolean }): void;
	/** Runs after the commit, in order; never after a rollback. For hints: a crash loses them. */
	afterCommit(run: () => void): void;
};

export type TransactionOptions = {
	/** Limits how long its statements wait for a lock; by default the server's setting. */
	lockTimeoutMs?: number | undefined;
};

export type Database = Queryable & {
	transaction<Result>(
		run: (tx: Tx) => Promise<Result>,
		options?: TransactionOptions,
	): Promise<Result>;
	/**
	 * Runs statements that are planned once per connection, whatever their values are.
	 *
	 * For large reads. PostgreSQL assumes ten values for each array and a tenth of the rows for each
	 * limit, finds the generic plan more expensive than one for these values, and then plans at each
	 * call: for a page of collections that was half of the time (measured). Only for statements whose
	 * plan is the same for all values; tests of plans name them.
	 */
	readonly keepingPlans: Queryable;
	/** The database's URL, for libraries with their own pool (the durable queue). */
	readonly connectionString: string;
	close(): Promise<void>;
};

export type DatabaseOptions = {
	connectionString: string;
	connectionsMax: number;
	/** The name in `pg_stat_activity`; the embedded server's watchdog looks for it. */
	applicationName: string;
	log: Log;
};

/** Collects a statement's parameters while its text is put together. */
export type Binder = {
	readonly values: SqlValue[];
	/** Adds a value and returns its placeholder with its type, `$3::int8`. */
	bind(value: SqlValue, type: string): string;
};

/** Errors of our own mistakes on the way to the driver or back. */
const MISTAKES = [TypeError, RangeError, SyntaxError, ReferenceError, AssertionFailed, Fault];

const seen = new WeakSet<Error>();

/**
 * Remembers which errors mean that the server was not reached, or that a connection to it broke.
 *
 * Stored beside the errors, not in them: drivers and sockets have dozens of such errors, without a
 * common class or code, and callers must get the original error.
 */
export const brokenConnections = {
	/** Called with any error of the driver. An answer of the server itself is not noted. */
	note(error: unknown): void {
		if (!(error instanceof Error) || error instanceof DatabaseError) return;
		if (!MISTAKES.some((mistake) => error instanceof mistake)) seen.add(error);
	},
	has: (error: unknown): boolean => error instanceof Error && seen.has(error),
};

export const dbFault = defineFaults({
	schemaTooNew: {
		status: 500,
		retry: "never",
		public: "The database was migrated by a newer build than this one.",
	},
	migrationSkipped: {
		status: 500,
		retry: "never",
		public: "A migration was skipped: its date is older than one already applied.",
	},
	databaseUnreachable: {
		status: 503,
		retry: "later",
		public: "The PostgreSQL server does not answer.",
	},
	databaseUnavailable: {
		status: 503,
		retry: "later",
		public: "The database cannot be used right now. Try again in a moment.",
	},
	outcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"The database's answer was lost, so it is not known whether this was done. Look at what " +
			"stands before you send it again.",
		advice:
			"Send it again with the same `idempotency-key`, which does nothing twice; without " +
			"one, read what stands first.",
	},
	notCommitted: {
		status: 500,
		retry: "later",
		public: "The database rolled a transaction back.",
	},
	fenced: {
		status: 500,
		retry: "later",
		public: "Another process has taken this work over.",
	},
});

/** The codes of PostgreSQL's errors (SQLSTATE) that we handle, by PostgreSQL's own names. */
export const SQLSTATE = {
	/** A standby, or a server that is set to read-only. */
	read_only_sql_transaction: "25006",
	/** The transaction was idle for too long. */
	idle_in_transaction_session_timeout: "25P03",
	/** A row with the same key exists. */
	unique_violation: "23505",
	check_violation: "23514",
	/** There is no such database. */
	invalid_catalog_name: "3D000",
	serialization_failure: "40001",
	/** Means that it is unknown whether the statement was executed. */
	statement_completion_unknown: "40003",
	deadlock_detected: "40P01",
	duplicate_database: "42P04",
	/** A lock was not obtained in time. */
	lock_not_available: "55P03",
	/** The server starts, stops or recovers. */
	cannot_connect_now: "57P03",
} as const;

export type SqlState = keyof typeof SQLSTATE;

/**
 * SQLSTATEs with which a server reports its own trouble, not the statement's: connection exceptions
 * (08), resources (53), an operator's action (57: shutdown, recovery, a cancelled statement), the
 * system (58).
 */
const CLASSES = /^(?:08|53|57|58)/;
const CODES: ReadonlySet<string> = new Set([
	SQLSTATE.read_only_sql_transaction,
	SQLSTATE.idle_in_transaction_session_timeout,
	SQLSTATE.serialization_failure,
	SQLSTATE.deadlock_detected,
	SQLSTATE.statement_completion_unknown,
	SQLSTATE.lock_not_available,
]);
/** Lists severities that end the connection, whatever the reason (3D000, 28P01, …). */
const ENDING = new Set(["FATAL", "PANIC"]);

/** SQLSTATE classes 22 (data exception) and 23 (integrity): the rows are at fault. */
const ROWS_REFUSED = /^2[23][0-9A-Z]{3}$/;

/**
 * A pool closes a connection that was idle for this long. Many jobs run every ten seconds and need
 * several at once: with the driver's default of ten seconds each such burst would open them again,
 * and a new one costs the server some 7 ms of processor time, its first statements included.
 */
export const CONNECTION_IDLE_MS = 300_000;

/**
 * Returns the Fault for a failure of the database itself, which is temporary and not the caller's
 * mistake; null for every other error, such as an invalid statement.
 */
export function databaseFaultOf(error: unknown): Fault | null {
	if (brokenConnections.has(error)) return dbFault.databaseUnavailable({ cause: error });
	if (!(error instanceof DatabaseError)) return null;
	const { code = "", severity = "" } = error;
	const isItsOwn = CLASSES.test(code) || CODES.has(code) || ENDING.has(severity);
	return isItsOwn ? dbFault.databaseUnavailable({ detail: code, cause: error }) : null;
}

/**
 * Returns true for an answer of the server itself: the statement was not executed, and a commit
 * after it in the same transaction failed. A broken connection proves nothing.
 */
export function isRefused(error: unknown): boolean {
	return error instanceof DatabaseError;
}

/**
 * Returns true if the server's answer to a COMMIT proves that nothing was committed. An error that
 * ends the connection (a shutdown) may come after a successful commit.
 */
export function isRolledBack(error: unknown): boolean {
	return error instanceof DatabaseError && error.severity === "ERROR";
}

/**
 * Returns whether the database refused the values of a row: the same rows will be refused again.
 */
export function isRowsRefused(error: unknown): boolean {
	if (!(error instanceof Error) || !("code" in error)) return false;
	return typeof error.code === "string" && ROWS_REFUSED.test(error.code);
}

/** Returns whether an error is PostgreSQL's with this code. */
export function isSqlState(error: unknown, state: SqlState): boolean {
	return error instanceof Error && "code" in error && error.code === SQLSTATE[state];
}

/**
 * Makes a binder for statements made of shared parts, so that parameters need not be counted across
 * files.
 *
 * @example
 * const binder = createBinder();
 * const id = binder.bind(collectionId, "int4");
 * const text = `select slug from market_index.collection where id = ${id}`; // "… id = $1::int4"
 * await db.query(text, binder.values);
 */
export function createBinder(): Binder {
	const values: SqlValue[] = [];
	return {
		values,
		bind: (value, type) => `$${values.push(value)}::${type}`,
	};
}

/**
 * Matches what PostgreSQL refuses in a text, as it is, or escaped in JSON; pairs of escapes are
 * whole.
 */
const HALF = String.raw`\\ud[89a-f][\da-f]{2}`;
const PAIR = String.raw`\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}`;
// An escape begins behind an even number of backslashes.
const ESCAPE = String.raw`(?<!\\)((?:\\\\)*)(?:\\u0000|(${PAIR})|${HALF})`;
const REFUSED = new RegExp(String.raw`\0|${ESCAPE}`, "gi");
const MAY_BE_REFUSED = /\0|\\u(?:0000|d[89a-f])/i;

/**
 * Replaces in a text what PostgreSQL cannot store: NUL characters and halves of surrogate pairs,
 * also where JSON escapes them. Words of strangers are cleaned where they enter; this is the second
 * door, for those that somebody forgot: a statement that fails leaves its row as it was for ever.
 */
export function storableText(text: string): string {
	const whole = text.isWellFormed() ? text : text.toWellFormed();
	// Looking for two characters takes a third of what the pattern does (measured).
	if (!whole.includes("\0") && !whole.includes("\\")) return whole;
	if (!MAY_BE_REFUSED.test(whole)) return whole;
	return whole.replace(REFUSED, (found, slashes: string | undefined, pair: string | undefined) => {
		if (pair !== undefined) return found;
		return found === "\0" ? "\ufffd" : `${slashes ?? ""}\\ufffd`;
	});
}
