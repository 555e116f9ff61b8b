import { findReverts } from "./findReverts.ts";
import type { OpenChain } from "./openChain.ts";
import { readHead } from "./readHead.ts";
import { runTraffic } from "./runTraffic.ts";
import type { Actor } from "./World.ts";

export type Live = {
	actors: readonly Actor[];
	paceMs: number;
	signal: AbortSignal;
	nowMs(): number;
	say(line: string): void;
	/** Called between blocks, when chain and world agree. */
	afterBlock(): Promise<void>;
};

// Anvil keeps every trace: some 40 KB a transaction, 180 MB an hour at two seconds per block. So
// after an hour without a restart the world slows down.
const FULL_PACE_MS = 3_600_000;
const SLOW_FACTOR = 5;
const LIVE_SHARE = { sales: 0.13, mints: 0.35 };

/** Mines a block of traffic at each beat until the signal. */
export async function runLive(chain: OpenChain, live: Live): Promise<void> {
	const startMs = live.nowMs();
	while (!live.signal.aborted) {
		const beganMs = live.nowMs();
		try {
			await beat(chain, live);
		} catch (cause) {
			if (live.signal.aborted) return;
			live.say(`a block was not mined: ${cause instanceof Error ? cause.message : String(cause)}`);
			await resume(chain, live);
		}
		const slow = beganMs - startMs > FULL_PACE_MS ? SLOW_FACTOR : 1;
		await pause(live.paceMs * slow - (live.nowMs() - beganMs), live.signal);
	}
}

async function beat({ anvil, world }: OpenChain, live: Live): Promise<void> {
	const before = await readHead(anvil.rpc);
	const timeS = Math.max(Math.floor(live.nowMs() / 1_000), before.timeS + 1);
	const people = { world, actors: live.actors };
	const meaning = await runTraffic(anvil.rpc, people, [{ timeS, share: LIVE_SHARE }]);
	const { reverted } = await findReverts(anvil.rpc, {
		fromBlock: before.number + 1,
		toBlock: (await readHead(anvil.rpc)).number,
	});
	for (const hash of reverted) {
		// People's transactions may revert; only our own must succeed.
		const tx = meaning.get(hash);
		if (tx) live.say(`${tx.label} reverted: ${hash}`);
	}
	await live.afterBlock();
}

/**
 * Recovers after a failed block: the pool may hold a part of it, so it is mined and the nonces are
 * read from the chain.
 */
async function resume({ anvil, world }: OpenChain, live: Live): Promise<void> {
	try {
		await anvil.rpc.call("evm_mine", []);
		const calls = live.actors.map((actor) => ({
			method: "eth_getTransactionCount",
			params: [actor.address, "latest"],
		}));
		world.nonces = (await anvil.rpc.batch(calls)).map(Number);
	} catch {
		// Anvil does not answer: its exit is noticed elsewhere, and the next beat tries again.
	}
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms <= 0 || signal.aborted) return;
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	await promise.finally(() => clearTimeout(timer));
}
