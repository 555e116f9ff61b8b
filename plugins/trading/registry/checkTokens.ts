// Reads the facts of tokens from the chain, and tries a transfer of each.

import { z } from "zod";
import { hexBytes, readAbiText, readAbiUint, readUint } from "#core/chain/abi.ts";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { hexData, readAnswer } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { MULTIPLIER_MAX } from "#plugins/trading/limits.ts";
import { transferProbe } from "#plugins/trading/probes.ts";
import { VIEW_GAS } from "#plugins/trading/settleViews.ts";

/** The chain's facts about a token at one block. */
export type TokenFacts = {
	hasCode: boolean;
	/** Null where the contract has no such function, or its answer is invalid. */
	symbol: string | null;
	decimals: number | null;
	/** True if the whole token is paused; false where it has no such function. */
	isPaused: boolean;
	/** The ERC-8056 multiplier. `none`: the token has none; `invalid`: zero, or above the maximum. */
	multiplier: bigint | "none" | "invalid";
	/** An announced change that is not yet in force at that block. */
	pending: { multiplier: bigint; atMs: number } | null;
};

export type TokenCheck = {
	block: number;
	/** The facts by token, without tokens for which a node failed: nothing is known of them. */
	facts: Map<Address, TokenFacts>;
};

/** The result of a trial transfer: all of it arrives, less arrives, or it does not move. */
export type Transferred = "exact" | "fee" | "refused";

/** Selectors of the views that are called on a token. */
const VIEWS = {
	symbol: "0x95d89b41",
	decimals: "0x313ce567",
	paused: "0x5c975abb",
	// ERC-8056: `uiMultiplier()` and its required extension.
	uiMultiplier: "0xa60bf13d",
	newUIMultiplier: "0xdc767007",
	effectiveAt: "0x97a4064f",
} as const;

const SELECTORS = Object.values(VIEWS);
const CALLS_PER_TOKEN = SELECTORS.length + 1;
const header = z.object({ number: chainNumbers.blockNumber, timestamp: chainNumbers.seconds });

/** An address without a balance and without an owner, used in simulations. */
const STRANGER: Address = "0x7a9e11e5000000000000000000000000000000aa";
const PROBE_GAS = "0x1e8480";
const WORD_BYTES = 32;
const WORDS = 4;

/**
 * Reads tokens' facts from the chain, all at one block. Throws where no node answers; a revert or
 * an invalid answer of one token's contract becomes a fact of that token.
 */
export async function checkTokens(
	rpc: Rpc,
	{ addresses, signal }: { addresses: readonly Address[]; signal: AbortSignal },
): Promise<TokenCheck> {
	const latest = { method: "eth_getBlockByNumber", params: ["latest", false] };
	const { number: block, timestamp } = readAnswer(header, await rpc.call(latest, { signal }));
	const calls = addresses.flatMap((address) => callsOf(address, hexQuantity(block)));
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal, minBlock: block });
	const facts = new Map<Address, TokenFacts>();
	for (const [index, address] of addresses.entries()) {
		const own = outcomes.slice(index * CALLS_PER_TOKEN, (index + 1) * CALLS_PER_TOKEN);
		const read = factsOf(own, timestamp * 1_000);
		if (read) facts.set(address, read);
	}
	return { block, facts };
}

/**
 * Tries a transfer of each token and returns the results: a call that changes nothing, in which the
 * holder's code is replaced by one that sends an eighth and compares balances. Left out are tokens
 * that the holder has none of, and those that the node cannot try.
 *
 * A router does not check what arrives, so without this a token with a transfer fee would be found
 * only by a user's loss.
 */
export async function probeTransfers(
	rpc: Rpc,
	{
		holders,
		block,
		signal,
	}: { holders: ReadonlyMap<Address, Address>; block: number; signal: AbortSignal },
): Promise<Map<Address, Transferred>> {
	const asked = [...holders];
	const calls = asked.map(([token, holder]) => callOf(token, holder, block));
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal, minBlock: block });
	const found = new Map<Address, Transferred>();
	for (const [index, [token]] of asked.entries()) {
		const transferred = transferredOf(outcomes[index]);
		if (transferred) found.set(token, transferred);
	}
	return found;
}

function callsOf(address: Address, block: Hex): RpcCall[] {
	const code = { method: "eth_getCode", params: [address, block] };
	const views = SELECTORS.map((data) => {
		return { method: "eth_call", params: [{ to: address, data, gas: VIEW_GAS }, block] };
	});
	return [code, ...views];
}

/**
 * Returns a token's facts; null where a node failed in between: half of the answers prove nothing.
 */
function factsOf(outcomes: readonly RpcOutcome[], blockAtMs: number): TokenFacts | null {
	// No contract can make this call fail: if it fails, the node does not have the block.
	if (outcomes[0]?.kind !== "result") return null;
	const answers: (Hex | null)[] = [];
	for (const outcome of outcomes) {
		// A revert is an answer of the contract; every other fault is the node's.
		if (outcome.kind === "fault" && outcome.fault.code !== "rpc_refused") return null;
		const { data } = hexData.safeParse(outcome.kind === "result" ? outcome.result : "0x");
		answers.push(data ?? null);
	}
	const [code, symbol, decimals, paused, current, next, effectiveAt] = answers;
	const places = readAbiUint(decimals);
	return {
		hasCode: code !== undefined && code !== null && code !== "0x",
		symbol: symbol ? readAbiText(symbol) : null,
		decimals: places !== null && places <= 255n ? Number(places) : null,
		isPaused: readAbiUint(paused) === 1n,
		multiplier: multiplierOf(current),
		pending: pendingOf({ current, next, effectiveAt }, blockAtMs),
	};
}

function multiplierOf(answer: Hex | null | undefined): TokenFacts["multiplier"] {
	if (answer === "0x" || answer === null || answer === undefined) return "none";
	const value = readAbiUint(answer);
	return value !== null && value > 0n && value <= MULTIPLIER_MAX ? value : "invalid";
}

function pendingOf(
	answers: Record<"current" | "next" | "effectiveAt", Hex | null | undefined>,
	blockAtMs: number,
): TokenFacts["pending"] {
	const next = multiplierOf(answers.next);
	const seconds = readAbiUint(answers.effectiveAt);
	if (typeof next !== "bigint" || seconds === null || seconds >= 2n ** 33n) return null;
	const atMs = Number(seconds) * 1_000;
	return atMs > blockAtMs ? { multiplier: next, atMs } : null;
}

function callOf(token: Address, holder: Address, block: number): RpcCall {
	const words = [token, STRANGER].map((address) => address.slice(2).padStart(64, "0"));
	const call = { to: holder, data: `${transferProbe.selector}${words.join("")}`, gas: PROBE_GAS };
	const replaced = { [holder]: { code: transferProbe.code } };
	return { method: "eth_call", params: [call, hexQuantity(block), replaced] };
}

function transferredOf(outcome: RpcOutcome | undefined): Transferred | null {
	if (outcome?.kind !== "result" || typeof outcome.result !== "string") return null;
	const bytes = hexBytes(outcome.result);
	if (bytes?.length !== WORDS * WORD_BYTES) return null;
	const [moved, sent, arrived, left] = Array.from({ length: WORDS }, (_, index) => {
		return readUint(bytes, index * WORD_BYTES);
	});
	if (sent === 0n) return null;
	if (moved !== 1n) return "refused";
	return arrived === sent && left === sent ? "exact" : "fee";
}
