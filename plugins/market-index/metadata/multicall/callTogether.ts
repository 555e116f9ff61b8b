import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { answerOf, isRefusal, type View } from "#plugins/market-index/metadata/callContract.ts";
import {
	aggregateCall,
	MULTICALL,
	readAggregate,
} from "#plugins/market-index/metadata/multicall/aggregateCall.ts";

type CallOptions = Pick<RpcOptions, "minBlock"> & { signal: AbortSignal };

/** What is known of one chain's Multicall3. */
type Known = {
	/** Null until it was looked for. */
	isThere: boolean | null;
	/** Requests since it was not found. */
	without: number;
	/** Views in one call: fewer after failures, more again after successes. */
	viewsMax: number;
};

/** With fewer views it is not worth using. */
const VIEWS_WORTH = 8;
const VIEWS_AT_FIRST = 100;
const VIEWS_MIN = 4;
const VIEWS_MAX = 250;
/** A chain without it may get it: it is looked for again after so many requests. */
const LOOKED_FOR_EVERY = 256;
/** A larger answer is refused before it is read, and fewer views are sent in the next call. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Answers by view, and whether those without an answer failed in such a call. */
export type Together = { answers: (Hex | null | undefined)[]; isTried: boolean };

/** By chain, and released with it: each purpose of a chain has one `Rpc`. */
const chains = new WeakMap<Rpc, Known>();

/**
 * Calls many views by few calls, where the chain has Multicall3: answers are bytes, null where a
 * view answered none, and undefined where nothing was learned and it has to be called alone. Throws
 * where no node answered.
 */
export async function callTogether(
	rpc: Rpc,
	views: readonly View[],
	options: CallOptions,
): Promise<Together> {
	const answers = new Array<Hex | null | undefined>(views.length).fill(undefined);
	if (views.length < VIEWS_WORTH) return { answers, isTried: false };
	const known = chains.get(rpc) ?? { isThere: null, without: 0, viewsMax: VIEWS_AT_FIRST };
	chains.set(rpc, known);
	if (!(await isThere(rpc, known, options.signal))) return { answers, isTried: false };
	let isTried = true;
	for (let at = 0; at < views.length; ) {
		const part = views.slice(at, at + known.viewsMax);
		const found = await ask(rpc, part, options);
		const answered = found?.filter((answer) => answer !== undefined).length ?? 0;
		// Where none answers the contract lacks the function: that does not depend on the size.
		const isGood = found !== null && (answered === 0 || answered * 2 >= part.length);
		known.viewsMax = isGood
			? Math.min(known.viewsMax * 2, VIEWS_MAX)
			: Math.max(Math.floor(known.viewsMax / 2), VIEWS_MIN);
		for (const [index, answer] of (found ?? []).entries()) answers[at + index] = answer;
		// After a failure the rest is called singly at once, and no view is judged by another one.
		if (found === null && known.viewsMax === VIEWS_MIN) known.isThere = false;
		if (!isGood) {
			isTried = false;
			break;
		}
		at += part.length;
	}
	return { answers, isTried };
}

async function isThere(rpc: Rpc, known: Known, signal: AbortSignal): Promise<boolean> {
	if (known.isThere) return true;
	known.without = (known.without + 1) % LOOKED_FOR_EVERY;
	if (known.isThere === false && known.without !== 0) return false;
	const call = { method: "eth_getCode", params: [MULTICALL, "latest"] };
	try {
		const code = await rpc.call(call, { signal });
		known.isThere = typeof code === "string" && /^0x[0-9a-f]{2}/i.test(code);
	} catch (error) {
		// If no node answers now it is looked for again next time; after a refusal it is not.
		known.isThere = isRefusal(error) ? false : null;
	}
	return known.isThere === true;
}

/** Returns null where the call as a whole was refused, or has no valid answer. */
async function ask(
	rpc: Rpc,
	views: readonly View[],
	options: CallOptions,
): Promise<(Hex | null | undefined)[] | null> {
	try {
		const bounded = { ...options, bodyBytesMax: ANSWER_BYTES_MAX };
		const answer = await rpc.call(aggregateCall(views), bounded);
		const found = readAggregate(answer, views.length);
		return found?.map((data) => (data === undefined ? undefined : answerOf(data))) ?? null;
	} catch (error) {
		if (isRefusal(error)) return null;
		throw error;
	}
}
