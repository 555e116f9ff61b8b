import { Client } from "pg";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";
import { fillIndex } from "#test/bench/fill/fillIndex.ts";
import { MIGRATIONS } from "#test/bench/fill/migrations.ts";
import type { Ask } from "#test/bench/measure/compareReads.ts";
import { createReads } from "#test/bench/measure/createReads.ts";

export type FilledIndex = {
	connectionString: string;
	/** The market's routes over it. */
	ask: Ask;
	close(): Promise<void>;
};

const CONNECTIONS_MAX = 10;

/** Opens a database of its own on a server, filled, and read through the routes. */
export async function openFilled(
	scope: Scope,
	options: {
		server: { connectionString: string };
		name: string;
		fill: FillOptions;
		say(line: string): void;
	},
): Promise<FilledIndex> {
	const { server, name, fill, say } = options;
	const admin = new Client({ connectionString: server.connectionString });
	await admin.connect();
	await admin.query(`create database ${name}`);
	await admin.end();
	// Not by `URL`: it refuses the form without a host, which means a socket.
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
	return { connectionString, ask: createReads(db, fill), close: scope.defer(() => db.close()) };
}
