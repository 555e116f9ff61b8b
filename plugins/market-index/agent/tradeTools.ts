// Makes the agent's tools about sales, order book and depth.

import { z } from "zod";
import type { AnyTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	createCollectionTool,
	refOf,
	type ToolDeps,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	countText,
	ethText,
	figureText,
	oldestMs,
	timeText,
	tokenText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import { readSales } from "#plugins/market-index/read/eventPages.ts";
import { answerDepth, answerOrders } from "#plugins/market-index/routes/book.ts";
import {
	bookReadAtSchema,
	depthLevelSchema,
	type Order,
	orderSchema,
} from "#plugins/market-index/schemas/book.ts";
import {
	figureSchema,
	pageCoverageSchema,
	type Tile,
	type TileKey,
} from "#plugins/market-index/schemas/figures.ts";
import { salePointSchema } from "#plugins/market-index/schemas/lists.ts";

/** Returns tools about the trade of a collection's tokens: sales, order book, depth. */
export function tradeTools(deps: ToolDeps): AnyTool[] {
	return [sales(deps), orderBook(deps), depth(deps)];
}

const SALES_SHOWN = 20;
const ORDERS_SHOWN = 20;
const LEVELS_SHOWN = 10;

const figure = (description: string) => figureSchema.meta({ description });

/** The members of a sale that say for how much, when, where and between whom it was. */
export const soldAs = {
	priceNative: true,
	priceUsd: true,
	occurredAt: true,
	transactionHash: true,
	venue: true,
	buyer: true,
	seller: true,
} as const;

const saleSchema = salePointSchema.pick({ tokenId: true, rank: true, ...soldAs });

const salesOutput = z.object({
	collection: collectionRef,
	latest: z.array(saleSchema).meta({ description: "Up to twenty accepted sales, newest first." }),
	coverage: pageCoverageSchema("`points`, which is `latest`"),
	sales24h: figure("Number of accepted sales of 24 hours."),
	volume24h: figure("Accepted sales of 24 hours in ETH equivalents."),
	average24h: figure("Average price of a unit in 24 hours."),
	median24h: figure("Median price of a unit in 24 hours, sale by sale."),
	highest24h: figure("Highest price of a unit in 24 hours."),
	lowest24h: figure("Lowest price of a unit in 24 hours."),
});

function sales(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_sales",
		title: "Sales",
		description:
			"Shows a collection's last twenty accepted sales and the figures of 24 hours. Prices are of one " +
			"unit in ETH equivalents; null is not known.",
		input: collectionInput,
		output: salesOutput,
		async read(found) {
			const query = { range: "all", cursor: undefined, limit: SALES_SHOWN } as const;
			const [collection, { points, tiles, coverage }] = await Promise.all([
				refOf(deps.core, found),
				readSales(deps, found, query),
			]);
			return {
				collection,
				latest: points.map((point) => saleSchema.parse(point)),
				coverage,
				sales24h: tileOf(tiles, "sales24h"),
				volume24h: tileOf(tiles, "volume24h"),
				average24h: tileOf(tiles, "averagePrice24h"),
				median24h: tileOf(tiles, "medianPrice24h"),
				highest24h: tileOf(tiles, "highestSale24h"),
				lowest24h: tileOf(tiles, "lowestSale24h"),
			};
		},
		parts: ({ latest: [last], ...output }) => [
			`24h sales ${figureText(output.sales24h)}`,
			`volume ${figureText(output.volume24h)}`,
			...(output.median24h.value === null ? [] : [`median ${ethText(output.median24h.value)}`]),
			last
				? `last ${tokenText(last.tokenId)} ${ethText(last.priceNative)} ${timeText(last.occurredAt)}`
				: "last sale not known",
		],
		asOfMs: ({ sales24h, volume24h }) => oldestMs([sales24h.asOf, volume24h.asOf]),
	});
}

const bookOrderSchema = orderSchema.pick({
	orderHash: true,
	kind: true,
	tokenId: true,
	maker: true,
	quantity: true,
	priceNative: true,
	priceUsd: true,
	amountRaw: true,
	settlementCurrency: true,
	criteria: true,
	isPrivate: true,
	expiresAt: true,
	seenAt: true,
});

const UNREAD = "null until they were read to their end once: not known.";

const orderBookOutput = z.object({
	collection: collectionRef,
	listings: z
		.array(bookOrderSchema)
		.nullable()
		.meta({ description: `Up to twenty listings, the cheapest first; ${UNREAD}` }),
	offers: z
		.array(bookOrderSchema)
		.nullable()
		.meta({ description: `Up to twenty offers of all kinds, the highest first; ${UNREAD}` }),
	bookReadAt: bookReadAtSchema,
});

function orderBook(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_order_book",
		title: "Order book",
		description:
			"Shows a collection's twenty cheapest listings and highest offers. Prices are of one unit " +
			"in ETH equivalents; unknown prices come last. It buys and offers nothing.",
		input: collectionInput,
		output: orderBookOutput,
		async read(found) {
			const asked = {
				slug: found.address,
				query: { chain: found.chain, limit: ORDERS_SHOWN },
			};
			const [collection, listings, offers] = await Promise.all([
				refOf(deps.core, found),
				answerOrders(deps, { ...asked, kinds: ["listing"], order: "asc" }),
				answerOrders(deps, { ...asked, kinds: OFFERS, order: "desc" }),
			]);
			const shown = (orders: readonly Order[] | null) =>
				orders?.map((order) => bookOrderSchema.parse(order)) ?? null;
			return {
				collection,
				listings: shown(listings.data),
				offers: shown(offers.data),
				bookReadAt: listings.bookReadAt,
			};
		},
		parts: ({ listings, offers }) => [
			`best listing ${orderText(listings)}`,
			`best offer ${orderText(offers)}`,
		],
		asOfMs: ({ listings, offers, bookReadAt }) =>
			oldestMs([bookReadAt, ...[...(listings ?? []), ...(offers ?? [])].map((one) => one.seenAt)]),
	});
}

const OFFERS = ["item_offer", "collection_offer", "trait_offer"] as const;

const levels = (description: string) => z.array(depthLevelSchema).nullable().meta({ description });

const depthOutput = z.object({
	collection: collectionRef,
	asks: levels(`Up to ten prices of listings, the cheapest first; ${UNREAD}`),
	bids: levels(`Up to ten prices of offers on the collection, the highest first; ${UNREAD}`),
	bookReadAt: bookReadAtSchema,
});

function depth(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_depth",
		title: "Depth",
		description:
			"Shows how many units of a collection are asked and bid for at the ten best prices of each " +
			"side, in ETH equivalents. Bids are offers on the whole collection.",
		input: collectionInput,
		output: depthOutput,
		async read(found) {
			const [collection, { asks, bids, bookReadAt }] = await Promise.all([
				refOf(deps.core, found),
				answerDepth(deps, found),
			]);
			const shown = (side: typeof asks) => side?.slice(0, LEVELS_SHOWN) ?? null;
			return { collection, asks: shown(asks), bids: shown(bids), bookReadAt };
		},
		parts: ({ asks, bids }) => [`asks ${sideText(asks)}`, `bids ${sideText(bids)}`],
		asOfMs: ({ bookReadAt }) => oldestMs([bookReadAt]),
	});
}

/** Returns a tile without its name. */
function tileOf(tiles: readonly Tile[], key: TileKey) {
	return figureSchema.parse(tiles.find((tile) => tile.key === key));
}

/** Returns the best order that any account may fill. */
function orderText(orders: readonly z.output<typeof bookOrderSchema>[] | null): string {
	if (orders === null) return "not known";
	const best = orders.find(({ isPrivate }) => !isPrivate);
	if (!best) return "none";
	const what = best.tokenId === null ? best.kind.replace("_offer", "") : tokenText(best.tokenId);
	return `${ethText(best.priceNative)}${usdText(best.priceUsd)} (${what})`;
}

/** Returns the three best prices, each with its units. */
function sideText(side: z.output<typeof depthOutput>["asks"]): string {
	if (side === null) return "not known";
	if (side.length === 0) return "none";
	return side
		.slice(0, 3)
		.map(({ units, priceNative }) => `${countText(Number(units))} at ${ethText(priceNative)}`)
		.join(" / ");
}
