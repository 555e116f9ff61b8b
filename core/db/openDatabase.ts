// Opens a pool on PostgreSQL, with transactions, COPY and prepared statements.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Pool, type PoolClient, type QueryConfig, types } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { copyBegin, copyEnd } from "#core/db/createCopyWriter.ts";
import {
	brokenConnections,
	CONNECTION_IDLE_MS,
	type Database,
	type DatabaseOptions,
	dbFault,
	isRolledBack,
	type Queryable,
	type SqlValue,
	storableText,
	type TransactionOptions,
	type Tx,
} from "#core/db/Database.ts";
import { openGatheringSocket } from "#core/db/openGatheringSocket.ts";
import { assert } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

type RunStatement = (
	text: string,
	values: readonly SqlValue[],
) => Promise<{ rows: unknown[]; rowCount: number | null }>;

type TxState = {
	/** True: its end has been sent, so no further statement may use it. */
	ended: boolean;
	/** True: the hooks that run after the commit have been taken, so none may be added. */
	closed: boolean;
	beforeCommit: { run: () => Promise<void>; singleStatement: boolean }[];
	afterCommit: (() => void)[];
};

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** A transaction that is idle for this long is hung: PostgreSQL ends it, and its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

const KEEP_ALIVE_AFTER_MS = 10_000;

const INT8_OID = 20;

/**
 * Statements that are not awaited one by one are sent together: `Promise.all` of five costs one
 * round trip. They run in the order they were sent, each with its own snapshot. (The types of `pg`
 * do not have this option yet.)
 */
const PIPELINED = { pipeline: true };

/** Limits the prepared statements; further ones are planned at each call. */
const PREPARED_MAX = 500;
const preparedNames = new Map<string, string>();

/**
 * Opens a pool on a PostgreSQL server. Connects on first use.
 *
 * One driver, `pg`, reads and writes: a transaction cannot use two, and COPY in `postgres` never
 * settles when the server refuses a row (upstream issue 1173).
 */
export function openDatabase(options: DatabaseOptions): Database {
	const pool = new Pool({
		connectionString: options.connectionString,
		max: options.connectionsMax,
		application_name: options.applicationName,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		idleTimeoutMillis: CONNECTION_IDLE_MS,
		statement_timeout: STATEMENT_TIMEOUT_MS,
		idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
		// The kernel notices a server that vanished silently; otherwise we would only hours later.
		keepAlive: true,
		keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
		types: { getTypeParser: typeParser },
		stream: openGatheringSocket,
		...PIPELINED,
	});
	// A broken connection is replaced. Without a listener it would end the process: the pool reports
	// idle ones, and those in a transaction report it themselves.
	pool.on("error", (error) => options.log.warn("an idle database connection broke", { error }));
	pool.on("connect", (client) => client.on("error", () => {}));

	return {
		...queryable((text, values) => noting(pool.query(statementOf(text, values)))),
		keepingPlans: queryable((text, values) =>
			noting(queryKeepingPlan(pool, statementOf(text, values))),
		),
		connectionString: options.connectionString,
		transaction: (run, terms) => runTransaction(pool, { log: options.log, run, ...terms }),
		close: () => pool.end(),
	};
}

/** Remembers errors that break a connection, and rethrows them unchanged. */
async function noting<Result>(asked: Promise<Result>): Promise<Result> {
	try {
		return await asked;
	} catch (error) {
		brokenConnections.note(error);
		throw error;
	}
}

function queryable(run: RunStatement): Queryable {
	return {
		async query<Row>(text: string, values: readonly SqlValue[] = []) {
			const result = await run(text, values);
			return result.rows as Row[];
		},
		async execute(text, values = []) {
			const result = await run(text, values);
			return result.rowCount ?? 0;
		},
	};
}

async function runTransaction<Result>(
	pool: Pool,
	given: TransactionOptions & { log: Log; run: (tx: Tx) => Promise<Result> },
): Promise<Result> {
	const { run, log } = given;
	const client = await noting(pool.connect());
	const state: TxState = { ended: false, closed: false, beforeCommit: [], afterCommit: [] };
	let broken: unknown;
	try {
		// Sent with the first statements: it fails only if the connection does, and they do then, too.
		const begun = noting(client.query(beginText(given)));
		begun.catch(() => {});
		const result = await run(openTx(client, state));
		await begun;
		await finish(client, state);
		return result;
	} catch (error) {
		state.ended = true;
		state.afterCommit.length = 0;
		// A failed rollback means that the connection is gone; the server then rolls back by itself.
		await client.query("rollback").catch((failure) => {
			broken = failure;
		});
		throw error;
	} finally {
		state.closed = true;
		client.release(broken !== undefined);
		runHints(state.afterCommit, log);
	}
}

/** Returns one message with all settings of the transaction. */
function beginText({ lockTimeoutMs }: TransactionOptions): string {
	if (lockTimeoutMs === undefined) return "begin";
	assert(Number.isSafeInteger(lockTimeoutMs), "a time is a whole number");
	return `begin; set local lock_timeout = ${lockTimeoutMs}`;
}

/** Sends all three together. A connection that refused one of them is not used again. */
async function queryKeepingPlan(pool: Pool, statement: QueryConfig) {
	const client = await pool.connect();
	const [set, answered, reset] = await Promise.allSettled([
		client.query("set plan_cache_mode = force_generic_plan"),
		client.query(statement),
		client.query("reset plan_cache_mode"),
	]);
	const failed = [answered, set, reset].find(({ status }) => status === "rejected");
	client.release(failed !== undefined);
	if (answered.status === "rejected") throw answered.reason;
	return answered.value;
}

/** Runs the last steps, and commits. A step may add another one: the loop reaches it too. */
async function finish(client: PoolClient, state: TxState): Promise<void> {
	const { beforeCommit } = state;
	if (beforeCommit.length > 0 && beforeCommit.every(({ singleStatement }) => singleStatement)) {
		// If a statement fails, the server answers the commit after it with a rollback.
		const stepped = Promise.allSettled(beforeCommit.map(({ run }) => run()));
		state.ended = true;
		const committed = commit(client);
		committed.catch(() => {});
		for (const step of await stepped)
			if (step.status === "rejected") throw afterCommit(step.reason);
		return committed;
	}
	for (const { run } of beforeCommit) await run();
	state.ended = true;
	await commit(client);
}

/** Returns the error for a failure after the commit was sent: it may still have been done. */
function afterCommit(error: unknown): unknown {
	return brokenConnections.has(error) ? dbFault.outcomeUnknown({ cause: error }) : error;
}

/**
 * Commits; throws `not_committed` if the answer is ROLLBACK, which PostgreSQL sends without an
 * error for a failed transaction.
 */
async function commit(client: PoolClient): Promise<void> {
	const { command } = await noting(client.query("commit")).catch((error) => {
		throw isRolledBack(error) ? error : dbFault.outcomeUnknown({ cause: error });
	});
	if (command !== "COMMIT") {
		throw dbFault.notCommitted({ detail: `commit was answered by ${command}` });
	}
}

/** Runs hints. The data is committed, so a failing hint must not reach the caller. */
function runHints(hints: readonly (() => void)[], log: Log): void {
	for (const hint of hints) {
		try {
			hint();
		} catch (error) {
			log.error("a hint after a commit failed", { error });
		}
	}
}

/**
 * Makes a statement; one with values is prepared once per connection: planning the figures of one
 * live block took as long as running them. Texts are the program's own, so there are few; generated
 * texts would fill the server's memory, so beyond the limit they are planned each time.
 */
function statementOf(text: string, values: readonly SqlValue[]): QueryConfig {
	const config = { text, values: values.map(storable) };
	if (values.length === 0) return config;
	const name = preparedNames.get(text) ?? nameFor(text);
	return name === null ? config : { ...config, name };
}

function storable(value: SqlValue): SqlValue {
	if (typeof value === "string") return storableText(value);
	return Array.isArray(value) ? storableList(value) : value;
}

/** Returns the list itself where nothing in it is replaced: a range has thousands of values. */
function storableList(values: readonly SqlValue[]): readonly SqlValue[] {
	return values.some((value) => storable(value) !== value) ? values.map(storable) : values;
}

function nameFor(text: string): string | null {
	if (preparedNames.size >= PREPARED_MAX) return null;
	const name = `s${preparedNames.size}`;
	preparedNames.set(text, name);
	return name;
}

function openTx(client: PoolClient, state: TxState): Tx {
	const open = () => assert(!state.ended, "a transaction was used after it ended");
	return {
		...queryable(async (text, values) => {
			open();
			return await noting(client.query(statementOf(text, values)));
		}),
		inTransaction: true,
		async copy(into, chunks) {
			open();
			// A COPY needs the connection for itself, so earlier statements must be answered first.
			await client.query("");
			// Meanwhile it may have been given up: what came then would be stored by itself, for good.
			open();
			Reflect.set(client, "pipeline", false);
			try {
				const stream = client.query(copyFrom(`copy ${into} from stdin (format binary)`));
				await pipeline(Readable.from(framed(chunks), { objectMode: false }), stream);
				return stream.rowCount ?? 0;
			} finally {
				Reflect.set(client, "pipeline", true);
			}
		},
		beforeCommit: (run, { singleStatement = false } = {}) => {
			open();
			state.beforeCommit.push({ run, singleStatement });
		},
		afterCommit: (run) => {
			assert(!state.closed, "a transaction was used after it ended");
			state.afterCommit.push(run);
		},
	};
}

function* framed(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
	yield copyBegin();
	yield* chunks;
	yield copyEnd();
}

function typeParser(oid: number, format?: "text" | "binary") {
	if (oid === INT8_OID && format !== "binary") return parseInt8;
	return types.getTypeParser(oid, format);
}

/**
 * Parses an int8. Block numbers and sequences stay far below 2^53. A larger value must neither be
 * rounded nor make the whole answer fail, so it becomes an exact bigint, which fails if code
 * computes with it as a number.
 */
function parseInt8(text: string): number | bigint {
	const value = Number(text);
	return Number.isSafeInteger(value) ? value : BigInt(text);
}
