// Serves order books: depth, listings, offers, and estimates of what buying costs.

import { Elysia } from "elysia";
import { z } from "zod";
import { isAddress } from "#core/chain/Hex.ts";
import { ANY_CASE_WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageQuery } from "#core/http/pages.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import { displayNative, displayTime } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { type DepthLevel, readBookState, readDepth } from "#plugins/market-index/orderBook.ts";
import {
	ORDER_SORTS,
	type OrdersQuery,
	readOrderPage,
	renderPlaced,
} from "#plugins/market-index/orderPages.ts";
import { QUOTE_LISTINGS_MAX, readQuote } from "#plugins/market-index/quote.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import { type RouteContext, resolveChain } from "#plugins/market-index/read/context.ts";
import {
	chainParam,
	PAGE_LIMIT,
	slugParams,
	tokenIdParam,
	traitsParam,
} from "#plugins/market-index/routes/params.ts";
import {
	bookReadAtSchema,
	bookReasonSchema,
	depthLevelSchema,
	orderPageSchema,
	quoteSchema,
} from "#plugins/market-index/schemas/book.ts";
import { readTraitsAt } from "#plugins/market-index/tokens/sql/traits.ts";

const OFFER_KINDS = ["item_offer", "collection_offer", "trait_offer"] as const;

const UNREAD = "null until they were read to their end once: not known.";

const levels = (description: string) => z.array(depthLevelSchema).nullable().meta({ description });

const depthSchema = z
	.object({
		asks: levels(`Listings, the cheapest first; 50 levels at most; ${UNREAD}`),
		bids: levels(`Offers on the collection, the highest first; 50 levels at most; ${UNREAD}`),
		reason: bookReasonSchema,
		bookReadAt: bookReadAtSchema.meta({
			description: "When both sides were last read to their end; null while one never was.",
		}),
		observedAt: field.time("When this was read."),
	})
	.meta({ id: "Depth", description: "How deep an order book is on both sides." });

// Strict: with a misspelled quantity silently dropped, it would be an estimate for one.
const quoteRequestSchema = z
	.strictObject({
		chain: chainParam,
		slug: slugParams.shape.slug.optional(),
		contract: z
			.string()
			.toLowerCase()
			.refine(isAddress, "must be an address")
			.optional()
			.meta({
				description: "The collection's contract, in place of `slug`.",
				examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
			}),
		tokenId: tokenIdParam.optional(),
		orderHash: z
			.string()
			.regex(new RegExp(ANY_CASE_WORD_PATTERN), "must be 32 bytes in hex")
			.optional()
			.meta({ description: "Only this listing.", examples: [`0x${"5d".repeat(32)}`] }),
		quantity: z
			.int()
			.min(1)
			.max(QUOTE_LISTINGS_MAX)
			.default(1)
			.meta({ description: "Units to buy." }),
	})
	.meta({
		id: "QuoteRequest",
		description:
			"What to buy: of a collection, a token or an order. `slug`, `contract` or both name the " +
			"collection.",
	})
	.refine((body) => body.slug !== undefined || body.contract !== undefined, {
		path: ["slug"],
		message: "name the collection by this or by `contract`",
	});

/** Serves both sides of a collection's order book by price. */
export function getDepth(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/depth",
		async ({ params, query }) =>
			answerDepth(context, await context.index.find(params.slug, query.chain)),
		{
			params: slugParams,
			query: z.object({ chain: chainParam }),
			response: {
				200: depthSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "getCollectionDepth",
				tags: ["market"],
				summary: "Order book depth",
				description:
					"Price levels, the best first, 50 of each side at most, and one more for orders whose " +
					"price in ETH is not known. Asks are listings, bids are offers on the whole collection.",
			},
		},
	);
}

/**
 * Returns both sides of a collection's book by price, and asks for the book to be read again. A
 * side that was never read to its end is null, even if some of its orders were pushed.
 */
export async function answerDepth(
	{ core, index, providerHealth }: Pick<RouteContext, "core" | "index" | "providerHealth">,
	found: FoundCollection,
) {
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const [{ asks, bids }, { listings, offers, unread }] = await Promise.all([
		readDepth(core.db, { collectionId: found.id, nowMs }),
		readBookState(core.db, { collectionId: found.id, isOn: providerHealth().isOn }),
	]);
	const readAtMs = Math.min(listings?.getTime() ?? 0, offers?.getTime() ?? 0);
	return {
		asks: listings && asks.map(renderLevel),
		bids: offers && bids.map(renderLevel),
		reason: listings && offers ? null : unread,
		bookReadAt: readAtMs > 0 ? new Date(readAtMs).toISOString() : null,
		observedAt: new Date(nowMs).toISOString(),
	};
}

/** Serves what is for sale in a collection, the cheapest first. */
export function getListings(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/listings",
		({ params, query }) =>
			answerOrders(context, { ...params, query, kinds: ["listing"], order: "asc" }),
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				tokenId: tokenIdParam.optional(),
				traits: traitsParam,
				sort: z
					.enum(ORDER_SORTS)
					.default("price")
					.meta({
						description:
							"`price` the cheapest first, `rank` the rarest token first, `time` the newest first (by " +
							"`startsAt`). What is not known comes last.",
					}),
				...pageQuery(PAGE_LIMIT),
			}),
			response: {
				200: orderPageSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionListings",
				tags: ["market"],
				summary: "Lists what is for sale",
				description:
					"Active listings of the provider's book, the cheapest first unless `sort` says otherwise; " +
					"those whose price is unknown come last. The whole book is read while somebody looks at " +
					"the collection (its detail, candles or stream), and what the provider's stream pushes " +
					"is added. `data` is null with a `reason` until the first reading has ended, and with " +
					"`traits` until the collection's traits were counted.",
			},
		},
	);
}

/** Serves offers for a collection, its tokens or its traits, the highest first. */
export function getOffers(context: RouteContext) {
	return new Elysia().get(
		"/collections/:slug/offers",
		({ params, query }) => {
			const kinds = query.kind === undefined ? OFFER_KINDS : [query.kind];
			return answerOrders(context, { ...params, query, kinds, order: "desc" });
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				kind: z.enum(OFFER_KINDS).optional().meta({ description: "Only offers of this kind." }),
				tokenId: tokenIdParam.optional(),
				...pageQuery(PAGE_LIMIT),
			}),
			response: {
				200: orderPageSchema,
			},
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionOffers",
				tags: ["market"],
				summary: "Lists offers",
				description:
					"Active offers of the provider's book, the highest first, unknown prices last. `data` is " +
					"null with a `reason` until the first reading has ended.",
			},
		},
	);
}

/**
 * Returns a page of one side of a collection's book: the common part of listings and offers. The
 * request asks for the book to be read, and kept current for a while, and does not wait for it.
 * Until that side was read to its end once, `data` is null with a reason: pushed orders alone are
 * no book, and the cheapest of them is not the cheapest there is.
 */
export async function answerOrders(
	{ core, index, prices, providerHealth }: RouteContext,
	asked: Pick<OrdersQuery, "kinds" | "order"> & {
		slug: string;
		query: Pick<OrdersQuery, "sort" | "traits"> & {
			chain?: string | undefined;
			tokenId?: string | undefined;
			cursor?: string | undefined;
			limit: number;
		};
	},
) {
	const { slug, query, kinds, order } = asked;
	const found = await index.find(slug, query.chain);
	const nowMs = core.clock.nowMs();
	index.touch(found.id, "detail");
	const reading = {
		collection: found,
		kinds,
		tokenId: query.tokenId ?? null,
		order,
		sort: query.sort,
		traits: query.traits,
		nowMs,
		cursor: query.cursor,
		limit: query.limit,
	};
	const [{ orders, page }, state] = await Promise.all([
		readOrderPage(core.db, reading),
		readBookState(core.db, { collectionId: found.id, isOn: providerHealth().isOn }),
	]);
	const bookReadAt = displayTime(kinds.includes("listing") ? state.listings : state.offers);
	const none = { nextCursor: null, hasMore: false };
	if (bookReadAt === null) return { data: null, reason: state.unread, page: none, bookReadAt };
	const isByTrait = query.traits !== undefined && orders.length === 0;
	if (isByTrait && (await readTraitsAt(core.db, found.id)) === null) {
		return { data: null, reason: "traits_not_read" as const, page: none, bookReadAt };
	}
	const usdOf = usdAt(prices, nowMs);
	const chain = resolveChain(core, found.chain);
	const { address: contract, slug: named } = found;
	const data = orders.map((one) => renderPlaced(one, { chain, contract, slug: named, usdOf }));
	return { data, reason: null, page, bookReadAt };
}

/** Serves an estimate of what buying would cost now. It asks no seller and moves nothing. */
export function postQuoteEstimate(context: RouteContext) {
	return new Elysia().post(
		"/quote-estimate",
		async ({ body }) => {
			const { chain, slug, contract, tokenId = null, orderHash, quantity } = body;
			const found = await context.index.find(slug ?? contract ?? "", chain);
			if (contract !== undefined && contract !== found.address) throw otherContract();
			return await readQuote(context, found, {
				tokenId,
				orderHash: orderHash ? `0x${orderHash.slice(2).toLowerCase()}` : null,
				units: BigInt(quantity),
			});
		},
		{
			body: quoteRequestSchema,
			response: { 200: quoteSchema },
			detail: {
				...canBeReadByAnyPage(),
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "estimateQuote",
				tags: ["market"],
				summary: "Estimates what buying costs",
				description:
					"From the cheapest listings of the stored book: of a collection, of one token, or one " +
					"order. `availableUnits` is smaller than `quantity` where the book is too thin. Fees are " +
					"part of the price. What is unknown is null, and so is every sum that it belongs to.",
			},
		},
	);
}

function otherContract() {
	const message = "is another collection than the one that `slug` names";
	return httpFault.validationError({
		public: `The body is not valid (contract): ${message}`,
		members: { issues: [{ path: "contract", message }] },
	});
}

function renderLevel({ unitNative, orders, units }: DepthLevel) {
	return { priceNative: displayNative(unitNative), orders, units };
}
