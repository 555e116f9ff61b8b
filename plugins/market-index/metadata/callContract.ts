// Calls view functions of untrusted contracts, one by one or by Multicall3.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";

/** A view function of a contract, with its arguments. */
export type View = {
	contract: Address;
	data: Hex;
	/** True: its answer may be a document with a drawing, and take as much gas as nodes allow. */
	isLong?: boolean;
};

/** Answers by view, and whether those without an answer failed in such a call. */
type Together = { answers: (Hex | null | undefined)[]; isTried: boolean };

export type CallOptions = Pick<RpcOptions, "minBlock"> & {
	signal: AbortSignal;
	/** Gets the views that answered with more bytes than are read. */
	tooLong?: Set<View> | undefined;
};

/** Holds what is known of one chain's Multicall3. */
type Known = {
	/** Null until it was looked for. */
	isThere: boolean | null;
	/** Requests since it was not found. */
	without: number;
	/** Views in one call: fewer after failures, more again after successes. */
	viewsMax: number;
};

/** The most gas that a call to a contract may use at the node. */
const GAS_MAX = "0x4c4b40";

/**
 * Hex digits of the longest answer that is read: 128 KiB, where no document with a drawing is
 * expected. Longer ones are an attack or a mistake.
 */
const ANSWER_LENGTH_MAX = 262_144;

/**
 * The same where one is: 2 MiB, for a document of `DOCUMENT_BYTES_MAX` in base64. Drawings that are
 * on the chain reach several hundred KiB.
 */
const LONG_LENGTH_MAX = 4_194_304;
/** Limits the body that has such an answer. */
const LONG_BYTES_MAX = LONG_LENGTH_MAX + 65_536;

/** Multicall3, at the same address on some 250 chains (https://github.com/mds1/multicall3). */
export const MULTICALL: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** The gas limit of all views together: what nodes allow for one call. */
const MULTICALL_GAS_MAX = "0x2faf080";

/**
 * A call that succeeds only with the gas that a view alone may use: BLAKE2's precompile takes as
 * much as the first four bytes of its input say (EIP-152), and nodes need some 30 ms for it.
 */
const GAS_WITNESS: View = {
	contract: "0x0000000000000000000000000000000000000009",
	data: `0x${Number(GAS_MAX).toString(16).padStart(8, "0")}${"00".repeat(209)}`,
};

const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** The least number of views for which Multicall3 is used. */
const VIEWS_WORTH = 8;
const VIEWS_AT_FIRST = 100;
const VIEWS_MIN = 4;
const VIEWS_MAX = 250;
/** The number of requests after which Multicall3 is looked for again on a chain without it. */
const LOOKED_FOR_EVERY = 256;
/** A larger answer is refused before it is read, and fewer views are sent in the next call. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Holds the state of each chain, released with its `Rpc`: each purpose of a chain has one. */
const chains = new WeakMap<Rpc, Known>();

/**
 * Calls a view function of an untrusted contract. Null where it has no such function, reverts, or
 * answers too much; throws where no node of the chain answered, which is worth a retry.
 */
export async function callContract(
	rpc: Rpc,
	view: View,
	{ tooLong, ...options }: CallOptions,
): Promise<Hex | null> {
	const bounded = view.isLong ? { ...options, bodyBytesMax: LONG_BYTES_MAX } : options;
	try {
		return answerOf(await rpc.call(viewCall(view), bounded), view, tooLong);
	} catch (error) {
		if (isRefusal(error)) return null;
		throw error;
	}
}

/** Returns a view as a call, with its gas limit. */
export function viewCall({ contract, data, isLong }: View): RpcCall {
	const gas = isLong ? MULTICALL_GAS_MAX : GAS_MAX;
	return { method: "eth_call", params: [{ to: contract, data, gas }, "latest"] };
}

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

/**
 * Calls views again that failed among others, and proves that none of them lacked gas: the last of
 * these calls succeeds only with as much as a view alone may use, and what was left before it was
 * no less. Answers are null where a view fails nevertheless, and undefined where nothing is proven.
 * Throws where no node answered.
 */
export async function callProven(
	rpc: Rpc,
	views: readonly View[],
	options: CallOptions,
): Promise<(Hex | null | undefined)[]> {
	const answers: (Hex | null | undefined)[] = [];
	const size = chains.get(rpc)?.viewsMax ?? VIEWS_MIN;
	for (let at = 0; at < views.length; at += size) {
		const part = views.slice(at, at + size);
		const found = (await ask(rpc, [...part, GAS_WITNESS], options)) ?? [];
		const isProven = typeof found[part.length] === "string";
		for (const place of part.keys()) answers.push(found[place] ?? (isProven ? null : undefined));
	}
	return answers;
}

/** Returns the answer, or null where it is no bytes or too many (then its view is `tooLong`). */
export function answerOf(answer: unknown, view: View, tooLong?: Set<View>): Hex | null {
	if (typeof answer !== "string") return null;
	if (answer.length > (view.isLong ? LONG_LENGTH_MAX : ANSWER_LENGTH_MAX) + 2) {
		tooLong?.add(view);
		return null;
	}
	return isAnswer(answer) ? answer : null;
}

/**
 * Returns whether the node answered with a refusal. A revert's text is the contract's own, so one
 * that mentions limits looks like a range error. A timeout, or a node of another chain, is no
 * refusal.
 */
export function isRefusal(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return error.code === "rpc_refused" || error.code === "rpc_range";
}

/** Returns one `eth_call` of Multicall3 that makes all these calls; one failure stops no other. */
export function aggregateCall(views: readonly View[]): RpcCall {
	const calls = views.map(({ contract, data }) => {
		return { target: contract, allowFailure: true, callData: data };
	});
	const data = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
	return {
		method: "eth_call",
		params: [{ to: MULTICALL, data, gas: MULTICALL_GAS_MAX }, "latest"],
	};
}

/** Returns each view's answer, undefined where it failed; null where this is no such answer. */
export function readAggregate(answer: unknown, count: number): (Hex | undefined)[] | null {
	if (typeof answer !== "string" || !/^0x([0-9a-f]{2})+$/i.test(answer)) return null;
	try {
		const data = answer as Hex;
		const results = decodeFunctionResult({ abi, functionName: "aggregate3", data });
		if (results.length !== count) return null;
		return results.map(({ success, returnData }) => (success ? returnData : undefined));
	} catch {
		return null;
	}
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
	{ tooLong, ...options }: CallOptions,
): Promise<(Hex | null | undefined)[] | null> {
	try {
		const bounded = { ...options, bodyBytesMax: ANSWER_BYTES_MAX };
		const answer = await rpc.call(aggregateCall(views), bounded);
		const found = readAggregate(answer, views.length);
		if (found === null) return null;
		return views.map((view, place) => {
			const data = found[place];
			return data === undefined ? undefined : answerOf(data, view, tooLong);
		});
	} catch (error) {
		if (isRefusal(error)) return null;
		throw error;
	}
}

function isAnswer(answer: string): answer is Hex {
	return answer.length % 2 === 0 && /^0x[0-9a-f]+$/i.test(answer);
}
