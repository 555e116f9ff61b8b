// Reads a provider's event as a row, and estimates its block.

import { createHash } from "node:crypto";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ProviderRow } from "#plugins/market-index/confirm/matching.ts";
import { standInPrefix } from "#plugins/market-index/confirm/unconfirmed.ts";
import { WEI_PAID_MAX } from "#plugins/market-index/rollup/windows.ts";
import type { ProviderEvent, ProviderPayment } from "#plugins/provider/contract.ts";

/** A chain's pace: its newest block, the present time, and its block time. */
export type ChainPace = { headBlock: number | null; atMs: number; blockMs: number };

/** An event of the same collection and kind, with its block. */
export type Neighbour = { blockNumber: number; occurredAtMs: number };

type EventReading = {
	chain: Chain;
	contract: Address;
	/** The provider's name, which is stored as the venue of its sales. */
	providerId: string;
	nowMs: number;
	/** Events from before this time are not kept. */
	keptFromMs: number;
};

type Deed = Pick<ProviderRow, "kind" | "from" | "to">;

type Price = Pick<ProviderRow, "currency" | "totalRaw">;

/** The number of estimated blocks below the chain's first: one a second, up to the year 2106. */
const SECONDS_END = 2 ** 32;

/** Events of the provider that are merged in one transaction, under the chain's lock. */
export const MERGE_ROWS_MAX = 200;

/** Limits how far a provider's event may be ahead of our clock. */
const FUTURE_MAX_MS = 3_600_000;

/** A provider's events no older than this are published one by one, like those of a live block. */
export const TOLD_LIVE_MS = 600_000;

/** The lifetime of a chain's measured pace of blocks. */
export const PACE_AGE_MAX_MS = 600_000;

/**
 * An event whose block left the chain, and that only the provider still tells, is doubted once its
 * lane is so many blocks further and so much time has passed: no longer than a transaction of a
 * lost block waits to be mined again.
 */
export const DOUBT_AFTER_MS = 600_000;
export const DOUBT_AFTER_BLOCKS = 64;
export const DOUBT_EVERY_MS = 60_000;

/** Events removed under one hold of the chain's lock. */
export const DOUBTED_PER_PART_MAX = 20;

const UINT256_END = 2n ** 256n;
const FIRST_MS = Date.UTC(2015, 0, 1);

const NO_PRICE: Price = { currency: null, totalRaw: null };

/**
 * Returns a provider's event as the index stores it; null for listings and offers, which are not
 * stored here, and for impossible events: another contract, no token, no units, a time in the
 * future.
 */
export function readProviderEvent(event: ProviderEvent, reading: EventReading): ProviderRow | null {
	const { chain, contract } = reading;
	const { nft, quantity, occurredAtMs } = event;
	const deed = deedOf(event);
	if (!deed || !nft || event.chainId !== chain.id || nft.contract !== contract) return null;
	if (nft.tokenId < 0n || nft.tokenId >= UINT256_END) return null;
	if (quantity < 1n || quantity >= UINT256_END || !isSane(occurredAtMs, reading)) return null;
	const { kind, from, to } = deed;
	const price = kind === "transfer" ? NO_PRICE : priceOf(chain, event.payment);
	const { tokenId } = nft;
	const transactionHash =
		event.transactionHash ?? standInHash({ ...event, contract, tokenId, kind, from, to });
	return {
		kind,
		transactionHash,
		occurredAtMs,
		contract,
		tokenId,
		quantity,
		from,
		to,
		venue: kind === "sale" ? reading.providerId : null,
		...price,
		...verdict({ kind, from, to, totalRaw: price.totalRaw }),
		payload: event.raw,
	};
}

/**
 * Estimates a chain's block at a time. Later times never give lower blocks, whatever the pace.
 * Where the head is not known, or the estimate falls below block 0, it is below every real block.
 */
export function estimateBlock({ headBlock, atMs, blockMs }: ChainPace, timeMs: number): number {
	if (headBlock === null) return blockOfSecond(timeMs);
	const block = Math.floor(Math.min(headBlock - (atMs - timeMs) / blockMs, headBlock));
	return block >= 0 ? block : blockOfSecond(timeMs);
}

/**
 * Returns an estimated block, limited by the blocks of the events before and after it: a later
 * event must not have a lower block, or it would open a candle that another event opened.
 */
export function blockBetween(options: {
	estimate: number;
	occurredAtMs: number;
	before: Neighbour | null;
	after: Neighbour | null;
	blockMs: number;
}): number {
	const { estimate, occurredAtMs: atMs, before, after, blockMs } = options;
	if (before?.occurredAtMs === atMs) return before.blockNumber;
	const low = before?.blockNumber ?? Number.NEGATIVE_INFINITY;
	const high = after?.blockNumber ?? Number.POSITIVE_INFINITY;
	if (estimate > low && estimate < high) return estimate;
	if (before && after) {
		const share = (atMs - before.occurredAtMs) / (after.occurredAtMs - before.occurredAtMs);
		return Math.floor(low + Math.max(0, high - low) * share);
	}
	if (before) return low + Math.ceil((atMs - before.occurredAtMs) / blockMs);
	if (!after) return estimate;
	const block = high - Math.ceil((after.occurredAtMs - atMs) / blockMs);
	return block >= 0 ? block : Math.min(blockOfSecond(atMs), high);
}

/**
 * Returns a block number below zero, one for each second. It orders events without a known block by
 * time, and puts them before all events that lanes read later.
 */
function blockOfSecond(timeMs: number): number {
	return Math.min(Math.floor(timeMs / 1_000) - SECONDS_END, -1);
}

/**
 * Returns a hash in place of a transaction's, for an event that the provider reported without one:
 * 8 zero bytes, 8 of the contract, 16 of a digest. So it can be recognised, and those of one
 * contract are neighbours in an index.
 */
export function standInHash(event: {
	kind: string;
	orderHash: Hex | null;
	contract: Address;
	tokenId: bigint;
	from: Address;
	to: Address;
	occurredAtMs: number;
}): Hex {
	const { kind, orderHash, contract, tokenId, from, to } = event;
	const seconds = Math.floor(event.occurredAtMs / 1_000);
	const text = [kind, orderHash ?? "", contract, tokenId, from, to, seconds].join(" ");
	const digest = createHash("sha256").update(text).digest("hex").slice(0, 32);
	return `${standInPrefix(contract)}${digest}`;
}

/**
 * Returns what happened. The provider states the sender of a mint in several ways; here it is
 * always the zero address.
 */
function deedOf(event: ProviderEvent): Deed | null {
	if (event.type === "sale") return { kind: "sale", from: event.seller, to: event.buyer };
	if (event.type !== "mint" && event.type !== "transfer") return null;
	const { from, to } = event;
	const isMint = event.type === "mint" || from === ZERO_ADDRESS || from === to;
	return isMint ? { kind: "mint", from: ZERO_ADDRESS, to } : { kind: "transfer", from, to };
}

function isSane(atMs: number, { nowMs, keptFromMs }: EventReading): boolean {
	return (
		Number.isSafeInteger(atMs) &&
		atMs >= Math.max(FIRST_MS, keptFromMs) &&
		atMs <= nowMs + FUTURE_MAX_MS
	);
}

/**
 * Returns the price. An amount in an unknown currency is no price, and neither is more of a coin
 * than can exist.
 */
function priceOf(chain: Chain, payment: ProviderPayment | null): Price {
	if (!payment || payment.totalRaw < 0n || payment.totalRaw >= UINT256_END) return NO_PRICE;
	const currency = payment.currency ?? currencyNamed(chain, payment.symbol);
	if (currency === null && payment.totalRaw > 0n) return NO_PRICE;
	const isCoin = currency === ZERO_ADDRESS || currency === chain.wrappedNative;
	if (isCoin && payment.totalRaw > WEI_PAID_MAX) return NO_PRICE;
	return { currency: currency ?? ZERO_ADDRESS, totalRaw: payment.totalRaw };
}

function currencyNamed(chain: Chain, symbol: string | null): Address | null {
	if (symbol === chain.nativeCurrency.symbol) return ZERO_ADDRESS;
	return symbol === `W${chain.nativeCurrency.symbol}` ? chain.wrappedNative : null;
}

/** Judges as the lanes do: a sale for nothing, or to oneself, counts in no figure. */
function verdict(
	row: Deed & Pick<ProviderRow, "totalRaw">,
): Pick<ProviderRow, "accepted" | "reason"> {
	if (row.kind === "sale" && row.from === row.to) return { accepted: false, reason: "self_trade" };
	if (row.kind === "sale" && row.totalRaw === 0n) return { accepted: false, reason: "zero_price" };
	return { accepted: true, reason: null };
}
