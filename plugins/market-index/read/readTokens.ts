// Reads a page of a collection's tokens with what each costs, and says what is not known.

import type { Address } from "#core/chain/Hex.ts";
import { CURSOR_PART, createCursor } from "#core/http/pages.ts";
import {
	displayNative,
	displayTime,
	displayUsd,
	explorerLink,
} from "#plugins/market-index/display.ts";
import { type BookOrder, isStandIn } from "#plugins/market-index/event/MarketEvent.ts";
import { coverageOf, heldBy, readChainSpans } from "#plugins/market-index/figures/coverage.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { type BookState, readBookState, renderOrder } from "#plugins/market-index/orderBook.ts";
import { readCheapest } from "#plugins/market-index/orderPages.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import { renderTraits } from "#plugins/market-index/render/event.ts";
import type { TOKENS_UNKNOWN, TokenRow } from "#plugins/market-index/schemas/tokens.ts";
import {
	findLastSales,
	type LastSale,
	readEventSpans,
} from "#plugins/market-index/sql/readEvents.ts";
import type { TraitFilter } from "#plugins/market-index/tokens/model.ts";
import {
	type Bounds,
	type ListedToken,
	readTokenPage,
	readTokensState,
	type TokenSort,
	type TokensState,
} from "#plugins/market-index/tokens/sql/tokenPages.ts";
import { traitFilterKey } from "#plugins/market-index/tokens/sql/traits.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type TokensAsked = {
	sort: TokenSort;
	traits: TraitFilter;
	rank: Bounds<number>;
	price: Bounds<bigint>;
	owner: Address | null;
	cursor: string | undefined;
	limit: number;
};

type Unknown = (typeof TOKENS_UNKNOWN)[number];

type TokensPage = {
	data: TokenRow[] | null;
	reason: Unknown | null;
	page: { nextCursor: string | null; hasMore: boolean };
	bookReadAt: string | null;
	lastSalesFrom: string | null;
};

type ShownParts = {
	listings: ReadonlyMap<string, BookOrder>;
	sales: ReadonlyMap<string, LastSale>;
	prices: Pick<Prices, "ethUsd">;
};

const cursors = createCursor("tokens1", [CURSOR_PART.countOrNone, CURSOR_PART.count]);

const NO_PAGE = { nextCursor: null, hasMore: false };

/**
 * Returns a page of a collection's tokens. `data` is null, with a reason, where what the filter or
 * the sort asks for was never read: an empty list would say that no token is like that.
 */
export async function readTokens(
	context: Pick<RouteContext, "core" | "index" | "prices" | "providerHealth" | "scanner">,
	found: FoundCollection,
	asked: TokensAsked,
): Promise<TokensPage> {
	const { core, index, prices, providerHealth } = context;
	const { db } = core;
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const bound = cursors.of({ chain: found.chain, address: found.address, ...scopeOf(asked) });
	const after = asked.cursor === undefined ? null : placeOf(bound.decode(asked.cursor));
	const [state, book] = await Promise.all([
		readTokensState(db, found.id),
		readBookState(db, { collectionId: found.id, isOn: providerHealth().isOn }),
	]);
	const bookReadAt = displayTime(book.listings);
	const unknown = unknownBefore(asked, { state, book });
	const nothing = { data: null, page: NO_PAGE, bookReadAt, lastSalesFrom: null };
	if (unknown !== null) return { ...nothing, reason: unknown };
	const { owner, limit } = asked;
	const { setId, standard } = state;
	const read = await readTokenPage(db, {
		...asked,
		...{ collectionId: found.id, after, nowMs, limit: limit + 1 },
		owner: owner === null || setId === null ? null : { address: owner, setId, standard },
	});
	if (read.length === 0 && after === null) {
		const reason = unknownWhereEmpty(asked, state);
		if (reason !== null) return { ...nothing, reason };
	}
	const shown = read.slice(0, limit);
	const tokenIds = shown.map(({ tokenId }) => tokenId);
	const [listings, last] = await Promise.all([
		book.listings === null
			? new Map()
			: readCheapest(db, { collectionId: found.id, tokenIds, nowMs }),
		readLastSales(context, found, { tokenIds, nowMs }),
	]);
	const place = read.length > limit ? shown.at(-1) : undefined;
	const rows = { listings, sales: last.sales, prices };
	return {
		data: shown.map((token) => renderToken(core, found, token, { ...rows, nowMs })),
		reason: null,
		page: {
			nextCursor: place ? bound.encode([place.key ?? "none", place.tokenId]) : null,
			hasMore: place !== undefined,
		},
		bookReadAt,
		lastSalesFrom: last.from,
	};
}

/** Says what of the request nobody has read, whatever rows there are. */
function unknownBefore(
	asked: TokensAsked,
	{ state, book }: { state: TokensState; book: BookState },
): Unknown | null {
	const { price, sort, owner } = asked;
	if (owner !== null && state.setId === null) return "owners_not_walked";
	const isPriced = sort === "price" || price.min !== null || price.max !== null;
	return isPriced && book.listings === null ? "listings_not_read" : null;
}

/** Says why there is no row, where it may be because nobody has read what was asked for. */
function unknownWhereEmpty(asked: TokensAsked, state: TokensState): Unknown | null {
	if (state.learnedAt === null) return "tokens_not_read";
	if (asked.traits.length > 0 && state.traitsAt === null) return "traits_not_read";
	const { min, max } = asked.rank;
	return (min !== null || max !== null) && state.rankedAt === null ? "not_ranked" : null;
}

/**
 * Finds last sales of tokens, and since when none was missed: of all that was looked at, and of
 * what the index holds at all.
 */
async function readLastSales(
	{ core, scanner }: Pick<RouteContext, "core" | "scanner">,
	found: FoundCollection,
	{ tokenIds, nowMs }: { tokenIds: readonly string[]; nowMs: number },
): Promise<{ sales: ReadonlyMap<string, LastSale>; from: string | null }> {
	// Both are read before the rows, so that they never claim more than those contain.
	const [spans, provider] = await Promise.all([
		readChainSpans(scanner, resolveChain(core, found.chain).id),
		readEventSpans(core.db, found.id),
	]);
	const { sales, searchedFrom } = await findLastSales(core.db, {
		collectionId: found.id,
		tokenIds,
	});
	const range = { startMs: searchedFrom?.getTime() ?? 0, nowMs };
	const fromMs = coverageOf(range, heldBy(provider, spans, "sales"))?.coverage.fromMs ?? null;
	return { sales, from: fromMs === null ? null : new Date(fromMs).toISOString() };
}

function renderToken(
	core: RouteContext["core"],
	found: FoundCollection,
	token: ListedToken,
	{ listings, sales, prices, nowMs }: ShownParts & { nowMs: number },
): TokenRow {
	const { tokenId, name, imageUrl, rank, owner } = token;
	const { address: contract, slug } = found;
	const chain = resolveChain(core, found.chain);
	const listing = listings.get(tokenId);
	const sale = sales.get(tokenId);
	return {
		...{
			chain: found.chain,
			contractAddress: contract,
			slug,
			tokenId,
			name,
			imageUrl,
			rank,
			owner,
		},
		traits: renderTraits(token.traits),
		listing: listing ? renderOrder(listing, usdAt(prices, nowMs)) : null,
		lastSale: sale ? renderLastSale(sale, prices) : null,
		explorerUrl: explorerLink(chain, { contract, tokenId }),
	};
}

function renderLastSale(
	{ unitNative, occurredAt, transactionHash }: LastSale,
	prices: Pick<Prices, "ethUsd">,
) {
	const wei = unitNative === null ? null : BigInt(unitNative);
	return {
		priceNative: displayNative(unitNative),
		priceUsd: displayUsd(wei, prices.ethUsd(occurredAt.getTime())),
		occurredAt: occurredAt.toISOString(),
		transactionHash: isStandIn(transactionHash) ? null : transactionHash,
	};
}

function scopeOf({ sort, traits, rank, price, owner }: TokensAsked) {
	return {
		...{ sort, owner, traits: traitFilterKey(traits), minRank: rank.min, maxRank: rank.max },
		...{ minPrice: price.min?.toString(), maxPrice: price.max?.toString() },
	};
}

function placeOf([key = "none", tokenId = "0"]: string[]): { key: string | null; tokenId: string } {
	return { key: key === "none" ? null : key, tokenId };
}
