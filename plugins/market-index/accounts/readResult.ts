// Returns what an account realised, token by token, of as many events as are read.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import {
	ACCOUNT_TYPES,
	type AccountEvent,
	readAccountEvents,
} from "#plugins/market-index/accounts/accountEvents.ts";
import {
	type AccountReads,
	accountCoverage,
	keyOf,
	placeOfToken,
	readFacts,
	readHeld,
} from "#plugins/market-index/accounts/readActivity.ts";
import { LEFT_OUT, realise, type TokenResult } from "#plugins/market-index/accounts/realise.ts";
import { chainOfRow, displayNative, explorerLink } from "#plugins/market-index/display.ts";
import { type ChainSpans, NO_SPANS } from "#plugins/market-index/figures/coverage.ts";
import type { Span } from "#plugins/market-index/rollup/windows.ts";
import type {
	AccountCoverage,
	ShownResultSummary,
	ShownTokenResult,
} from "#plugins/market-index/schemas/accounts.ts";

export type ResultQuery = {
	address: Address;
	chains: readonly Chain[];
	/** Only tokens of this collection; null for all. */
	collectionId: number | null;
	/** The last token of the page before. */
	after: ResultPlace | null;
	limit: number;
};

export type ResultPlace = { lastSoldAtMs: number; collectionId: number; tokenId: bigint };

type Result = {
	data: ShownTokenResult[];
	summary: ShownResultSummary;
	/** The oldest event that was read; null where all that are kept were. */
	readFrom: string | null;
	coverage: AccountCoverage;
	next: ResultPlace | null;
};

type Sums = Omit<TokenResult, "event" | "firstSoldAtMs" | "lastSoldAtMs">;

/** Limits the newest events of an account that a result is made of: half a tenth of a second. */
const EVENTS_MAX = 5_000;

/** Returns a page of what an account realised, the token that was sold last first. */
export async function readResult(deps: AccountReads, query: ResultQuery): Promise<Result> {
	const { core, prices } = deps;
	const { address, chains, collectionId, after, limit } = query;
	const nowMs = core.clock.nowMs();
	// Read before the rows, so that they never claim more than those contain.
	const held = await readHeld(deps, chains, collectionId);
	const { events, next: older } = await readAccountEvents(core.db, {
		...{ address, types: ACCOUNT_TYPES, since: null, until: null, after: null, collectionId },
		chainIds: chains.map(({ id }) => id),
		scanned: EVENTS_MAX,
		limit: EVENTS_MAX,
	});
	const isCut = older !== null;
	const results = realise(events.reverse(), {
		account: address,
		ethUsd: (atMs) => prices.ethUsd(atMs),
		isCut,
		held: (chainId) => commonSpan(held.spans.get(chainId)),
	});
	const all = [...results.values()].sort((a, b) => compare(orderOf(a), orderOf(b)));
	const left = all.filter((one) => after === null || compare(orderOf(one), after) > 0);
	const shown = left.slice(0, limit);
	const facts = await readFacts(
		core.db,
		shown.map(({ event }) => placeOfToken(event)),
	);
	const last = shown.at(-1);
	const fromMs = older?.occurredAtMs ?? null;
	return {
		data: shown.map((one) => {
			const known = facts.get(keyOf(placeOfToken(one.event)));
			return renderResult(chainOfRow(chains, one.event), { one, known });
		}),
		summary: { tokens: all.length, ...renderSums(all.reduce<Sums>(add, EMPTY)) },
		readFrom: fromMs === null ? null : new Date(fromMs).toISOString(),
		coverage: accountCoverage(held, {
			...{ chains, types: ACCOUNT_TYPES, range: { fromMs, untilMs: nowMs } },
		}),
		next: left.length > limit && last ? orderOf(last) : null,
	};
}

const EMPTY: Sums = {
	unitsSold: 0n,
	unitsRealised: 0n,
	proceeds: 0n,
	cost: 0n,
	proceedsUsd: null,
	costUsd: null,
	unitsWithoutUsd: 0n,
	leftOut: { cost_not_seen: 0n, cost_unknown: 0n, price_unknown: 0n },
};

function add(sums: Sums, one: Sums): Sums {
	const leftOut = { ...sums.leftOut };
	for (const reason of LEFT_OUT) leftOut[reason] += one.leftOut[reason];
	return {
		unitsSold: sums.unitsSold + one.unitsSold,
		unitsRealised: sums.unitsRealised + one.unitsRealised,
		proceeds: sums.proceeds + one.proceeds,
		cost: sums.cost + one.cost,
		proceedsUsd: addKnown(sums.proceedsUsd, one.proceedsUsd),
		costUsd: addKnown(sums.costUsd, one.costUsd),
		unitsWithoutUsd: sums.unitsWithoutUsd + one.unitsWithoutUsd,
		leftOut,
	};
}

/** Returns the time for which both sales and mints of a chain are all here. */
function commonSpan({ sales, mints }: ChainSpans = NO_SPANS): Span | null {
	if (!sales || !mints) return null;
	const fromMs = Math.max(sales.fromMs, mints.fromMs);
	const untilMs = Math.min(sales.untilMs, mints.untilMs);
	return fromMs < untilMs ? { fromMs, untilMs } : null;
}

function addKnown(sum: number | null, more: number | null): number | null {
	return more === null ? sum : (sum ?? 0) + more;
}

function renderResult(
	chain: Chain,
	{
		one,
		known,
	}: {
		one: TokenResult;
		known: { name: string | null; imageUrl: string | null } | undefined;
	},
): ShownTokenResult {
	const { collection, event } = one.event;
	const tokenId = event.tokenId.toString();
	return {
		chain: chain.slug,
		contractAddress: event.contract,
		slug: collection.slug,
		collectionName: collection.name,
		tokenId,
		name: known?.name ?? null,
		imageUrl: known?.imageUrl ?? null,
		...renderSums(one),
		firstSoldAt: new Date(one.firstSoldAtMs).toISOString(),
		lastSoldAt: new Date(one.lastSoldAtMs).toISOString(),
		explorerUrl: explorerLink(chain, { contract: event.contract, tokenId }),
	};
}

function renderSums(sums: Sums): Omit<ShownResultSummary, "tokens"> {
	const { unitsRealised, proceeds, cost, proceedsUsd, costUsd, leftOut } = sums;
	const realised = (proceeds - cost).toString();
	return {
		unitsSold: sums.unitsSold.toString(),
		unitsRealised: unitsRealised.toString(),
		proceedsRaw: proceeds.toString(),
		costRaw: cost.toString(),
		realisedRaw: realised,
		realisedNative: unitsRealised === 0n ? null : displayNative(realised),
		realisedUsd: proceedsUsd === null || costUsd === null ? null : proceedsUsd - costUsd,
		unitsWithoutUsd: sums.unitsWithoutUsd.toString(),
		leftOut: {
			cost_not_seen: leftOut.cost_not_seen.toString(),
			cost_unknown: leftOut.cost_unknown.toString(),
			price_unknown: leftOut.price_unknown.toString(),
		},
	};
}

function orderOf({ event, lastSoldAtMs }: TokenResult): ResultPlace {
	const { collection, event: sale } = event satisfies AccountEvent;
	return { lastSoldAtMs, collectionId: collection.id, tokenId: sale.tokenId };
}

/** Compares by the last sale, the newest first; then by what is the same on every page. */
function compare(a: ResultPlace, b: ResultPlace): number {
	if (a.lastSoldAtMs !== b.lastSoldAtMs) return b.lastSoldAtMs - a.lastSoldAtMs;
	if (a.collectionId !== b.collectionId) return a.collectionId - b.collectionId;
	return a.tokenId === b.tokenId ? 0 : a.tokenId < b.tokenId ? -1 : 1;
}
