import { Elysia } from "elysia";
import { z } from "zod";
import { readSnapshot } from "#core/db/readSnapshot.ts";
import { canFail } from "#core/http/canFail.ts";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { shareWhileSame } from "#core/http/shareWhileSame.ts";
import { createEventCursor } from "#plugins/market-index/cursor/eventCursor.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { heldBy } from "#plugins/market-index/figures/heldBy.ts";
import { pageCoverage } from "#plugins/market-index/figures/pageCoverage.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readEventPage } from "#plugins/market-index/read/readEventPage.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/marketEventSchema.ts";
import { pageCoverageSchema } from "#plugins/market-index/schemas/pageCoverageSchema.ts";
import { slugParams } from "#plugins/market-index/schemas/slugParams.ts";
import { readEventSpans } from "#plugins/market-index/sql/readEventSpans.ts";

const KINDS = ["sale", "mint", "transfer"] as const;
const pages = createEventCursor("activity2");

const answerSchema = z
	.object({
		data: z.array(marketEventSchema).meta({ description: "Events, newest first." }),
		coverage: pageCoverageSchema("`sale`, `mint`, `transfer`"),
		page: pageSchema,
	})
	.meta({ id: "ActivityPage", description: "A page of a collection's events." });

/** Serves a collection's events, newest first, also those that are not accepted. */
export function getActivity(context: RouteContext) {
	const { core, index, prices, scanner } = context;
	return new Elysia().get(
		"/collections/:slug/activity",
		async ({ params, query, request }) => {
			const answer = async () => {
				const found = await index.find(params.slug, query.chain);
				const { chain, address } = found;
				const nowMs = core.clock.nowMs();
				// Both are read before the rows, so that they never claim more than those contain.
				const [spans, provider] = await Promise.all([
					readChainSpans(scanner, resolveChain(core, chain).id),
					readEventSpans(core.db, found.id),
				]);
				const kinds = query.type === undefined ? KINDS : [query.type];
				const read = await readEventPage({ db: core.db, prices }, resolveChain(core, chain), {
					collectionId: found.id,
					kinds,
					acceptedOnly: false,
					since: null,
					cursors: pages.of({ chain, address, type: query.type }),
					cursor: query.cursor,
					limit: query.limit,
					nowMs,
				});
				const coverage = pageCoverage(
					read.range,
					Object.fromEntries(kinds.map((kind) => [kind, heldBy(provider, spans, `${kind}s`)])),
				);
				const body = JSON.stringify({ data: read.events, coverage, page: read.page });
				return { body, headers: { "content-type": "application/json" } };
			};
			const { body, headers } = await answer();
			const requested = requestContexts.get(request);
			if (requested) {
				const version = () => readSnapshot(core.db);
				requested.repeat = shareWhileSame({ version, make: answer, clock: core.clock });
			}
			return new Response(body, { headers });
		},
		{
			params: slugParams,
			query: z.object({
				chain: chainParam,
				type: z.enum(KINDS).optional().meta({ description: "Only events of this kind." }),
				limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
				cursor: cursorParam(),
			}),
			response: { 200: answerSchema },
			detail: {
				...canFail(marketFault.notFound, marketFault.chainRequired),
				operationId: "listCollectionActivity",
				tags: ["market"],
				summary: "Lists a collection's sales, mints and transfers",
				description:
					"Newest first. Rows with `accepted: false` are told and count in no figure. `coverage` " +
					"says of which kinds events of the page's time may be missing; transfers are told by the " +
					"provider alone.",
			},
		},
	);
}
