// Computes what an account realised with each token, first in, first out.

import type { Address } from "#core/chain/Hex.ts";
import type { AccountEvent } from "#plugins/market-index/accounts/accountEvents.ts";
import type { Span } from "#plugins/market-index/rollup/windows.ts";

/** Says why units that were sold are in no sum. */
export const LEFT_OUT = ["cost_not_seen", "cost_unknown", "price_unknown"] as const;

export type LeftOut = (typeof LEFT_OUT)[number];

/** What an account sold of one token. Amounts are wei of ETH. */
export type TokenResult = {
	event: AccountEvent;
	unitsSold: bigint;
	/** Units whose price and cost are known; the sums are of these. */
	unitsRealised: bigint;
	proceeds: bigint;
	cost: bigint;
	/** In US dollars at the rates of each event's time; null where no unit has both rates. */
	proceedsUsd: number | null;
	costUsd: number | null;
	/** Realised units without a rate of either time: they are in ETH alone. */
	unitsWithoutUsd: bigint;
	leftOut: Record<LeftOut, bigint>;
	firstSoldAtMs: number;
	lastSoldAtMs: number;
};

/** Units that an account got at once, and what it paid for all of them; null is not known. */
type Lot = {
	units: bigint;
	/** How many of them it gave away again. */
	gone: bigint;
	total: bigint | null;
	usd: number | null;
	atMs: number;
	/** False for units that came by a transfer. */
	isPaid: boolean;
};

type Options = {
	account: Address;
	/** US dollars for one ETH at a time; null where it is not known. */
	ethUsd: (atMs: number) => number | null;
	/** True where older events were not read: what was bought first is not known then. */
	isCut: boolean;
	/** Returns the time for which a chain's sales and mints are all here; null for none. */
	held: (chainId: number) => Span | null;
};

const WEI_PER_ETH = 1e18;

/**
 * Returns what an account realised, by token: sold less bought (or minted), first in, first out.
 *
 * Events in the order of the chain. Those that are not accepted count for nothing. Units that came
 * by a transfer cost an unknown amount. An ERC-721's id is held once: who gets it again gave the
 * earlier one away unseen, so that lot ends. A lot counts where nothing can be missing between it
 * and the sale; of an ERC-1155 where nothing can be missing before, as older lots would go first.
 */
export function realise(
	events: readonly AccountEvent[],
	options: Options,
): Map<string, TokenResult> {
	const results = new Map<string, TokenResult>();
	const lots = new Map<string, Lot[]>();
	const paid = new Set(events.filter(({ event }) => event.kind !== "transfer").map(moveKey));
	for (const one of events) {
		const { event } = one;
		if (!event.accepted) continue;
		// The move of a sale or mint is told a second time, without its price.
		if (event.kind === "transfer" && paid.has(moveKey(one))) continue;
		const key = tokenKey(one);
		const held = lots.get(key) ?? [];
		lots.set(key, held);
		if (event.from === event.to) continue;
		if (event.to === options.account) takeIn(held, one, options);
		else if (event.kind === "transfer") takeOut(held, event.quantity);
		else sell(results, { key, held, one }, options);
	}
	return results;
}

/** Names a token of any chain. */
export function tokenKey({ collection, event }: AccountEvent): string {
	return `${collection.id} ${event.tokenId}`;
}

function moveKey(one: AccountEvent): string {
	return `${one.event.transactionHash} ${tokenKey(one)}`;
}

function takeIn(held: Lot[], { event, collection }: AccountEvent, { ethUsd }: Options): void {
	if (collection.standard === "erc721") held.length = 0;
	const total = event.kind === "transfer" ? null : knownTotal(event);
	held.push({
		units: event.quantity,
		gone: 0n,
		total,
		usd: ethUsd(event.occurredAtMs),
		atMs: event.occurredAtMs,
		isPaid: event.kind !== "transfer",
	});
}

/** Takes units off the oldest lots; returns them with the lot that each came from. */
function takeOut(
	held: Lot[],
	quantity: bigint,
): { lot: Lot | null; units: bigint; from: bigint }[] {
	const parts: { lot: Lot | null; units: bigint; from: bigint }[] = [];
	let left = quantity;
	while (left > 0n) {
		const [lot] = held;
		if (!lot) {
			parts.push({ lot: null, units: left, from: 0n });
			break;
		}
		const units = left < lot.units - lot.gone ? left : lot.units - lot.gone;
		parts.push({ lot, units, from: lot.gone });
		lot.gone += units;
		left -= units;
		if (lot.gone === lot.units) held.shift();
	}
	return parts;
}

function sell(
	results: Map<string, TokenResult>,
	{ key, held, one }: { key: string; held: Lot[]; one: AccountEvent },
	{ ethUsd, isCut, held: heldOf }: Options,
): void {
	const { event, collection } = one;
	const result = results.get(key) ?? emptyResult(one);
	results.set(key, result);
	result.event = one;
	result.lastSoldAtMs = event.occurredAtMs;
	result.unitsSold += event.quantity;
	const total = knownTotal(event);
	const rate = ethUsd(event.occurredAtMs);
	const whole = heldOf(one.chainId);
	const isWhole = whole !== null && event.occurredAtMs <= whole.untilMs;
	const isUnique = collection.standard === "erc721";
	const isKnown = (lot: Lot) =>
		lot.isPaid && isWhole && (isUnique ? lot.atMs >= whole.fromMs : !isCut && whole.fromMs === 0);
	let sold = 0n;
	for (const { lot, units, from } of takeOut(held, event.quantity)) {
		const proceeds = total === null ? null : shareOf(total, event.quantity, { from: sold, units });
		sold += units;
		if (!lot || !isKnown(lot)) result.leftOut.cost_not_seen += units;
		else if (lot.total === null) result.leftOut.cost_unknown += units;
		else if (proceeds === null) result.leftOut.price_unknown += units;
		else {
			const cost = shareOf(lot.total, lot.units, { from, units });
			result.unitsRealised += units;
			result.proceeds += proceeds;
			result.cost += cost;
			if (rate === null || lot.usd === null) result.unitsWithoutUsd += units;
			else {
				result.proceedsUsd = (result.proceedsUsd ?? 0) + (Number(proceeds) / WEI_PER_ETH) * rate;
				result.costUsd = (result.costUsd ?? 0) + (Number(cost) / WEI_PER_ETH) * lot.usd;
			}
		}
	}
}

/** Returns the price of all units; null where it is not known, or not believed. */
function knownTotal({ totalNative, reason }: AccountEvent["event"]): bigint | null {
	return reason === "price_unproven" ? null : totalNative;
}

/**
 * Returns the part of a total that some of its units cost, counted from its first one, so that the
 * parts of all units make the total.
 */
function shareOf(
	total: bigint,
	all: bigint,
	{ from, units }: { from: bigint; units: bigint },
): bigint {
	return (total * (from + units)) / all - (total * from) / all;
}

function emptyResult(event: AccountEvent): TokenResult {
	return {
		event,
		unitsSold: 0n,
		unitsRealised: 0n,
		proceeds: 0n,
		cost: 0n,
		proceedsUsd: null,
		costUsd: null,
		unitsWithoutUsd: 0n,
		leftOut: { cost_not_seen: 0n, cost_unknown: 0n, price_unknown: 0n },
		firstSoldAtMs: event.event.occurredAtMs,
		lastSoldAtMs: event.event.occurredAtMs,
	};
}
