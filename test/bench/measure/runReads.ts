import { Client } from "pg";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";
import { fillIndex } from "#test/bench/fill/fillIndex.ts";
import { MIGRATIONS } from "#test/bench/fill/migrations.ts";
import { type Ask, compareReads, type ReadComparison } from "#test/bench/measure/compareReads.ts";
import { createReads } from "#test/bench/measure/createReads.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { readPaths } from "#test/bench/measure/readPaths.ts";

export type ReadsOptions = {
	scope: Scope;
	calls?: number;
	/** Smaller ones, to see that it works. */
	sizes?: { small: FillOptions; large: FillOptions };
	say(line: string): void;
	/** What else is measured on the large index, after the reads and before it is removed. */
	afterwards?(large: { socketDir: string; database: string; nowMs: number }): Promise<void>;
};

/** Two in the morning: a window of 24 hours then has the most hours and minutes to add up. */
const SHAPE = {
	collections: 2_500,
	days: 180,
	nowMs: Date.parse("2026-11-20T02:07:30.500Z"),
	chainIds: [1, 8_453],
} satisfies Omit<FillOptions, "events" | "recentEvents">;

const SIZES = {
	small: { ...SHAPE, events: 100_000, recentEvents: 10_000 },
	large: { ...SHAPE, events: 10_000_000, recentEvents: 1_000_000 },
};

const LARGE = "large";
const CALLS = 300;
const CONNECTIONS_MAX = 10;

/**
 * Reads of an index of 10 million events, a million of them of the last 24 hours, beside one of a
 * hundredth of that, on one embedded server with its usual settings. Takes a few minutes and 7 GB.
 */
export async function runReads(options: ReadsOptions): Promise<ReadComparison[]> {
	const { scope, calls = CALLS, sizes = SIZES, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const small = await openFilled(scope, { server, name: "small", fill: sizes.small, say });
	const large = await openFilled(scope, { server, name: LARGE, fill: sizes.large, say });
	say("reading");
	const compared = await compareReads({ small: small.ask, large: large.ask }, readPaths, calls);
	await small.close();
	await large.close();
	const { socketDir } = data;
	await options.afterwards?.({ socketDir, database: LARGE, nowMs: SHAPE.nowMs });
	await stopServer();
	await data.remove();
	return compared;
}

async function openFilled(
	scope: Scope,
	options: {
		server: { connectionString: string };
		name: string;
		fill: FillOptions;
		say(line: string): void;
	},
): Promise<{ ask: Ask; close(): Promise<void> }> {
	const { server, name, fill, say } = options;
	const admin = new Client({ connectionString: server.connectionString });
	await admin.connect();
	await admin.query(`create database ${name}`);
	await admin.end();
	// Not by `URL`: it refuses the form without a host that stands for a socket.
	const connectionString = server.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`);
	await migrate(connectionString, MIGRATIONS, silentLog);
	const beganMs = performance.now();
	await fillIndex(connectionString, fill);
	const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
	say(`filled an index of ${fill.events} events in ${seconds} s`);
	const db = openDatabase({
		connectionString,
		connectionsMax: CONNECTIONS_MAX,
		applicationName: "tapeline bench",
		log: silentLog,
	});
	return { ask: createReads(db, fill), close: scope.defer(() => db.close()) };
}
