// Serves what people asked for to them: the list of all kinds, and any one step of it.

import { Elysia } from "elysia";
import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { intentViewSchema, renderIntentView } from "#plugins/wallets/agent/intentTools.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { intentStatuses } from "#plugins/wallets/intent/Intent.ts";
import { listOwn, type OwnedActions, ownIntentSchema } from "#plugins/wallets/routes/ownActions.ts";
import type { Execution, Wallets } from "#plugins/wallets/Wallets.ts";

/** What the routes need. */
type OwnIntents = {
	authenticate: Wallets["authenticate"];
	execution: Pick<Execution, "read">;
	chains: ChainRegistry;
	db: Queryable;
	/** What other plugins list beside intents. */
	owned: readonly OwnedActions[];
	kindOf(name: string): object | null;
};

const PAGE = { default: 50, max: 200 };

const cursors = createCursor("own1", [CURSOR_PART.millis, CURSOR_PART.uuid]);

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

const time = z.iso.datetime({
	offset: true,
	error: "must be a time like 2026-03-01T12:00:00.000Z",
});

const listQuery = z.object({
	kind: z
		.string()
		.regex(NAME, "is not the name of a kind")
		.optional()
		.meta({ description: "Only this kind, such as `transfer` or `bridge`.", examples: ["bridge"] }),
	status: z
		.string()
		.regex(NAME, "is not the name of a status")
		.optional()
		.meta({ description: "Only what stands there now.", examples: ["submitted"] }),
	from: time.optional().meta({
		description: "Only what was asked for at that time or later.",
		examples: ["2026-03-01T12:00:00.000Z"],
	}),
	until: time.optional().meta({
		description: "Only what was asked for until that time.",
		examples: ["2026-03-02T12:00:00.000Z"],
	}),
	...pageQuery(PAGE),
});

const pageOfOwn = z
	.object({
		data: z.array(ownIntentSchema).meta({ description: "The newest first." }),
		page: pageSchema,
	})
	.meta({ id: "OwnIntentPage", description: "A page of what you asked for." });

/** The times between which everything lies. */
const ALL_TIME = { fromMs: 0, untilMs: Date.UTC(9999, 11, 31) };

const params = z.object({
	id: z.string().meta({
		description: "An intent of yours, such as the allowance before a trade, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

const stepSchema = intentViewSchema.meta({
	id: "IntentStep",
	description: "One step of what you asked for: what it does, where it stands and why.",
});

/**
 * Reads any intent by its id: what comes before a trade, a buy or a bridge has no other route.
 * Another profile's is the same 404 as a missing one.
 */
export function stepRoutes(context: Pick<OwnIntents, "authenticate" | "execution" | "chains">) {
	const { authenticate, execution, chains } = context;
	return new Elysia({ prefix: "/v1/trading" })
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.get(
			"/steps/:id",
			async ({ principal: { profile }, params, set }) => {
				const { data: id } = z.uuid().safeParse(params.id);
				const intent = id === undefined ? null : await execution.read(id, profile.id);
				if (!intent) throw executionFault.notFound();
				set.headers["cache-control"] = "no-store";
				return renderIntentView(intent, chains);
			},
			{
				params,
				response: { 200: stepSchema },
				detail: {
					operationId: "getStep",
					tags: ["trading"],
					summary: "Reads one step of a trade, transfer, buy or bridge",
					description:
						"Where it stands, why, and what it waits for. A trade's first step is its " +
						"`approval.intentId`; `previous_step_failed` names the step that ended it.",
					security: [{ session: [] }],
					...canFail(httpFault.unauthorized, executionFault.notFound),
				},
			},
		);
}

/** Lists all that its caller asked for: intents of every kind, and bridges, with their steps. */
export function ownIntentRoutes(context: OwnIntents) {
	const { authenticate, db, chains, owned } = context;
	return new Elysia({ prefix: "/v1/intents" })
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.get(
			"",
			async ({ principal: { profile }, query, set }) => {
				const { kind = null, status = null, from, until, limit } = query;
				refuseUnknown(context, { kind, status });
				const scope = { profileId: profile.id, kind, status, from, until };
				const bound = cursors.of(scope);
				const [atMs, id] = query.cursor === undefined ? [] : bound.decode(query.cursor);
				const after = atMs === undefined || id === undefined ? null : { atMs: Number(atMs), id };
				const period = {
					fromMs: from === undefined ? ALL_TIME.fromMs : Date.parse(from),
					untilMs: until === undefined ? ALL_TIME.untilMs : Date.parse(until),
				};
				const asked = { profileId: profile.id, kind, status, period, after, limit };
				const { items, next } = await listOwn(db, { chains, owned }, asked);
				set.headers["cache-control"] = "no-store";
				const nextCursor = next && bound.encode([String(next.atMs), next.id]);
				return { data: items, page: { nextCursor, hasMore: next !== null } };
			},
			{
				query: listQuery,
				response: { 200: pageOfOwn },
				detail: {
					operationId: "listOwnIntents",
					tags: ["trading"],
					summary: "Lists all that you asked for",
					description:
						"Transfers, trades, buys, offers, allowances and bridges, newest first, with each step's " +
						"state, reason and hash. What is a step of something else stands there alone. The stream " +
						"`/v1/intents/stream` sends the same rows as they move.",
					security: [{ session: [] }],
					...canFail(httpFault.unauthorized, executionFault.intentFilter),
				},
			},
		);
}

/** Refuses a kind or a status that nothing can have: an empty list would say that there is none. */
function refuseUnknown(
	{ owned, kindOf }: OwnIntents,
	{ kind, status }: { kind: string | null; status: string | null },
): void {
	const statuses = new Set<string>([...intentStatuses, ...owned.flatMap((one) => one.statuses)]);
	const steps = owned.flatMap(({ stepKinds }) => stepKinds);
	const isListed = kind === null || owned.some((one) => one.kind === kind);
	const issues: { path: string; message: string }[] = [];
	if (!isListed && (kindOf(kind) === null || steps.includes(kind))) {
		issues.push({ path: "kind", message: "is no kind that is listed here" });
	}
	if (status !== null && !statuses.has(status)) {
		issues.push({ path: "status", message: `must be one of ${[...statuses].join(", ")}` });
	}
	const [first] = issues;
	if (!first) return;
	throw executionFault.intentFilter({
		public: `The query is not valid. ${first.path} ${first.message}.`,
		members: { issues },
	});
}
