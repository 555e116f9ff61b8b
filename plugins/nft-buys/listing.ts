// Finds a listing, and reads what is needed to buy it from the provider and the chain.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { sleep } from "#core/time.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { AGAIN_AFTER_MS, type BuyStep } from "#plugins/nft-buys/limits.ts";
import type { Funds, OrderState } from "#plugins/nft-buys/model.ts";
import { seaportAbi } from "#plugins/nft-buys/seaport/Order.ts";
import type { Provider, ProviderFulfilment, ProviderOrder } from "#plugins/provider/contract.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

export type Search = {
	chainId: number;
	marketplace: Address;
	contract: Address;
	tokenId: bigint;
	/** Null: the token's cheapest listing. */
	orderHash: Hex | null;
};

type Asked = Parameters<Provider["listingFulfilment"]>[0];

/** Functions of an ERC-20 that a listing is priced in. */
const coinAbi = parseAbi([
	"function balanceOf(address owner) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function decimals() view returns (uint8)",
]);

/**
 * Failures to reach the provider, or unreadable answers; a rate limit and a refusal are answers.
 */
const AGAIN = new Set(["provider_unavailable", "provider_unreadable"]);

/** Limits the cheapest listings among which one in the chain's coin is looked for. */
const CHEAPEST_ASKED = 50;

const isBytes = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(answer);

/**
 * Requests the fulfilment of a listing from the provider; null where it is no longer available. A
 * manual buy asks once: its owner waits, and can retry. A snipe asks up to four times more, with a
 * short delay that doubles, unless the provider refused or has a rate limit.
 */
export async function askFulfilment(
	provider: Pick<Provider, "listingFulfilment">,
	asked: Asked,
	given: {
		channel: Channel;
		outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
		signal: AbortSignal;
		/** Waits for so many milliseconds; a test passes its own function and records them. */
		pause?: (ms: number, signal: AbortSignal) => Promise<void>;
	},
): Promise<ProviderFulfilment | null> {
	const { channel, outbound, signal, pause = sleep } = given;
	const breaksMs = channel === "snipe" ? AGAIN_AFTER_MS : [];
	const ask = () =>
		outbound("nft_buy.fulfilment", () =>
			provider.listingFulfilment(asked, { purpose: "request", signal }),
		);
	for (const breakMs of breaksMs) {
		try {
			return await ask();
		} catch (error) {
			if (signal.aborted || !(error instanceof Fault) || !AGAIN.has(error.code)) throw error;
			await pause(breakMs, signal);
			if (signal.aborted) throw error;
		}
	}
	return await ask();
}

/** Returns the named listing, or else the token's cheapest. Null: the provider has none. */
export async function findListing(
	{ chainId, marketplace, contract, tokenId, orderHash }: Search,
	given: {
		provider: Provider;
		outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
		signal: AbortSignal;
	},
): Promise<ProviderOrder | null> {
	const { provider, outbound, signal } = given;
	const options = { purpose: "request", signal } as const;
	if (orderHash) {
		const listing = await outbound("nft_buy.listing", () =>
			provider.order({ chainId, protocolAddress: marketplace, orderHash }, options),
		);
		// An order other than the named one does not count.
		return listing?.orderHash === orderHash ? listing : null;
	}
	const slug = await outbound("nft_buy.collection", () =>
		provider.slugOf({ chainId, address: contract }, options),
	);
	if (slug === null) return null;
	return await outbound("nft_buy.listing", () => provider.bestListing(slug, tokenId, options));
}

/**
 * Returns the token of a contract that is for sale for the least of the chain's own coin, from the
 * provider's cheapest listings; null where none of those is in that coin, or the provider knows no
 * such collection. Listings of `makers`, who would buy from themselves, do not count.
 *
 * It only chooses: the buy of that token finds its listing again, and checks it and its price.
 */
export async function findCheapest(
	provider: Pick<Provider, "slugOf" | "bestListings">,
	asked: { chainId: number; contract: Address; makers: readonly Address[]; nowMs: number },
	signal: AbortSignal,
): Promise<bigint | null> {
	const { chainId, contract, makers, nowMs } = asked;
	const options = { purpose: "request", signal } as const;
	const slug = await provider.slugOf({ chainId, address: contract }, options);
	if (slug === null) return null;
	const { items } = await provider.bestListings(slug, { ...options, limit: CHEAPEST_ASKED });
	let best: ProviderOrder | null = null;
	for (const one of items) {
		const isOne = one.contract === contract && one.chainId === chainId && one.tokenId !== null;
		const isOpen = one.isActive && !one.isPrivate && one.quantity > 0n && one.totalRaw > 0n;
		const isNow = (one.startsAtMs ?? 0) <= nowMs && (one.expiresAtMs ?? nowMs + 1) > nowMs;
		const isInCoin = one.currency === ZERO_ADDRESS && !makers.includes(one.maker);
		if (!isOne || !isOpen || !isNow || !isInCoin) continue;
		// Compared by unit without dividing: a rounded price would choose the dearer one.
		if (best === null || one.totalRaw * best.quantity < best.totalRaw * one.quantity) best = one;
	}
	return best?.tokenId ?? null;
}

/** Reads a wallet's balance of an ERC-20, and a spender's allowance, in base units. */
export async function readFunds(
	rpc: Rpc,
	asked: { currency: Address; wallet: Address; spender: Address; signal: AbortSignal },
): Promise<Funds> {
	const { currency: to, wallet, spender, signal } = asked;
	const abi = coinAbi;
	const balance = { abi, functionName: "balanceOf", args: [wallet] } as const;
	const allowance = { abi, functionName: "allowance", args: [wallet, spender] } as const;
	const decimals = { abi, functionName: "decimals" } as const;
	const answers = await rpc.batch(
		[balance, allowance, decimals].map((call) => {
			return { method: "eth_call", params: [{ to, data: encodeFunctionData(call) }, "latest"] };
		}),
		{ signal },
	);
	const [first = "0x", second = "0x", third = "0x"] = answers.map(readBytes);
	try {
		return {
			balanceRaw: decodeFunctionResult({ ...balance, data: first }),
			allowanceRaw: decodeFunctionResult({ ...allowance, data: second }),
			decimals: decodeFunctionResult({ ...decimals, data: third }),
		};
	} catch (cause) {
		throw buyFault.currencyUnreadable({ cause });
	}
}

/**
 * Reads the state of an order and its seller from the marketplace. An address without code answers
 * empty data, so a chain without the marketplace is noticed here, before any payment.
 */
export async function readOrderState(
	rpc: Rpc,
	asked: { marketplace: Address; orderHash: Hex; offerer: Address; signal: AbortSignal },
): Promise<OrderState> {
	const { marketplace: to, orderHash, offerer, signal } = asked;
	const abi = seaportAbi;
	const status = { abi, functionName: "getOrderStatus", args: [orderHash] } as const;
	const counter = { abi, functionName: "getCounter", args: [offerer] } as const;
	const answers = await rpc.batch(
		[status, counter].map((call) => {
			const data = encodeFunctionData(call);
			return { method: "eth_call", params: [{ to, data }, "latest"] };
		}),
		{ signal },
	);
	const [statusBytes, counterBytes] = answers.map(readBytes);
	try {
		const read = decodeFunctionResult({ ...status, data: statusBytes ?? "0x" });
		const [, isCancelled, totalFilled, totalSize] = read;
		return {
			isCancelled,
			totalFilled,
			totalSize,
			counter: decodeFunctionResult({ ...counter, data: counterBytes ?? "0x" }),
		};
	} catch (cause) {
		throw buyFault.marketplaceAbsent({ cause });
	}
}

/** Returns a node's answer as bytes; "0x" for everything else. */
export function readBytes(answer: unknown): Hex {
	return isBytes(answer) ? answer : "0x";
}
