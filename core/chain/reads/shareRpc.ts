// Joins questions to a node that come at the same time into one request.

import {
	type Rpc,
	type RpcCall,
	type RpcOptions,
	type RpcOutcome,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";

/** The most calls that share one request, and the most such requests at once. */
export const SHARED_CALLS_MAX = 100;

export const SHARED_REQUESTS_AT_ONCE = 2;

/** A shared request that takes longer is given up, and each of its callers asks alone. */
const SHARED_ANSWER_TIMEOUT_MS = 2_000;

type Asking = {
	calls: readonly RpcCall[];
	signal: AbortSignal | undefined;
	isReadable: RpcOptions["isReadable"];
	settle(answer: Promise<RpcOutcome[]>): void;
};

/**
 * Wraps an `Rpc` so that questions which come while others are under way share a request: otherwise
 * each question costs an HTTP request, and frequent ones (the newest block, the gas price) are
 * answered many times. No question waits for others, and none gets an answer from before it was
 * asked.
 *
 * If a shared request fails, or takes long, each caller asks alone, so that one's bad answer does
 * not affect others. Questions with options of their own (a quorum, a needed block) are not shared;
 * `isReadable` is applied to each caller's own results.
 */
export function shareRpc(rpc: Rpc, { answerMs = SHARED_ANSWER_TIMEOUT_MS } = {}): Rpc {
	const waiting: Asking[] = [];
	let underWay = 0;

	function begin(): void {
		while (underWay < SHARED_REQUESTS_AT_ONCE && waiting.length > 0) {
			const group = takeGroup(waiting);
			underWay++;
			void ask(rpc, group, answerMs).finally(() => {
				underWay--;
				begin();
			});
		}
	}

	function settle(calls: readonly RpcCall[], options: RpcOptions = {}): Promise<RpcOutcome[]> {
		const { signal, isReadable, ...others } = options;
		if (Object.keys(others).length > 0) return rpc.settle(calls, options);
		const { promise, resolve } = Promise.withResolvers<RpcOutcome[]>();
		waiting.push({ calls, signal, isReadable, settle: resolve });
		begin();
		return promise;
	}

	return {
		...rpc,
		settle,
		async call(call, options) {
			const [outcome] = await settle([call], options);
			if (outcome?.kind === "fault") throw outcome.fault;
			return outcome?.result;
		},
	};
}

function takeGroup(waiting: Asking[]): Asking[] {
	let calls = 0;
	const count = waiting.findIndex((one, place) => {
		calls += one.calls.length;
		return place > 0 && calls > SHARED_CALLS_MAX;
	});
	return waiting.splice(0, count < 0 ? waiting.length : count);
}

/** Settles all questions of a group; never throws. */
async function ask(rpc: Rpc, group: readonly Asking[], answerMs: number): Promise<void> {
	const [only] = group;
	if (only && group.length === 1) {
		const { signal, isReadable } = only;
		const alone = rpc.settle(only.calls, { signal, isReadable });
		only.settle(alone);
		await alone.catch(() => {});
		return;
	}
	const places = new Map<string, number>();
	const calls: RpcCall[] = [];
	const placeOf = (call: RpcCall): number => {
		const key = JSON.stringify([call.method, call.params]);
		const place = places.get(key) ?? calls.push(call) - 1;
		places.set(key, place);
		return place;
	};
	const wanted = group.map((one) => one.calls.map(placeOf));
	// A slow question (a simulation can be made to run long) must not delay the others: a caller
	// without an answer by then asks alone, and an aborted one stops waiting at once.
	const isReadable = readableBy(group, wanted);
	const asked = rpc.settle(calls, { signal: AbortSignal.timeout(answerMs), isReadable });
	for (const [index, { signal, settle, ...own }] of group.entries()) {
		const answer = asked.then(
			(outcomes) => (wanted[index] ?? []).flatMap((place) => outcomes[place] ?? []),
			() => rpc.settle(own.calls, { signal, isReadable: own.isReadable }),
		);
		settle(signal ? Promise.race([answer, calledOff(signal)]) : answer);
	}
	await asked.catch(() => {});
}

/** Returns a check that a result which several callers asked for is readable for each of them. */
function readableBy(
	group: readonly Asking[],
	wanted: readonly (readonly number[])[],
): RpcOptions["isReadable"] {
	const readers = new Map<number, ((result: unknown) => boolean)[]>();
	for (const [index, { isReadable }] of group.entries()) {
		for (const [own, place] of (wanted[index] ?? []).entries()) {
			if (!isReadable) continue;
			const all = readers.get(place) ?? [];
			all.push((result) => isReadable(result, own));
			readers.set(place, all);
		}
	}
	if (readers.size === 0) return undefined;
	return (result, place) => readers.get(place)?.every((reads) => reads(result)) ?? true;
}

function calledOff(signal: AbortSignal): Promise<never> {
	const fault = () => rpcFault.transport({ detail: "called off" });
	if (signal.aborted) return Promise.reject(fault());
	return new Promise((_, reject) => {
		signal.addEventListener("abort", () => reject(fault()), { once: true });
	});
}
