import { Elysia } from "elysia";
import { canBeCached } from "#core/http/routeMarks.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import {
	getAccountActivity,
	getAccountResult,
	getHoldings,
} from "#plugins/market-index/routes/accounts.ts";
import {
	getDepth,
	getListings,
	getOffers,
	postQuoteEstimate,
} from "#plugins/market-index/routes/book.ts";
import {
	getCollection,
	getCollections,
	postResync,
} from "#plugins/market-index/routes/collections.ts";
import {
	getActivity,
	getCandles,
	getSales,
	getTokenActivity,
} from "#plugins/market-index/routes/events.ts";
import { getHistory } from "#plugins/market-index/routes/getHistory.ts";
import { getMarketActivity } from "#plugins/market-index/routes/getMarketActivity.ts";
import {
	getDiscover,
	getDrops,
	getSearch,
	getTrending,
} from "#plugins/market-index/routes/lists.ts";
import { getAsset, getHolders, getTokens, getTraits } from "#plugins/market-index/routes/tokens.ts";

/** Returns the reading routes of the market. They need no credentials. */
export function marketRoutes(context: RouteContext) {
	return new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() })
		.use(getCollections(context))
		.use(getCollection(context))
		.use(getActivity(context))
		.use(getSales(context))
		.use(getCandles(context))
		.use(getHistory(context))
		.use(getDiscover(context))
		.use(getTrending(context))
		.use(getMarketActivity(context))
		.use(getListings(context))
		.use(getOffers(context))
		.use(getDepth(context))
		.use(getHolders(context))
		.use(getTokens(context))
		.use(getTraits(context))
		.use(getAsset(context))
		.use(getTokenActivity(context))
		.use(getHoldings(context))
		.use(getAccountActivity(context))
		.use(getAccountResult(context))
		.use(getDrops(context))
		.use(getSearch(context))
		.use(postResync(context))
		.use(postQuoteEstimate(context));
}
