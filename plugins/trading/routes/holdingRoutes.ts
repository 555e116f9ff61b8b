import { Elysia } from "elysia";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import type { Portfolio } from "#plugins/trading/createPortfolio.ts";
import { holdingsSchema } from "#plugins/trading/renderHoldings.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

export type HoldingsOptions = {
	portfolio: Portfolio;
	wallets: Pick<Wallets, "authenticate">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

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
