// Returns what an account holds, with what that is worth, and what of it is not known.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { readUnwalkedCollections } from "#plugins/market-index/accounts/accountEvents.ts";
import {
	countWalked,
	type HeldCollection,
	type HeldToken,
	readHeldCollections,
	readHeldTokens,
	type WalkedCount,
} from "#plugins/market-index/accounts/heldTokens.ts";
import {
	chainOfRow,
	displayNative,
	displayTime,
	explorerLink,
} from "#plugins/market-index/display.ts";
import { type ChainSpans, readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import { floorFigure } from "#plugins/market-index/figures/figures.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import type { IndexReads } from "#plugins/market-index/read/context.ts";
import { renderTraits } from "#plugins/market-index/render/event.ts";
import type {
	AccountCollection,
	AccountSummary,
	AccountToken,
	HoldingsCoverage,
} from "#plugins/market-index/schemas/accounts.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type HoldingsQuery = {
	address: Address;
	chains: readonly Chain[];
	/** Only tokens of this collection; null for all. */
	collectionId: number | null;
	/** The last token of the page before. */
	after: { collectionId: number; tokenId: string } | null;
	limit: number;
};

type Holdings = {
	data: AccountToken[] | null;
	collections: AccountCollection[] | null;
	summary: AccountSummary | null;
	coverage: HoldingsCoverage;
	next: { collectionId: number; tokenId: string } | null;
};

type Floors = {
	floorWei: (held: HeldCollection) => bigint | null;
	usd: (wei: bigint | null) => number | null;
};

/** Limits the collections that one account's sums are made of. */
const COLLECTIONS_MAX = 2_000;
/** Limits the collections that are shown with their sums. */
const COLLECTIONS_SHOWN = 100;
/** Limits the newest events that are looked at for collections that are not walked. */
const EVENTS_SEARCHED = 500;
const UNWALKED_SHOWN = 50;

/**
 * Returns a page of an account's tokens with sums over all of them. Only walked collections can be
 * told; what else the account got tokens of is named in `coverage`. All but that is null where no
 * contract of these chains was walked: then nothing is known.
 */
export async function readHoldings(
	deps: { core: IndexReads; scanner: Pick<Scanner, "progress">; prices: Pick<Prices, "ethUsd"> },
	query: HoldingsQuery,
): Promise<Holdings> {
	const { core, scanner, prices } = deps;
	const { address, chains, collectionId } = query;
	const chainIds = chains.map(({ id }) => id);
	// Read before the rows, so that it never claims more than those contain.
	const [spans, walked] = await Promise.all([
		readSpansOf(scanner, chains),
		countWalked(core.db, chainIds),
	]);
	const asked = { address, chainIds, collectionId };
	const [held, unwalked] = await Promise.all([
		readHeldCollections(core.db, { ...asked, limit: COLLECTIONS_MAX + 1 }),
		readUnwalkedCollections(core.db, {
			...asked,
			scanned: EVENTS_SEARCHED,
			limit: UNWALKED_SHOWN + 1,
		}),
	]);
	const coverage = coverageOf({ chains, spans, walked, held, unwalked });
	if (coverage.chains.every((one) => one.walkedContracts === 0)) {
		return { data: null, collections: null, summary: null, coverage, next: null };
	}
	const known = held.slice(0, COLLECTIONS_MAX).filter(({ isWalked }) => isWalked);
	const floors = floorsAt(prices, core.clock.nowMs());
	const { tokens, next } = await readTokens(core, query, known);
	return {
		data: tokens.map(({ token, of }) => renderToken(chainOfRow(chains, of), { token, of, floors })),
		collections: collectionsOf(chains, known, floors),
		summary: summaryOf(known, { floors, isCut: held.length > COLLECTIONS_MAX }),
		coverage,
		next,
	};
}

/** Reads a page of tokens from as many collections as it takes. */
async function readTokens(
	{ db }: Pick<IndexReads, "db">,
	{ address, after, limit }: HoldingsQuery,
	known: readonly HeldCollection[],
) {
	const left = known.filter(({ id }) => after === null || id >= after.collectionId);
	const isWithin = after !== null && left[0]?.id === after.collectionId;
	const sets: HeldCollection[] = [];
	let atLeast = 0;
	for (const [index, one] of left.entries()) {
		if (atLeast > limit) break;
		sets.push(one);
		// Many units of an ERC-1155 may be one token, and of the first there may be none left.
		const tokens = one.standard === "erc721" ? Number(one.units) : 1;
		if (!isWithin || index > 0) atLeast += tokens;
	}
	const read = await readHeldTokens(db, {
		address,
		sets,
		after: isWithin ? after.tokenId : null,
		limit: limit + 1,
	});
	const bySet = new Map(sets.map((one) => [one.setId, one]));
	const tokens = read.slice(0, limit).flatMap((token) => {
		const of = bySet.get(token.setId);
		return of ? [{ token, of }] : [];
	});
	const last = tokens.at(-1);
	const hasMore = read.length > limit && last !== undefined;
	return {
		tokens,
		next: hasMore ? { collectionId: last.of.id, tokenId: last.token.tokenId } : null,
	};
}

function floorsAt(prices: Pick<Prices, "ethUsd">, nowMs: number): Floors {
	const usd = usdAt(prices, nowMs);
	return {
		floorWei: (held) =>
			floorFigure(held).value === null || held.floorNative === null
				? null
				: BigInt(held.floorNative),
		usd: (wei) => usd(wei === null ? null : wei.toString()),
	};
}

function renderToken(
	chain: Chain,
	{ token, of, floors }: { token: HeldToken; of: HeldCollection; floors: Floors },
): AccountToken {
	const floor = floors.floorWei(of);
	return {
		chain: chain.slug,
		contractAddress: of.address,
		slug: of.slug,
		collectionName: of.name,
		standard: of.standard,
		tokenId: token.tokenId,
		units: token.units,
		name: token.name,
		imageUrl: token.imageUrl,
		rank: token.rank,
		traits: renderTraits(token.traits),
		floorNative: shown(floor),
		floorUsd: floors.usd(floor),
		...worthOf(floor, BigInt(token.units), floors),
		explorerUrl: explorerLink(chain, { contract: of.address, tokenId: token.tokenId }),
	};
}

/** Returns the collections that are worth most at their floors; those without a floor are last. */
function collectionsOf(
	chains: readonly Chain[],
	known: readonly HeldCollection[],
	floors: Floors,
): AccountCollection[] {
	const worth = known.map((of) => {
		const floor = floors.floorWei(of);
		return { of, floor, wei: floor === null ? -1n : floor * BigInt(of.units) };
	});
	worth.sort((a, b) => (a.wei === b.wei ? a.of.id - b.of.id : a.wei > b.wei ? -1 : 1));
	return worth.slice(0, COLLECTIONS_SHOWN).map(({ of, floor }) => ({
		chain: chainOfRow(chains, of).slug,
		contractAddress: of.address,
		slug: of.slug,
		name: of.name,
		imageUrl: of.imageUrl,
		standard: of.standard,
		units: of.units,
		floorNative: shown(floor),
		floorUsd: floors.usd(floor),
		floorAt: floor === null ? null : displayTime(of.floorAt),
		...worthOf(floor, BigInt(of.units), floors),
	}));
}

function worthOf(floor: bigint | null, units: bigint, { usd }: Floors) {
	const wei = floor === null ? null : floor * units;
	return { valueNative: shown(wei), valueUsd: usd(wei) };
}

function summaryOf(
	known: readonly HeldCollection[],
	{ floors, isCut }: { floors: Floors; isCut: boolean },
): AccountSummary {
	let units = 0n;
	let unvalued = 0n;
	let unvaluedCollections = 0;
	let wei = 0n;
	for (const of of known) {
		const floor = floors.floorWei(of);
		units += BigInt(of.units);
		if (floor !== null) wei += floor * BigInt(of.units);
		else {
			unvalued += BigInt(of.units);
			unvaluedCollections += 1;
		}
	}
	// Of nothing that has a floor the sum is not zero: it is not known.
	const sum = unvaluedCollections > 0 && unvaluedCollections === known.length ? null : wei;
	return {
		collections: known.length,
		units: units.toString(),
		valueRaw: sum === null ? null : sum.toString(),
		valueNative: shown(sum),
		valueUsd: floors.usd(sum),
		collectionsWithoutFloor: unvaluedCollections,
		unitsWithoutFloor: unvalued.toString(),
		isCut,
	};
}

function shown(wei: bigint | null): number | null {
	return displayNative(wei === null ? null : wei.toString());
}

function coverageOf(given: {
	chains: readonly Chain[];
	spans: ReadonlyMap<number, ChainSpans>;
	walked: ReadonlyMap<number, WalkedCount>;
	held: readonly HeldCollection[];
	unwalked: Awaited<ReturnType<typeof readUnwalkedCollections>>;
}): HoldingsCoverage {
	const { chains, spans, walked, held, unwalked } = given;
	const named = unwalked.collections.map((one) => ({ ...one, lastAt: one.lastAt as Date | null }));
	const names = new Set(named.map(({ chainId, address }) => `${chainId} ${address}`));
	// What a walk under way has met so far, and no event told.
	for (const one of held) {
		if (one.isWalked || names.has(`${one.chainId} ${one.address}`)) continue;
		named.push({ ...one, lastAt: null, isWalking: true });
	}
	return {
		chains: chains.map(({ id, slug }) => {
			const { movesUntilMs = null, movesOwed = false } = spans.get(id) ?? {};
			const { walked: walkedContracts = 0, walking: walkingContracts = 0 } = walked.get(id) ?? {};
			const until = movesUntilMs === null ? null : displayTime(new Date(movesUntilMs));
			return { chain: slug, walkedContracts, walkingContracts, until, owesBlocks: movesOwed };
		}),
		notWalked: named.slice(0, UNWALKED_SHOWN).map((one) => ({
			chain: chainOfRow(chains, one).slug,
			contractAddress: one.address,
			slug: one.slug,
			name: one.name,
			state: one.isWalking ? ("walking" as const) : ("not_walked" as const),
			lastEventAt: displayTime(one.lastAt),
		})),
		hasMoreNotWalked: named.length > UNWALKED_SHOWN,
		searchedFrom: displayTime(unwalked.searchedFrom),
	};
}
