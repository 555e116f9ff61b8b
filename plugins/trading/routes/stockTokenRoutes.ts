// Serves the list of stock tokens, and the holdings of a profile's wallets.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/faults.ts";
import { CURSOR_PART, createCursor, pageQuery } from "#core/http/pages.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import type { Core } from "#core/plugin/Core.ts";
import { holdingsSchema, type Portfolio } from "#plugins/trading/holdings.ts";
import { PAGE } from "#plugins/trading/limits.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { assetOf } from "#plugins/trading/registry/createAssets.ts";
import { renderStockToken, stockTokenPageSchema } from "#plugins/trading/renderAsset.ts";
import { type AssetRow, type AssetStatus, assetRows } from "#plugins/trading/sql/assets.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type HoldingsOptions = {
	portfolio: Portfolio;
	wallets: Pick<Wallets, "authenticate">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type StockTokensOptions = {
	core: Pick<Core, "db" | "clock">;
	chain: Chain;
	reference: Pick<References, "last">;
};

/** The statuses that the public sees; rejected tokens are hidden. */
const SHOWN = ["active", "paused", "delisted_pending_review"] as const;

const cursor = createCursor("stocks1", [CURSOR_PART.text, CURSOR_PART.address]);

/** Returns the public route of the registry. */
export function stockTokenRoutes({ core: { db, clock }, chain, reference }: StockTokensOptions) {
	return new Elysia({ prefix: "/v1" }).get(
		"/stock-tokens",
		async ({ query }) => {
			const { status, limit } = query;
			const cursors = cursor.of({ status: status ?? null });
			const after = query.cursor === undefined ? null : placeOf(cursors.decode(query.cursor));
			const statuses: readonly AssetStatus[] = status ? [status] : SHOWN;
			const page = { chainId: chain.id, statuses, after, limit: limit + 1 };
			const found = await assetRows.page(db, page);
			const shown = found.slice(0, limit);
			const data = await Promise.all(
				shown.map(async (row) => {
					const price = await reference.last(assetOf(row));
					return renderStockToken(row, { chain: chain.slug, price, nowMs: clock.nowMs() });
				}),
			);
			return { data, page: pageOf(found, { limit, encode: cursors.encode }) };
		},
		{
			query: z.object({
				status: z.enum(SHOWN).optional().meta({ description: "Only tokens in this status." }),
				...pageQuery(PAGE),
			}),
			response: { 200: stockTokenPageSchema },
			detail: {
				...canBeReadByAnyPage(),
				operationId: "listStockTokens",
				tags: ["trading"],
				summary: "Lists the stock tokens of the registry",
				description:
					"By ticker. A token is known by its chain and address, never by its ticker alone. The " +
					"price is that of one whole token: what the feed says has the multiplier in it already.",
			},
		},
	);
}

/** Returns the route that lists what the caller's wallets hold. */
export function holdingRoutes({ portfolio, wallets, ending }: HoldingsOptions) {
	return new Elysia({ prefix: "/v1/trading" }).get(
		"/holdings",
		async ({ request, set }) => {
			const { profile } = await wallets.authenticate(request);
			set.headers["cache-control"] = "no-store";
			return portfolio(profile, { signal: AbortSignal.any([ending, request.signal]) });
		},
		{
			response: { 200: holdingsSchema },
			detail: {
				operationId: "listHoldings",
				tags: ["trading"],
				summary: "Lists what your wallets hold",
				description:
					"Balances are read from the chain, all in one request. `balance` is what can be traded; " +
					"`uiBalance` shows it as shares. The value is the balance times the feed's full price, " +
					"which has the multiplier in it. What nobody knows is null, and so is a total with it. " +
					"Ten wallets at most.",
				security: [{ session: [] as string[] }],
				...canFail(httpFault.unauthorized),
			},
		},
	);
}

/** Decodes a cursor: the ticker's letters in hex, and an address. */
export function placeOf([symbol = "", address = ""]: readonly string[]) {
	const place: { symbol: string; address: Address } = {
		symbol: Buffer.from(symbol, "hex").toString("utf8"),
		address: `0x${address.slice(2)}`,
	};
	return place;
}

/** Returns where the next page begins, if there is one. */
export function pageOf(
	found: readonly AssetRow[],
	{ limit, encode }: { limit: number; encode(parts: readonly string[]): string },
) {
	const last = found[limit - 1];
	const hasMore = found.length > limit;
	if (!last || !hasMore) return { nextCursor: null, hasMore: false };
	return {
		nextCursor: encode([Buffer.from(last.symbol).toString("hex"), last.address]),
		hasMore,
	};
}
