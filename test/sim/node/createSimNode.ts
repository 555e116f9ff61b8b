// Makes one endpoint on a simulated chain, with faults from its own random source.

import {
	type Rpc,
	type RpcCall,
	type RpcOptions,
	type RpcOutcome,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { sleep } from "#core/time.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { Branch, SimChain } from "#test/sim/chain/createSimChain.ts";
import { answerCall, type View } from "#test/sim/node/answerCall.ts";
import { lies, type NodeKnobs } from "#test/sim/node/lies.ts";
import type { Tally } from "#test/sim/Tally.ts";

export type SimNode = ReturnType<typeof createSimNode>;

const DELAY_MS_MAX = 6;
/** A little less than the depth that the product is told to expect. */
const SETTLED_DEPTH = 60;

/**
 * One RPC endpoint on a simulated chain. Its faults are drawn from its own random source, request
 * by request: the nth request meets the same fault in every replay.
 */
export function createSimNode(options: {
	chainId: number;
	chain: SimChain;
	/** Another chain, for when the endpoint is swapped under us. */
	stranger: SimChain;
	knobs: NodeKnobs;
	prng: Prng;
	tally: Tally;
}) {
	const { chainId, chain, stranger, knobs, prng, tally } = options;
	const { roundTripMs = 0 } = knobs;
	const state = {
		healthy: false,
		down: false,
		swapped: false,
		lagBlocks: 0,
		stale: null as Branch | null,
		refused: new Set<number>(),
		/** Grows when every connection breaks. */
		wiring: 0,
	};
	let requests = 0;
	let calls = 0;
	const listeners = new Set<() => void>();

	function view(): View {
		if (state.swapped) {
			const branch = stranger.branch();
			const head = branch.blocks.length - 1;
			const refused = new Set<number>();
			return {
				chainId: chainId + 7,
				branch,
				head,
				rangeMax: 1e9,
				refused,
				orphan: () => undefined,
			};
		}
		const branch = state.stale ?? chain.branch();
		if (state.stale && state.stale !== chain.branch()) tally.add("stale_fork");
		if (state.lagBlocks > 0) tally.add("lag");
		return {
			chainId,
			branch,
			head: Math.max(0, branch.blocks.length - 1 - state.lagBlocks),
			rangeMax: state.healthy ? Number.POSITIVE_INFINITY : knobs.rangeMax,
			refused: state.refused,
			orphan: (hash) => (knobs.keepsOrphans ? chain.blockOf(hash) : undefined),
		};
	}

	/** Before the first call of a request: it may be lost, or take its time. */
	async function arrive(signal: AbortSignal | undefined): Promise<void> {
		requests++;
		for (const listener of [...listeners]) listener();
		const isLost = !state.healthy && prng.chance(knobs.errorRate);
		const isLate = !state.healthy && prng.chance(knobs.delayRate);
		await sleep(roundTripMs + (isLate ? 1 + prng.int(DELAY_MS_MAX) : 0), signal);
		if (isLate) tally.add("rpc_delay");
		if (signal?.aborted) throw rpcFault.transport({ detail: "given up" });
		if (state.down) tally.add("rpc_down");
		else if (isLost) tally.add("rpc_error");
		if (state.down || isLost) throw rpcFault.transport({ detail: "nobody answers" });
	}

	async function answer(call: RpcCall, now: View): Promise<unknown> {
		calls++;
		if (call.method === "eth_getBlockByNumber" && call.params[1] === true)
			tally.add("whole_header");
		try {
			const truth = structuredClone(answerCall(now, call));
			return state.healthy || state.swapped ? truth : lie(call, truth);
		} catch (error) {
			if (error instanceof Fault && error.code === "rpc_range") tally.add("range_refused");
			throw error;
		}
	}

	function lie(call: RpcCall, truth: unknown): unknown {
		// Few answers have logs, and those are what most lies are about.
		const hasLogs = call.method === "eth_getLogs" && Array.isArray(truth) && truth.length > 0;
		const isDue = prng.chance(hasLogs ? 2 * knobs.lieRate : knobs.lieRate / 2);
		if (knobs.lies.length === 0 || !isDue) return truth;
		const name = prng.pick(knobs.lies);
		const settledAt = chain.headMax() - SETTLED_DEPTH;
		const told = lies[name]({ call, answer: truth, prng, settledAt });
		if (told === undefined) return truth;
		tally.add(`lie_${name}`);
		return told;
	}

	async function each<Result>(
		batched: readonly RpcCall[],
		{ signal }: RpcOptions,
		one: (call: RpcCall, now: View) => Promise<Result>,
	): Promise<Result[]> {
		const results: Result[] = [];
		const { wiring } = state;
		let now = view();
		for (const call of batched) {
			if (results.length > 0 && !state.healthy && prng.chance(knobs.splitRate)) {
				tally.add("split_batch");
				await sleep(1, signal);
				// Backends of one chain share an address; another chain's node is another connection.
				if (wiring !== state.wiring) throw connectionBroke();
				now = view();
			}
			results.push(await one(call, now));
		}
		return results;
	}

	/** What one process has of this endpoint: a connection that breaks when the node is swapped. */
	function connect(): Rpc {
		let wiring = state.wiring;
		const arrived = async (signal: AbortSignal | undefined) => {
			await arrive(signal);
			if (wiring === state.wiring) return;
			wiring = state.wiring;
			throw connectionBroke();
		};
		return {
			async call(call, { signal } = {}) {
				await arrived(signal);
				return answer(call, view());
			},
			async batch(batched, callOptions = {}) {
				await arrived(callOptions.signal);
				return each(batched, callOptions, answer);
			},
			async settle(batched, callOptions = {}) {
				await arrived(callOptions.signal);
				return each(batched, callOptions, settled);
			},
			distrust: () => tally.add("saw_distrust"),
			stats: () => ({ requests, calls, bytes: 0 }),
		};
	}

	async function settled(call: RpcCall, now: View): Promise<RpcOutcome> {
		try {
			return { kind: "result", result: await answer(call, now) };
		} catch (fault) {
			if (fault instanceof Fault) return { kind: "fault", fault };
			throw fault;
		}
	}

	return {
		connect,
		state,
		roundTripMs,
		pushLieRate: knobs.pushLieRate,
		/** What it knows at this moment. */
		view,
		/** From now on another chain's node, or our own again; either way all connections break. */
		swap(swapped: boolean) {
			if (swapped !== state.swapped) state.wiring++;
			state.swapped = swapped;
		},
		/** Calls back at each request; answers how to stop. */
		onRequest(listener: () => void) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		/** Everything that is wrong with it ends. */
		heal() {
			if (state.swapped) state.wiring++;
			const well = { healthy: true, down: false, swapped: false, lagBlocks: 0, stale: null };
			Object.assign(state, well, { refused: new Set<number>() });
		},
	};
}

function connectionBroke(): Fault {
	return rpcFault.transport({ detail: "the connection broke" });
}
