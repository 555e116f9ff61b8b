import { Elysia } from "elysia";
import { canBeCached } from "#core/http/canBeCached.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { getActivity } from "#plugins/market-index/routes/getActivity.ts";
import { getAsset } from "#plugins/market-index/routes/getAsset.ts";
import { getCandles } from "#plugins/market-index/routes/getCandles.ts";
import { getCollection } from "#plugins/market-index/routes/getCollection.ts";
import { getCollections } from "#plugins/market-index/routes/getCollections.ts";
import { getDepth } from "#plugins/market-index/routes/getDepth.ts";
import { getDiscover } from "#plugins/market-index/routes/getDiscover.ts";
import { getDrops } from "#plugins/market-index/routes/getDrops.ts";
import { getHolders } from "#plugins/market-index/routes/getHolders.ts";
import { getListings } from "#plugins/market-index/routes/getListings.ts";
import { getOffers } from "#plugins/market-index/routes/getOffers.ts";
import { getSales } from "#plugins/market-index/routes/getSales.ts";
import { getSearch } from "#plugins/market-index/routes/getSearch.ts";
import { getTraits } from "#plugins/market-index/routes/getTraits.ts";
import { getTrending } from "#plugins/market-index/routes/getTrending.ts";
import { postQuoteEstimate } from "#plugins/market-index/routes/postQuoteEstimate.ts";
import { postResync } from "#plugins/market-index/routes/postResync.ts";

/** Returns the reading routes of the market. They need no credentials. */
export function marketRoutes(context: RouteContext) {
	return new Elysia({ prefix: "/v1/nft-market", detail: canBeCached() })
		.use(getCollections(context))
		.use(getCollection(context))
		.use(getActivity(context))
		.use(getSales(context))
		.use(getCandles(context))
		.use(getDiscover(context))
		.use(getTrending(context))
		.use(getListings(context))
		.use(getOffers(context))
		.use(getDepth(context))
		.use(getHolders(context))
		.use(getTraits(context))
		.use(getAsset(context))
		.use(getDrops(context))
		.use(getSearch(context))
		.use(postResync(context))
		.use(postQuoteEstimate(context));
}
