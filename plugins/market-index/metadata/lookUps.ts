// Asks chains what a search cannot find in the index: a transaction, and whose an ENS name is.

import { LRUCache } from "lru-cache";
import {
	decodeAbiParameters,
	decodeErrorResult,
	decodeFunctionResult,
	encodeFunctionData,
	parseAbi,
	toHex,
} from "viem";
import { namehash, normalize, packetToBytes } from "viem/ens";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { MULTICALL } from "#plugins/market-index/metadata/callContract.ts";

/** Why nobody can say whether there is such a thing. */
export const UNSEARCHED = ["no_answer", "too_many", "off_chain", "not_followed"] as const;

export type Unsearched = (typeof UNSEARCHED)[number];

export type SeenTransaction =
	| { kind: "found"; blockNumber: number; isReverted: boolean }
	| { kind: "none" }
	| { kind: "unknown"; reason: Unsearched };

export type NamedAddress =
	| { kind: "found"; address: Address }
	| { kind: "none" }
	| { kind: "unknown"; reason: Unsearched };

/** What a search may ask chains. Answers are kept for half a minute, and asked for once. */
export type LookUps = {
	/** Looks for a mined transaction on a chain. */
	transaction(chain: Chain, hash: Hex): Promise<SeenTransaction>;
	/**
	 * Resolves an ENS name on Ethereum, where that is followed. A name whose resolver answers off the
	 * chain is `off_chain`: its server would be chosen by a stranger, and is not asked.
	 */
	name(name: string): Promise<NamedAddress>;
};

const ETHEREUM_ID = 1;

/** The same on Ethereum for all names (ENSIP-23). */
const RESOLVER: Address = "0xeeeeeeee14d718c2b47d9923deab1335e144eeee";

const TIMEOUT_MS = 2_500;
const KEPT_MS = 30_000;
const KEPT_MAX = 1_000;
/** Calls a minute that searches of one process make. */
const CALLS_MAX = 120;
const WINDOW_SECONDS = 60;

const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
	"function resolve(bytes name, bytes data) view returns (bytes result, address resolver)",
	"function addr(bytes32 node) view returns (address)",
]);

const failures = parseAbi([
	"error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extra)",
	"error ResolverNotFound(bytes name)",
	"error ResolverNotContract(bytes name, address resolver)",
	"error UnsupportedResolverProfile(bytes4 selector)",
]);

const quantity = z.string().regex(/^0x[0-9a-f]{1,13}$/);
const receipt = z.object({ blockNumber: quantity, status: quantity.optional() }).nullable();
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/);

/** Makes the look-ups over the clients of the chains that this deployment indexes. */
export function createLookUps(core: {
	indexed: readonly Pick<ChainAccess, "chain" | "rpcFor">[];
	clock: Clock;
}): LookUps {
	const { indexed, clock } = core;
	const limiter = createMemoryLimiter({
		...{ requestsMax: CALLS_MAX, windowSeconds: WINDOW_SECONDS, keysMax: 1, clock },
	});
	const transactions = createKeeper<SeenTransaction>(clock);
	const names = createKeeper<NamedAddress>(clock);
	return {
		transaction: (chain, hash) =>
			transactions(`${chain.id} ${hash}`, () => ask(chain.id, (call) => seen(call, hash))),
		name: (name) => names(name, () => ask(ETHEREUM_ID, (call) => resolve(call, name))),
	};

	async function ask<Answer>(
		chainId: number,
		read: (call: Call) => Promise<Answer>,
	): Promise<Answer | { kind: "unknown"; reason: Unsearched }> {
		const access = indexed.find(({ chain }) => chain.id === chainId);
		if (!access) return { kind: "unknown", reason: "not_followed" };
		if (!limiter.takeNow("all").allowed) return { kind: "unknown", reason: "too_many" };
		const rpc = access.rpcFor("requests");
		try {
			return await read((method, params, isReadable) => {
				const signal = AbortSignal.timeout(TIMEOUT_MS);
				return rpc.call({ method, params }, { signal, isReadable });
			});
		} catch {
			return { kind: "unknown", reason: "no_answer" };
		}
	}
}

type Call = (
	method: string,
	params: readonly unknown[],
	isReadable: (result: unknown) => boolean,
) => Promise<unknown>;

/** Returns the name as ENS compares it; null where it can be none. */
export function ensName(text: string): string | null {
	if (!/^[^\s/]{1,128}\.eth$/i.test(text)) return null;
	try {
		return normalize(text);
	} catch {
		return null;
	}
}

async function seen(call: Call, hash: Hex): Promise<SeenTransaction> {
	const isReadable = (result: unknown) => receipt.safeParse(result).success;
	const found = receipt.parse(await call("eth_getTransactionReceipt", [hash], isReadable));
	if (found === null) return { kind: "none" };
	const isReverted = found.status !== undefined && BigInt(found.status) === 0n;
	return { kind: "found", blockNumber: Number(found.blockNumber), isReverted };
}

/** Resolves a name through Multicall3, which returns why a call failed: nodes differ in how. */
async function resolve(call: Call, name: string): Promise<NamedAddress> {
	const data = encodeFunctionData({ abi, functionName: "addr", args: [namehash(name)] });
	const args = [toHex(packetToBytes(name)), data] as const;
	const callData = encodeFunctionData({ abi, functionName: "resolve", args });
	const calls = [{ target: RESOLVER, allowFailure: true, callData }];
	const asked = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
	const isReadable = (result: unknown) => bytes.safeParse(result).success;
	const answer = bytes.parse(
		await call("eth_call", [{ to: MULTICALL, data: asked }, "latest"], isReadable),
	);
	const [result] = decodeFunctionResult({ abi, functionName: "aggregate3", data: hexOf(answer) });
	if (!result) return { kind: "unknown", reason: "no_answer" };
	if (!result.success) return failureOf(result.returnData);
	const [told] = decodeFunctionResult({ abi, functionName: "resolve", data: result.returnData });
	if (told === "0x") return { kind: "none" };
	const [address] = decodeAbiParameters([{ type: "address" }], told);
	const lower = hexOf(address.toLowerCase());
	return lower === ZERO_ADDRESS ? { kind: "none" } : { kind: "found", address: lower };
}

/** Says what a failed resolution means. What is not read is not known, and never no. */
function failureOf(data: Hex): NamedAddress {
	try {
		const { errorName } = decodeErrorResult({ abi: failures, data });
		if (errorName === "OffchainLookup") return { kind: "unknown", reason: "off_chain" };
		return { kind: "none" };
	} catch {
		return { kind: "unknown", reason: "no_answer" };
	}
}

function hexOf(text: string): Hex {
	return `0x${text.slice(2)}`;
}

/** Makes a memory of answers; one that is being asked for is waited for. */
function createKeeper<Answer extends { kind: string }>(clock: Clock) {
	const kept = new LRUCache<string, { answer: Promise<Answer>; atMs: number }>({ max: KEPT_MAX });
	return (key: string, read: () => Promise<Answer>): Promise<Answer> => {
		const known = kept.get(key);
		const ageMs = known ? clock.nowMs() - known.atMs : Number.NaN;
		if (known && ageMs >= 0 && ageMs < KEPT_MS) return known.answer;
		const answer = read().then((told) => {
			// What is not known is asked again by the next one who asks.
			if (told.kind === "unknown") kept.delete(key);
			return told;
		});
		answer.catch(() => kept.delete(key));
		kept.set(key, { answer, atMs: clock.nowMs() });
		return answer;
	};
}
