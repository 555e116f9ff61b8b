import type { Log } from "#core/log/Log.ts";

/** Values the driver can bind. bigint is sent as text, bytes as `bytea`. */
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
 * Reads and single statements. `int8` comes back as number (beyond 2^53 as bigint, which fails
 * whoever takes it for one: rows that may hold such are read with `readRows`), `numeric` as string.
 */
export type Queryable = {
	query<Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
	/** Runs a statement for its effect; answers how many rows it touched. */
	execute(text: string, values?: readonly SqlValue[]): Promise<number>;
};

/**
 * One open transaction. Whoever is handed a `Tx` joins it and never commits it: only the function
 * that called `transaction` does, by returning. Used after that it fails.
 */
export type Tx = Queryable & {
	/** Marks the type: a pool cannot be passed where a transaction is meant. */
	readonly inTransaction: true;
	/** Streams rows, as a `CopyWriter` writes them, into `table (columns)`; answers how many. */
	copy(into: string, chunks: Iterable<Uint8Array>): Promise<number>;
	/**
	 * Runs as the transaction's last step, still inside it; a failure rolls everything back. One that
	 * sends a single statement, and sends it before it first waits, may say so: where all do, the
	 * commit travels right behind them. What such a step makes of its answer is not rolled back.
	 */
	beforeCommit(run: () => Promise<void>, options?: { singleStatement?: boolean }): void;
	/** Runs after the commit, in order; never after a rollback. For hints: a crash loses them. */
	afterCommit(run: () => void): void;
};

export type TransactionOptions = {
	/** How long one of its statements waits for a lock; as the server is set, unless given. */
	lockTimeoutMs?: number | undefined;
};

export type Database = Queryable & {
	transaction<Result>(
		run: (tx: Tx) => Promise<Result>,
		options?: TransactionOptions,
	): Promise<Result>;
	/**
	 * Runs statements that are planned once for each connection, whatever their values are.
	 *
	 * For large reads. PostgreSQL takes each array for ten values long and each limit for a tenth of
	 * the rows, finds a plan for any values dearer than one for these, and then plans at each call:
	 * of a page of collections that was half of the time (measured). Only for statements whose plan
	 * is the same whatever they are asked; tests of plans say which are.
	 */
	readonly keepingPlans: Queryable;
	/** Where this database is, for libraries that bring their own pool (the durable queue). */
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
