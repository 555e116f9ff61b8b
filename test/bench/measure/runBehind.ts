import type { Node } from "#test/bench/chain/startNode.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { BENCH_CHAIN_ID } from "#test/bench/measure/assertComplete.ts";
import { type IndexProbe, openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { startServiceProcess } from "#test/bench/measure/startServiceProcess.ts";
import { untilCaughtUp } from "#test/bench/measure/untilCaughtUp.ts";

/** A start behind a resting head: the newest rows and the whole, of the same run. */
export type Behind = {
	/** From the lanes' start to all rows of the newest block. */
	headSeconds: number;
	/** From the same moment until nothing is owed. */
	wholeSeconds: number;
	/** Rows that were missing at the start. */
	rows: number;
};

export type BehindOptions = {
	scope: Scope;
	runtimeArgs: readonly string[];
	node: Pick<Node, "url" | "wsUrl" | "call">;
	/** Makes the blocks that the service is behind by, with these rows in all and in the last. */
	mine(): Promise<void>;
	rows: number;
	rowsAtTip: number;
};

const LANES = 2;
const POLL_MS = 10;
const TIMEOUT_MS = 240_000;

/** Stops a service at the head of a chain that goes on without it, and starts it again. */
export async function runBehind(options: BehindOptions): Promise<Behind> {
	const { scope, node, rows, rowsAtTip, runtimeArgs } = options;
	const data = await openDataDir(scope);
	const rpcUrls = [node.url, node.wsUrl];
	const start = () => {
		const service = startServiceProcess({ rpcUrls, dataDir: data.path, runtimeArgs });
		return { service, stop: scope.defer(service.stop) };
	};
	const first = start();
	await Promise.race([untilCaughtUp(node, data.socketDir), first.service.failed]);
	const leases = await leaseTokens(data.socketDir);
	await first.stop();
	await data.ended();
	await options.mine();
	const tip = Number(await node.call("eth_blockNumber"));
	const { service, stop } = start();
	const probe = await Promise.race([openIndexProbe(data.socketDir), service.failed]);
	const closeProbe = scope.defer(probe.close);
	const seconds = await Promise.race([watch(probe, { tip, leases, rowsAtTip }), service.failed]);
	await closeProbe();
	await stop();
	await data.remove();
	return { rows, ...seconds };
}

async function leaseTokens(socketDir: string): Promise<number> {
	const probe = await openIndexProbe(socketDir);
	const tokens = await probe.leaseTokens();
	await probe.close();
	return tokens;
}

async function watch(
	probe: IndexProbe,
	{ tip, leases, rowsAtTip }: { tip: number; leases: number; rowsAtTip: number },
): Promise<Pick<Behind, "headSeconds" | "wholeSeconds">> {
	let lanesAtMs = Number.NaN;
	let headAtMs = Number.NaN;
	const newest = { chainId: BENCH_CHAIN_ID, number: tip };
	const deadlineMs = Date.now() + TIMEOUT_MS;
	while (Date.now() < deadlineMs) {
		if (Number.isNaN(lanesAtMs) && (await probe.leaseTokens()) > leases) lanesAtMs = Date.now();
		const isHeadThere = !Number.isNaN(headAtMs);
		if (!isHeadThere && (await probe.rowsOf(newest)) === rowsAtTip) headAtMs = Date.now();
		const { lanes } = await probe.progress();
		const isLevel = lanes.length === LANES && lanes.every((block) => block >= tip);
		if (isHeadThere && isLevel && (await probe.owed()) === 0) {
			const since = (ms: number) => (ms - lanesAtMs) / 1_000;
			return { headSeconds: since(headAtMs), wholeSeconds: since(Date.now()) };
		}
		await Bun.sleep(POLL_MS);
	}
	throw new Error("what was behind the head never became whole");
}
