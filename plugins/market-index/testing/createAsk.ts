import { Elysia } from "elysia";
import { faultOf } from "#core/http/faultOf.ts";
import { problemResponse } from "#core/http/problemResponse.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import type { RouteContext } from "#plugins/market-index/routes/RouteContext.ts";

export type Answer = {
	status: number;
	headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
	body: any;
};

/** Asks the market's routes as HTTP would, with the errors of the real edge. */
export function createAsk(context: RouteContext): (path: string) => Promise<Answer> {
	const app = new Elysia()
		.onError(({ error }) => problemResponse(faultOf(error), { requestId: "test" }))
		.use(marketRoutes(context));
	return async (path) => {
		const response = await app.handle(new Request(`http://localhost/v1/nft-market${path}`));
		const { status, headers } = response;
		return { status, headers, body: await response.json() };
	};
}
