// Serves one token, and a collection's holders and traits.

import { Elysia } from "elysia";
import { z } from "zod";
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
import {
	assetParams,
	chainParam,
	PAGE_LIMIT,
	slugParams,
} from "#plugins/market-index/routes/params.ts";
import {
	assetSchema,
	holderSchema,
	traitCountSchema,
} from "#plugins/market-index/schemas/tokens.ts";
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
