// Runs the bare script that the service is compared with.

import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import type { Node } from "#test/bench/chain/model.ts";
import type { Contents } from "#test/bench/chain/workload.ts";
import { openDataDir, type Scope } from "#test/bench/measure/startServiceProcess.ts";

const floorSchema = z.object({
	rows: z.number(),
	/** From the first request to the last commit. */
	seconds: z.number(),
	/** Used by the script itself, its start included. */
	cpuSeconds: z.number(),
	requests: z.number(),
	calls: z.number(),
	bytes: z.number(),
});

export type Floor = z.infer<typeof floorSchema>;

/** Runs the bare script against a server and a table like the service's, both fresh. */
export async function runFloor(scope: Scope, node: Node, contents: Contents): Promise<Floor> {
	const data = await openDataDir(scope);
	const starting = startEmbeddedServer({ dataDir: data.path, log: silentLog });
	// Registered before it is up: an interrupted start is waited for, and then stopped.
	const stopServer = scope.defer(async () => (await starting).close());
	const { connectionString } = await starting;
	await makeTable(connectionString, await firstBlockMs(node));
	const script = join(import.meta.dir, "floor.ts");
	const child = Bun.spawn(
		[process.execPath, script, node.url, connectionString, String(contents.tip)],
		{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
	);
	const stopChild = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const floor = floorSchema.parse(JSON.parse(await new Response(child.stdout).text()));
	await stopChild();
	await stopServer();
	await data.remove();
	const expected = contents.mints + contents.sales;
	if (floor.rows !== expected) throw new Error(`the floor has ${floor.rows} rows of ${expected}`);
	return floor;
}

/** Starts the bare script at the head of a node; returns where it publishes. */
export async function startBareHead(
	scope: Scope,
	node: Node,
): Promise<{ url: string; stop(): Promise<void> }> {
	const script = join(import.meta.dir, "bareHead.ts");
	const child = Bun.spawn([process.execPath, script, node.url, node.wsUrl], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const first = await new Promise<string>((resolve) => lines.once("line", resolve));
	const { url } = z.object({ url: z.string() }).parse(JSON.parse(first));
	return { url, stop };
}

/** Makes the index's own event table, with its indexes and the chain's month. */
async function makeTable(connectionString: string, atMs: number): Promise<void> {
	const { tables } = marketIndexPlugin;
	if (!tables) throw new Error("the index has no tables");
	await migrate(connectionString, [tables], silentLog);
	const db = openDatabase({
		connectionString,
		connectionsMax: 1,
		applicationName: "tapeline bench",
		log: silentLog,
	});
	await partitionsOf(db).ensure([atMs]);
	await db.close();
}

async function firstBlockMs(node: Node): Promise<number> {
	const block = await node.call<{ timestamp: string }>("eth_getBlockByNumber", ["0x1", false]);
	return Number(block.timestamp) * 1_000;
}
