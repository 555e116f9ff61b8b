import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Pool, type PoolClient, types } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Database, DatabaseOptions, Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** A transaction that waits for us this long is ours and hung: PostgreSQL ends it, and its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

const INT8_OID = 20;

/**
 * Opens a pool on a PostgreSQL server. Connects on first use.
 *
 * One driver, `pg`, reads and writes: a transaction cannot span two, and COPY in `postgres` never
 * settles when the server refuses a row (upstream issue 1173).
 */
export function openDatabase(options: DatabaseOptions): Database {
	const pool = new Pool({
		connectionString: options.connectionString,
		max: options.connectionsMax,
		application_name: options.applicationName,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		statement_timeout: STATEMENT_TIMEOUT_MS,
		idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
		types: { getTypeParser: typeParser },
	});
	// A connection that breaks while idle is replaced; without a listener it would end the process.
	pool.on("error", (error) => options.log.warn("an idle database connection broke", { error }));

	return {
		...queryable((text, values) => pool.query(text, [...values])),
		connectionString: options.connectionString,
		transaction: (run) => runTransaction(pool, run),
		close: () => pool.end(),
	};
}

type RunStatement = (
	text: string,
	values: readonly SqlValue[],
) => Promise<{ rows: unknown[]; rowCount: number | null }>;

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
	run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
	const client = await pool.connect();
	const hooks: Hooks = { beforeCommit: [], afterCommit: [] };
	let broken: unknown;
	try {
		await client.query("begin");
		const result = await run(openTx(client, hooks));
		for (const step of hooks.beforeCommit) await step();
		await client.query("commit");
		for (const hint of hooks.afterCommit) hint();
		return result;
	} catch (error) {
		// A failed rollback means the connection is gone, and the server rolls back by itself.
		await client.query("rollback").catch((failure) => {
			broken = failure;
		});
		throw error;
	} finally {
		client.release(broken !== undefined);
	}
}

type Hooks = { beforeCommit: (() => Promise<void>)[]; afterCommit: (() => void)[] };

function openTx(client: PoolClient, hooks: Hooks): Tx {
	return {
		...queryable((text, values) => client.query(text, [...values])),
		inTransaction: true,
		async copy(into, chunks) {
			const stream = client.query(copyFrom(`copy ${into} from stdin`));
			await pipeline(Readable.from(chunks, { objectMode: false }), stream);
			return stream.rowCount ?? 0;
		},
		beforeCommit: (run) => {
			hooks.beforeCommit.push(run);
		},
		afterCommit: (run) => {
			hooks.afterCommit.push(run);
		},
	};
}

function typeParser(oid: number, format?: "text" | "binary") {
	if (oid === INT8_OID && format !== "binary") return parseInt8;
	return types.getTypeParser(oid, format);
}

/** Block numbers and sequences stay far below 2^53; whatever does not is our own mistake. */
function parseInt8(text: string): number {
	const value = Number(text);
	assert(Number.isSafeInteger(value), `int8 ${text} does not fit a number`);
	return value;
}
