import { startAnvil } from "#test/harness/anvil.ts";

export type NodeCall = { method: string; params?: readonly unknown[] };

/** Describes a private chain that mines only when told to, with blocks of any size. */
export type Node = {
	pid: number;
	url: string;
	wsUrl: string;
	call<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
	/** Sends all calls in one HTTP request; the first error of any call throws. */
	batch(calls: readonly NodeCall[]): Promise<void>;
	stop(): Promise<void>;
};

/** The first block's time, by default: a fixed one, so that every run has the same candles. */
const GENESIS_SECONDS = 1_700_000_000;
/**
 * States of so many newest blocks are kept; logs and transactions of older ones are still served.
 */
const STATES_KEPT = 256;

export type NodeOptions = { genesisSeconds?: number };

export async function startNode({ genesisSeconds }: NodeOptions = {}): Promise<Node> {
	const anvil = await startAnvil({
		args: [
			...["--no-mining", "--order", "fifo", "--accounts", "1", "--balance", "1000000"],
			...["--gas-limit", "200000000", "--base-fee", "0", "--disable-min-priority-fee"],
			...["--timestamp", String(genesisSeconds ?? GENESIS_SECONDS)],
			// Otherwise older states go to disk, gigabytes of them, and what is measured shares that
			// disk.
			...["--prune-history", String(STATES_KEPT)],
		],
	});
	await anvil.rpc("anvil_setLoggingEnabled", [false]);
	return {
		pid: anvil.pid,
		url: anvil.url,
		wsUrl: anvil.wsUrl,
		call: anvil.rpc,
		async batch(calls) {
			const body = calls.map(({ method, params = [] }, id) => ({
				jsonrpc: "2.0",
				id,
				method,
				params,
			}));
			const response = await fetch(anvil.url, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			});
			const answers = (await response.json()) as { error?: { message: string } }[];
			const failed = answers.find(({ error }) => error);
			if (failed?.error)
				throw new Error(`the bench's chain refused a call: ${failed.error.message}`);
		},
		stop: anvil.stop,
	};
}
