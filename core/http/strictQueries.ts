import type { AnyElysia } from "elysia";
import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { readQuery } from "#core/http/readQuery.ts";
import { requestContexts } from "#core/http/requestContexts.ts";

/**
 * Makes every route of `routes` read its query by `readQuery`, and refuse parameters that its
 * schema does not name; a route without a schema takes none. Returns the same routes, which must
 * not be mounted yet.
 *
 * Applied to all of them here, so that no route can forget it: ignoring a `chian` would answer
 * about another chain. It is part of a route's validation, so it comes after authentication:
 * without a key a caller learns nothing else. Excluded are pages for people (hidden from the
 * document), because messengers and browsers add parameters to links, and streams, whose query is
 * read by `readStreamQuery`.
 */
export function strictQueries<Routes extends AnyElysia>(routes: Routes): Routes {
	for (const { method, path, hooks } of routes.router.history) {
		if (method !== "WS" && hooks.detail?.hide === true) continue;
		hooks.transform = [{ fn: replaceQuery }, ...(hooks.transform ?? [])];
		if (method === "WS") continue;
		const schema: unknown = hooks.query ?? z.object({});
		assert(schema instanceof z.ZodObject, `the query of ${method} ${path} is a zod object`);
		hooks.query = schema.strict();
	}
	return routes;
}

function replaceQuery(asked: { request: Request; query: unknown }): void {
	const { request } = asked;
	const target = requestContexts.get(request)?.target;
	asked.query = readQuery(target ? target.query : new URL(request.url).search);
}
