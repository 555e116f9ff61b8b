// Reads the calldata of a swap byte by byte, and compares it with the plan.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { EncodedSwap, SwapTerms } from "#plugins/trading/swap/encodeSwap.ts";

/** The contents of calldata for SwapRouter02. Pools are identified by tokens and fee alone. */
type ReadSwap = Omit<SwapTerms, "hops"> & {
	hops: readonly { tokenIn: Address; tokenOut: Address; fee: number }[];
	valueRaw: bigint;
};

type ReadCall = Pick<ReadSwap, "hops" | "exact" | "amountRaw" | "limitRaw" | "recipient">;

const MULTICALL = "5ae401dc";
const UNWRAP = "49404b7c";
const SWEEP = "df2ab5bb";
const REFUND = "12210e8a";
/** Maps a selector to the exact side, and to whether the route is one pool or a path. */
const SWAPS: Readonly<Record<string, { exact: "in" | "out"; isSingle: boolean }>> = {
	"04e45aaf": { exact: "in", isSingle: true },
	b858183f: { exact: "in", isSingle: false },
	"5023b4df": { exact: "out", isSingle: true },
	"09b81346": { exact: "out", isSingle: false },
};
const ROUTER_ITSELF = "0x0000000000000000000000000000000000000002";
const WORD = 64;
const ADDRESS = 40;
const FEE = 6;
/** The swap, an unwrapping, a sweep for each token between three pools, and a refund. */
const CALLS_MAX = 5;

const COMPARED = [
	"exact",
	"amountRaw",
	"limitRaw",
	"isNativeIn",
	"isNativeOut",
	"recipient",
	"deadlineS",
] as const;

/**
 * Parses a swap's calldata byte by byte, without the library that wrote it: so an encoder's error,
 * or an extra byte anywhere, is found before signing. Null for everything that is not exactly what
 * `encodeSwap` writes.
 */
export function readSwap({ data, valueRaw }: { data: Hex; valueRaw: bigint }): ReadSwap | null {
	const hex = data.slice(2);
	if (!/^[0-9a-f]*$/.test(hex) || !hex.startsWith(MULTICALL)) return null;
	const body = hex.slice(MULTICALL.length);
	const deadlineS = numberAt(body, 0);
	const calls = callsOf(body);
	if (deadlineS === null || calls === null) return null;
	const [first, ...behind] = calls;
	const swap = first === undefined ? null : readCall(first);
	if (!swap) return null;
	const unwrapped = behind[0]?.startsWith(UNWRAP) ? readUnwrap(behind[0]) : null;
	const recipient = unwrapped ? unwrapped.recipient : swap.recipient;
	const swept = swap.exact === "in" ? swap.hops.slice(0, -1) : [];
	const rest = unwrapped ? behind.slice(1) : behind;
	if (!swept.every(({ tokenOut }, at) => isSweep(rest[at], { token: tokenOut, recipient }))) {
		return null;
	}
	const [refund, ...more] = rest.slice(swept.length);
	const isRefunded = refund === REFUND;
	if (more.length > 0 || (refund !== undefined && !isRefunded)) return null;
	const isNativeOut = swap.recipient === ROUTER_ITSELF;
	// Coins left in the router could be taken by any caller: all of them must be unwrapped.
	const leastRaw = swap.exact === "in" ? swap.limitRaw : swap.amountRaw;
	if (isNativeOut !== (unwrapped !== null)) return null;
	if (unwrapped && unwrapped.leastRaw !== leastRaw) return null;
	const mostRaw = swap.exact === "in" ? swap.amountRaw : swap.limitRaw;
	const isNativeIn = valueRaw > 0n;
	if (isNativeIn && valueRaw !== mostRaw) return null;
	if (isRefunded !== isNativeIn) return null;
	return { ...swap, recipient, deadlineS, isNativeIn, isNativeOut, valueRaw };
}

/**
 * Compares the calldata with the plan by parsing its bytes; returns the name of the first
 * difference, or null.
 */
export function swapFlaw(encoded: EncodedSwap, terms: SwapTerms): string | null {
	const read = readSwap(encoded);
	if (!read) return "calldata";
	const differing = COMPARED.find((name) => read[name] !== terms[name]);
	if (differing) return differing;
	const isSameWay =
		read.hops.length === terms.hops.length &&
		terms.hops.every(({ tokenIn, tokenOut, fee }, index) => {
			const hop = read.hops[index];
			return hop?.tokenIn === tokenIn && hop.tokenOut === tokenOut && hop.fee === fee;
		});
	return isSameWay ? null : "hops";
}

/**
 * Returns the inner calls, each exactly where it must be, with nothing between or after them; or
 * null.
 */
function callsOf(body: string): string[] | null {
	if (numberAt(body, 1) !== 64n) return null;
	const count = numberAt(body, 2);
	if (count === null || count < 1n || count > CALLS_MAX) return null;
	const heads = Number(count);
	const list = body.slice(3 * WORD);
	const calls: string[] = [];
	let place = heads * WORD;
	for (let index = 0; index < heads; index++) {
		if (numberAt(list, index) !== BigInt(place / 2)) return null;
		const call = bytesAt(list, place);
		if (call === null) return null;
		calls.push(call.bytes);
		place = call.end;
	}
	return place === list.length ? calls : null;
}

function readCall(call: string): ReadCall | null {
	const selector = call.slice(0, 8);
	const swap = SWAPS[selector];
	if (!swap) return null;
	const body = call.slice(8);
	return swap.isSingle ? readSingle(body, swap.exact) : readPath(body, swap.exact);
}

function readSingle(body: string, exact: "in" | "out"): ReadCall | null {
	if (body.length !== 7 * WORD) return null;
	const tokenIn = addressAt(body, 0);
	const tokenOut = addressAt(body, 1);
	const fee = numberAt(body, 2);
	const recipient = addressAt(body, 3);
	const amountRaw = numberAt(body, 4);
	const limitRaw = numberAt(body, 5);
	if (tokenIn === null || tokenOut === null || recipient === null) return null;
	if (fee === null || fee >= 2n ** 24n || amountRaw === null || limitRaw === null) return null;
	// A limit price would stop the swap half way.
	if (numberAt(body, 6) !== 0n) return null;
	return { hops: [{ tokenIn, tokenOut, fee: Number(fee) }], exact, amountRaw, limitRaw, recipient };
}

function readPath(body: string, exact: "in" | "out"): ReadCall | null {
	if (numberAt(body, 0) !== 32n) return null;
	const struct = body.slice(WORD);
	if (numberAt(struct, 0) !== 128n) return null;
	const recipient = addressAt(struct, 1);
	const amountRaw = numberAt(struct, 2);
	const limitRaw = numberAt(struct, 3);
	const path = bytesAt(struct, 4 * WORD);
	if (recipient === null || amountRaw === null || limitRaw === null || path === null) return null;
	if (path.end !== struct.length) return null;
	const hops = hopsOf(path.bytes, exact);
	return hops && { hops, exact, amountRaw, limitRaw, recipient };
}

/** Returns the pools of an encoded path of two or more; null where it is no such path. */
function hopsOf(path: string, exact: "in" | "out"): ReadSwap["hops"] | null {
	const step = ADDRESS + FEE;
	const count = (path.length - ADDRESS) / step;
	if (!Number.isInteger(count) || count < 2) return null;
	const tokenAt = (index: number): Address => {
		return `0x${path.slice(index * step, index * step + ADDRESS)}`;
	};
	const hops = Array.from({ length: count }, (_, index) => {
		const fee = Number.parseInt(path.slice(index * step + ADDRESS, (index + 1) * step), 16);
		return { tokenIn: tokenAt(index), tokenOut: tokenAt(index + 1), fee };
	});
	if (exact === "in") return hops;
	return hops.reverse().map(({ tokenIn, tokenOut, fee }) => {
		return { tokenIn: tokenOut, tokenOut: tokenIn, fee };
	});
}

function readUnwrap(call: string): { leastRaw: bigint; recipient: Address } | null {
	const body = call.slice(8);
	const leastRaw = numberAt(body, 0);
	const recipient = addressAt(body, 1);
	if (body.length !== 2 * WORD || leastRaw === null || recipient === null) return null;
	return { leastRaw, recipient };
}

/** Returns whether a call sweeps all that the router holds of a token, to the swap's recipient. */
function isSweep(call: string | undefined, to: { token: Address; recipient: Address }): boolean {
	if (!call?.startsWith(SWEEP)) return false;
	const body = call.slice(SWEEP.length);
	if (body.length !== 3 * WORD || numberAt(body, 1) !== 0n) return false;
	return addressAt(body, 0) === to.token && addressAt(body, 2) === to.recipient;
}

function wordAt(body: string, index: number): string | null {
	const word = body.slice(index * WORD, (index + 1) * WORD);
	return word.length === WORD ? word : null;
}

function numberAt(body: string, index: number): bigint | null {
	const word = wordAt(body, index);
	return word === null ? null : BigInt(`0x${word}`);
}

function addressAt(body: string, index: number): Address | null {
	const word = wordAt(body, index);
	const padding = WORD - ADDRESS;
	return word?.startsWith("0".repeat(padding)) ? `0x${word.slice(padding)}` : null;
}

/**
 * Reads ABI-encoded `bytes` at an offset in hex digits; returns the bytes, and the offset after
 * them.
 */
function bytesAt(body: string, place: number): { bytes: string; end: number } | null {
	const length = numberAt(body.slice(place), 0);
	if (length === null || length > 65_536n) return null;
	const from = place + WORD;
	const to = from + Number(length) * 2;
	const end = from + Math.ceil((to - from) / WORD) * WORD;
	if (end > body.length || !/^0*$/.test(body.slice(to, end))) return null;
	return { bytes: body.slice(from, to), end };
}
