import { Elysia } from "elysia";
import { getActivity } from "#plugins/market-index/routes/getActivity.ts";
import { getCandles } from "#plugins/market-index/routes/getCandles.ts";
import { getCollection } from "#plugins/market-index/routes/getCollection.ts";
import { getCollections } from "#plugins/market-index/routes/getCollections.ts";
import { getDiscover } from "#plugins/market-index/routes/getDiscover.ts";
import { getSales } from "#plugins/market-index/routes/getSales.ts";
import { getTrending } from "#plugins/market-index/routes/getTrending.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";

/** The reading routes of the market. They need no credentials. */
export function marketRoutes(context: RouteContext) {
	return new Elysia({ prefix: "/v1/nft-market" })
		.use(getCollections(context))
		.use(getCollection(context))
		.use(getActivity(context))
		.use(getSales(context))
		.use(getCandles(context))
		.use(getDiscover(context))
		.use(getTrending(context));
}
