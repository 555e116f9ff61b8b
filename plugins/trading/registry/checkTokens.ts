import { z } from "zod";
import { readAbiText } from "#core/chain/abi/readAbiText.ts";
import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { hexData } from "#core/chain/reads/hexData.ts";
import { readAnswer } from "#core/chain/reads/readAnswer.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { MULTIPLIER_MAX, VIEW_GAS } from "#plugins/trading/registry/limits.ts";

/** What the chain says of a token at one block. */
export type TokenFacts = {
	hasCode: boolean;
	/** Null where the contract has no such function, or answers no such thing. */
	symbol: string | null;
	decimals: number | null;
	/** ERC-20 pause of the whole token; false where it has no such function. */
	isPaused: boolean;
	/** ERC-8056. `none`: the token does not have it; `invalid`: zero, or beyond what can be. */
	multiplier: bigint | "none" | "invalid";
	/** A change that was announced and is not in force at that block. */
	pending: { multiplier: bigint; atMs: number } | null;
};

export type TokenCheck = {
	block: number;
	/** Left out: a node did not say, and nothing was learned of that token. */
	facts: Map<Address, TokenFacts>;
};

/** Selectors of the views that a token is asked. */
const VIEWS = {
	symbol: "0x95d89b41",
	decimals: "0x313ce567",
	paused: "0x5c975abb",
	// ERC-8056: `uiMultiplier()` and what its required extension adds.
	uiMultiplier: "0xa60bf13d",
	newUIMultiplier: "0xdc767007",
	effectiveAt: "0x97a4064f",
} as const;

const SELECTORS = Object.values(VIEWS);
const CALLS_PER_TOKEN = SELECTORS.length + 1;
const header = z.object({ number: chainNumbers.blockNumber, timestamp: chainNumbers.seconds });

/**
 * Asks the chain what tokens are, all at one block. Throws where no node answers; what one token's
 * contract refuses or gets wrong is that token's own fact.
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

function callsOf(address: Address, block: Hex): RpcCall[] {
	const code = { method: "eth_getCode", params: [address, block] };
	const views = SELECTORS.map((data) => {
		return { method: "eth_call", params: [{ to: address, data, gas: VIEW_GAS }, block] };
	});
	return [code, ...views];
}

/** Null where a node failed in the middle of it: a token is not judged by half of its answers. */
function factsOf(outcomes: readonly RpcOutcome[], blockAtMs: number): TokenFacts | null {
	// No contract can make this fail: where it does, the node does not have the block.
	if (outcomes[0]?.kind !== "result") return null;
	const answers: (Hex | null)[] = [];
	for (const outcome of outcomes) {
		// What the contract reverts is an answer; everything else is the node's failure.
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
