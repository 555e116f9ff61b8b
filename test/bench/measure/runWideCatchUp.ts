import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import { fillChain } from "#test/bench/chain/fillChain.ts";
import { contentsOf, WIDE_WORKLOAD } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { type CatchUp, runCatchUp } from "#test/bench/measure/runCatchUp.ts";

export type WideOptions = {
	scope: Scope;
	runtimeArgs: readonly string[];
	/** The index that has its rows already, with the time of its newest. */
	index: { socketDir: string; database: string; nowMs: number };
	say(line: string): void;
};

/** Measures a chain of many collections and slow blocks, indexed into many rows of other chains. */
export async function runWideCatchUp(options: WideOptions): Promise<CatchUp> {
	const { scope, runtimeArgs, index, say } = options;
	const workload = WIDE_WORKLOAD;
	await countOnFromFilled(socketUrl(index.socketDir, index.database));
	say("filling a wide chain");
	// The index's last hours: then the chain's rows share its months, and so its trees.
	const spanSeconds = workload.blocks * workload.blockSeconds;
	const genesisSeconds = Math.floor(index.nowMs / 1_000) - spanSeconds;
	const node = await fillChain(workload, { genesisSeconds });
	const stopNode = scope.defer(node.stop);
	say("catching up with the wide chain");
	const rpcUrls = [node.url];
	const on = { socketDir: index.socketDir, database: index.database };
	const contents = contentsOf(workload);
	const given = { scope, contents, node, rpcUrls, on, runtimeArgs };
	const wide = await runCatchUp({ ...given, sampleTree: false });
	await stopNode();
	return wide;
}

/** Sets the sequence after the filled rows: the fill numbered its collections itself. */
async function countOnFromFilled(connectionString: string): Promise<void> {
	const client = new Client({ connectionString });
	await client.connect();
	await client.query(
		`select setval(pg_get_serial_sequence('market_index.collection', 'id'), max(id))
		from market_index.collection`,
	);
	await client.end();
}
