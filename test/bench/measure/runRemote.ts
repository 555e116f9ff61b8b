import type { Node } from "#test/bench/chain/startNode.ts";
import type { Contents } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { NodeLimits } from "#test/bench/measure/nodeLimits.ts";
import { type CatchUp, runCatchUp } from "#test/bench/measure/runCatchUp.ts";
import {
	type CountingProxy,
	type RpcCounts,
	startCountingProxy,
} from "#test/bench/measure/startCountingProxy.ts";

/** A catch-up with a node that is far away or limits, and what follows the last row. */
export type Remote = {
	catchUp: CatchUp;
	/** Calls until the last row was there. */
	toLastRow: RpcCounts;
	/** Calls until only the head was read: names, kinds, supplies. */
	toLastName: RpcCounts;
	/** From the lanes' start to the last of these calls. */
	lastNameSeconds: number;
};

export type RemoteOptions = {
	scope: Scope;
	contents: Contents;
	node: Node;
	limits: NodeLimits;
	runtimeArgs: readonly string[];
};

/** Called for as long as the service runs: they do not mean that work is left. */
const OF_THE_HEAD = new Set(["eth_blockNumber", "eth_getBlockByNumber", "eth_chainId"]);
/** A refused call is repeated within this time. */
const QUIET_MS = 8_000;
const QUIET_TIMEOUT_MS = 180_000;
const LOOK_EVERY_MS = 50;

/** A proxy on this machine counts as a node of the operator's own, where calls cost nothing. */
const BILLED = { CHAIN_RPC_COMPUTE_UNITS_JSON: '{"*":1}' };

/** Catches up with a chain through a proxy that delays, limits and counts. */
export async function runRemote(options: RemoteOptions): Promise<Remote> {
	const { scope, node, limits, ...rest } = options;
	const proxy = startCountingProxy(node.url, limits);
	const stopProxy = scope.defer(proxy.stop);
	let toLastRow = proxy.counts();
	let lastNameSeconds = Number.NaN;
	const catchUp = await runCatchUp({
		...rest,
		scope,
		node,
		rpcUrls: [proxy.url],
		env: BILLED,
		sampleTree: false,
		async afterwards({ lanesAtMs }) {
			toLastRow = proxy.counts();
			lastNameSeconds = ((await untilQuiet(proxy)) - lanesAtMs) / 1_000;
		},
	});
	const toLastName = proxy.counts();
	await stopProxy();
	return { catchUp, toLastRow, toLastName, lastNameSeconds };
}

/** Waits until only the head is read; returns when the last other call came. */
async function untilQuiet(proxy: CountingProxy): Promise<number> {
	let seen = -1;
	let lastMs = Date.now();
	const deadlineMs = Date.now() + QUIET_TIMEOUT_MS;
	while (Date.now() < deadlineMs) {
		const asked = questionsIn(proxy.counts());
		const nowMs = Date.now();
		if (asked !== seen) lastMs = nowMs;
		if (nowMs - lastMs > QUIET_MS) return lastMs;
		seen = asked;
		await Bun.sleep(LOOK_EVERY_MS);
	}
	throw new Error("the service never stopped asking");
}

function questionsIn({ methods }: RpcCounts): number {
	return Object.entries(methods)
		.filter(([method]) => !OF_THE_HEAD.has(method))
		.reduce((sum, [, count]) => sum + count, 0);
}
