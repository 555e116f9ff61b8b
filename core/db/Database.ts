import type { Log } from "#core/log/Log.ts";

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
 * One open transaction. A function that gets a `Tx` joins it and never commits it: only the
 * function that called `transaction` does, by returning. Using it after that fails.
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
	/** How long its statements wait for a lock; by default the server's setting. */
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
	/** Shown in `pg_stat_activity`; the embedded server's watchdog looks for it. */
	applicationName: string;
	log: Log;
};
