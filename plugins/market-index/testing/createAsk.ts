import { Elysia } from "elysia";
import { faultOf } from "#core/http/faults.ts";
import { problemResponse } from "#core/http/problems.ts";
import { strictQueries } from "#core/http/requests.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";

export type Answer = {
	status: number;
	headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
	body: any;
};

const JSON_HEADERS = { "content-type": "application/json" };

/** Asks the market's routes as HTTP would, with the errors of the real edge; a body is posted. */
export function createAsk(
	context: RouteContext,
): (path: string, body?: unknown) => Promise<Answer> {
	const app = new Elysia()
		.onError(({ error }) => problemResponse(faultOf(error), { requestId: "test" }))
		.use(strictQueries(marketRoutes(context)));
	return async (path, sent) => {
		const url = `http://localhost/v1/nft-market${path}`;
		const post = { method: "POST", body: JSON.stringify(sent), headers: JSON_HEADERS };
		const response = await app.handle(new Request(url, sent === undefined ? {} : post));
		const { status, headers } = response;
		return { status, headers, body: await response.json() };
	};
}
