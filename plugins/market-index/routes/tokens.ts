// Serves one token, and a collection's tokens, holders and traits.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import {
	CURSOR_PART,
	createCursor,
	cursorParam,
	limitParam,
	pageQuery,
	pageSchema,
} from "#core/http/pages.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { displayNative, displayTime, explorerLink } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { readBookState, renderOrder } from "#plugins/market-index/orderBook.ts";
import { readOrderPage } from "#plugins/market-index/orderPages.ts";
import { readHolders } from "#plugins/market-index/owners/jobs.ts";
import { readAsset, usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import { readTokens, type TokensAsked } from "#plugins/market-index/read/readTokens.ts";
import {
	addressParam,
	contradiction,
	priceParam,
} from "#plugins/market-index/routes/eventFilters.ts";
import {
	assetParams,
	chainParam,
	PAGE_LIMIT,
	slugParams,
	traitsParam,
} from "#plugins/market-index/routes/params.ts";
import {
	assetSchema,
	holderSchema,
	tokenPageSchema,
	traitCountSchema,
} from "#plugins/market-index/schemas/tokens.ts";
import { TOKEN_SORTS } from "#plugins/market-index/tokens/sql/tokenPages.ts";
import {
	readTraitPage,
	readTraitsAt,
	type TraitCount,
} from "#plugins/market-index/tokens/sql/traits.ts";

const holderCursors = createCursor("holders2", [CURSOR_PART.count, CURSOR_PART.address]);
const traitCursors = createCursor("traits2", [CURSOR_PART.longText, CURSOR_PART.longText]);

/** A cursor of traits holds two texts of 512 bytes, as hex, in base64. */
const TRAIT_CURSOR_LENGTH_MAX = 4_096;
const TRAIT_NAME_LENGTH_MAX = 128;

const rankParam = (description: string) =>
	z
		.string()
		.regex(/^[1-9]\d{0,8}$/, "must be a whole number from 1")
		.transform(Number)
		.optional()
		.meta({ description, examples: ["100"] });

const holderPageSchema = z
	.object({
		data: z.array(holderSchema).nullable().meta({
			description: "Holders, the largest first; null until the walk is done: not known.",
		}),
		page: pageSchema,
	})
	.meta({ id: "HolderPage", description: "A page of a collection's holders." });

const traitPageSchema = z
	.object({
		data: z.array(traitCountSchema).nullable().meta({
			description: "By trait, then by value; null until traits were counted once: not known.",
		}),
		page: pageSchema,
	})
	.meta({ id: "TraitPage", description: "A page of a collection's traits." });

/** Serves one token. */
export function getAsset(context: RouteContext) {
	return new Elysia().get(
		"/assets/:chain/:contract/:tokenId",
		async ({ params }) => {
			const found = await context.index.find(params.contract, params.chain);
			return answerAsset(context, found, BigInt(params.tokenId));
		},
		{
			params: assetParams,
			response: { 200: assetSchema },
			detail: {
				...canFail(marketFault.notFound),
				operationId: "getAsset",
				tags: ["market"],
				summary: "Shows one token: metadata, traits, rank",
				description:
					"What the token's own URI says, else what the provider says, and its cheapest listing; null " +
					"is not known. Asking has the book of the collection read. 404 `not_found` for a " +
					"collection or a token that nothing here spoke of.",
			},
		},
	);
}

/** Returns one token with its cheapest public listing; null until the book was read once. */
async function answerAsset(
	{ core, index, prices, providerHealth }: RouteContext,
	found: FoundCollection,
	tokenId: bigint,
) {
	const nowMs = core.clock.nowMs();
	const wanted = { kinds: ["listing"], order: "asc", isPublicOnly: true } as const;
	const page = { tokenId: tokenId.toString(), nowMs, cursor: undefined, limit: 1 };
	const [token, { orders }, state] = await Promise.all([
		readAsset(core, found, tokenId),
		readOrderPage(core.db, { ...wanted, ...page, collection: found }),
		readBookState(core.db, { collectionId: found.id, isOn: providerHealth().isOn }),
	]);
	index.touch(found.id, "detail");
	const [listing] = state.listings === null ? [] : orders;
	const { address: contract, slug } = found;
	const chain = resolveChain(core, found.chain);
	return {
		...token,
		slug,
		explorerUrl: explorerLink(chain, { contract, tokenId: token.tokenId }),
		listing: listing ? renderOrder(listing, usdAt(prices, nowMs)) : null,
		bookReadAt: displayTime(state.listings),
	};
}

/** Serves a collection's tokens, by id, rank or price. */
export function getTokens(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/tokens",
		async ({ params, query }) => {
			const asked = tokensAsked(query);
			return readTokens(context, await context.index.find(params.slug, query.chain), asked);
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				sort: z
					.enum(TOKEN_SORTS)
					.default("tokenId")
					.meta({
						description:
							"By id, by rank (the rarest first), or by price (the cheapest listing first). Tokens " +
							"whose rank or price is not known come last, by id.",
					}),
				traits: traitsParam,
				minRank: rankParam("Only tokens from this rank on; 1 is the rarest."),
				maxRank: rankParam("Only tokens up to this rank."),
				minPriceNative: priceParam("Only tokens listed for at least this, in ETH equivalents."),
				maxPriceNative: priceParam("Only tokens listed for at most this, in ETH equivalents."),
				owner: addressParam("Only tokens that this account holds, of collections that are walked."),
				...pageQuery(PAGE_LIMIT),
			}),
			response: { 200: tokenPageSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionTokens",
				tags: ["market"],
				summary: "Lists a collection's tokens",
				description:
					"The tokens that the index knows of, 50,000 of a collection at most, each with its owner " +
					"(of walked collections), its cheapest listing and its last sale. A token whose rank, " +
					"traits or price are not known passes no filter by them. `data` is null, with a " +
					"`reason`, where nobody has read what is asked for. Asking has the book read.",
			},
		},
	);
}

type TokensQuery = {
	sort: TokensAsked["sort"];
	traits?: TokensAsked["traits"] | undefined;
	minRank?: number | undefined;
	maxRank?: number | undefined;
	minPriceNative?: bigint | undefined;
	maxPriceNative?: bigint | undefined;
	owner?: Address | undefined;
	cursor?: string | undefined;
	limit: number;
};

/** Returns what is read for a request of tokens; refuses bounds between which nothing lies. */
function tokensAsked(query: TokensQuery): TokensAsked {
	const { minRank = null, maxRank = null, owner = null, traits = [] } = query;
	const { minPriceNative = null, maxPriceNative = null, sort, cursor, limit } = query;
	if (minRank !== null && maxRank !== null && minRank > maxRank) {
		throw contradiction("maxRank", "must not be below `minRank`");
	}
	if (minPriceNative !== null && maxPriceNative !== null && minPriceNative > maxPriceNative) {
		throw contradiction("maxPriceNative", "must not be below `minPriceNative`");
	}
	return {
		...{ sort, traits, owner, cursor, limit },
		rank: { min: minRank, max: maxRank },
		price: { min: minPriceNative, max: maxPriceNative },
	};
}

/** Serves a collection's holders, the largest first. */
export function getHolders(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/holders",
		async ({ params, query }) =>
			answerHolders(context, await context.index.find(params.slug, query.chain), query),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				...pageQuery(PAGE_LIMIT),
			}),
			response: {
				200: holderPageSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionHolders",
				tags: ["market"],
				summary: "Lists holders",
				description:
					"The largest first, from the service's own walk over the contract's transfers. `data` is " +
					"null until that walk is done.",
			},
		},
	);
}

/** Returns a page of a collection's holders; `data` is null until its walk is done. */
export async function answerHolders(
	{ core }: Pick<RouteContext, "core">,
	found: FoundCollection,
	query: { cursor?: string | undefined; limit: number },
) {
	const cursors = holderCursors.of({ chain: found.chain, address: found.address });
	const [units, owner] = query.cursor === undefined ? [] : cursors.decode(query.cursor);
	const after =
		units === undefined || owner === undefined
			? null
			: { units: BigInt(units), owner: `0x${owner.slice(2)}` as const };
	const read = await readHolders(core.db, {
		collectionId: found.id,
		limit: query.limit + 1,
		after,
	});
	if (!read) return { data: null, page: { nextCursor: null, hasMore: false } };
	const shown = read.slice(0, query.limit);
	const last = shown.at(-1);
	const hasMore = read.length > query.limit;
	const nextCursor = hasMore && last ? cursors.encode([String(last.units), last.owner]) : null;
	return {
		data: shown.map((one) => ({ address: one.owner, units: one.units.toString() })),
		page: { nextCursor, hasMore },
	};
}

/** Serves a collection's traits, value by value. */
export function getTraits(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/traits",
		async ({ params, query }) =>
			answerTraits(context, await context.index.find(params.slug, query.chain), query),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z
					.string()
					.max(TRAIT_NAME_LENGTH_MAX)
					.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
					.optional()
					.meta({
						description: "Only values of this trait, by its name as it is shown.",
						examples: ["Background"],
					}),
				limit: limitParam(PAGE_LIMIT.default, PAGE_LIMIT.max),
				cursor: cursorParam(TRAIT_CURSOR_LENGTH_MAX),
			}),
			response: { 200: traitPageSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionTraits",
				tags: ["market"],
				summary: "Lists traits with their counts and floors",
				description:
					"By trait, then by value. Counts are those of the tokens read here, else the " +
					"provider's; they may be up to 15 minutes old. Floors are found again with the counts, and " +
					"half a minute after a whole book was read.",
			},
		},
	);
}

/**
 * Returns a page of a collection's traits; `data` is null until they were counted once. Floors of
 * traits are made from the whole book, which is read while its collection is looked at.
 */
export async function answerTraits(
	{ core, index }: Pick<RouteContext, "core" | "index">,
	found: FoundCollection,
	query: { type?: string | undefined; cursor?: string | undefined; limit: number },
) {
	const { chain, address } = found;
	const cursors = traitCursors.of({ chain, address, type: query.type });
	index.touch(found.id, "detail");
	const read = await readTraitPage(core.db, {
		collectionId: found.id,
		type: query.type ?? null,
		after: query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor)),
		limit: query.limit + 1,
	});
	if (read.length === 0 && (await readTraitsAt(core.db, found.id)) === null) {
		return { data: null, page: { nextCursor: null, hasMore: false } };
	}
	const shown = read.slice(0, query.limit);
	const last = shown.at(-1);
	const hasMore = read.length > query.limit;
	return {
		data: shown.map(renderTrait),
		page: { nextCursor: hasMore && last ? cursors.encode(partsOf(last)) : null, hasMore },
	};
}

/** Renders how many tokens have a value, and the best ask for one of them. */
export function renderTrait({ type, value, tokens, floorNative }: TraitCount) {
	return { type, value, count: tokens, floorNative: displayNative(floorNative) };
}

function placeOf(parts: readonly string[]): { type: string; value: string } {
	const [type = "", value = ""] = parts.map((hex) =>
		new TextDecoder().decode(Buffer.from(hex, "hex")),
	);
	// No stored text contains NUL, and the database would refuse it.
	const known = (text: string) => text.replaceAll("\u0000", "");
	return { type: known(type), value: known(value) };
}

function partsOf({ type, value }: { type: string; value: string }): string[] {
	return [type, value].map((text) => Buffer.from(text).toString("hex"));
}
