// Serves plans: arm, list, read, pause, resume, cancel.

import { Elysia } from "elysia";
import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { CURSOR_PART, createCursor, pageQuery } from "#core/http/pages.ts";
import { exactNumbers } from "#core/http/requests.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import { moneyFault } from "#core/money.ts";
import { planFault } from "#plugins/reveal-snipe/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/reveal-snipe/limits.ts";
import { PLAN_STATUSES } from "#plugins/reveal-snipe/model.ts";
import type { Plans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import type { DryRuns } from "#plugins/reveal-snipe/plans/dryRun.ts";
import { exactPlanMembers, planBody } from "#plugins/reveal-snipe/plans/planBody.ts";
import { planPageSchema, planSchema } from "#plugins/reveal-snipe/plans/renderPlan.ts";
import { dryRunRoutes } from "#plugins/reveal-snipe/routes/dryRunRoutes.ts";
import {
	createSignedIn,
	type SignedIn,
	tradingDocumented,
	type Wallets,
} from "#plugins/wallets/contract.ts";

type SnipeRoutesOptions = {
	plans: Plans;
	dryRuns: DryRuns;
	wallets: Pick<Wallets, "authenticate" | "requireOwnPage">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type Deps = Pick<SnipeRoutesOptions, "plans" | "ending" | "wallets"> & {
	signedIn: SignedIn;
	transform(hook: { request: Request }): Promise<void>;
};

const listQuery = z.object({
	status: z.enum(PLAN_STATUSES).optional().meta({ description: "Only plans in this status." }),
	...pageQuery({ default: PAGE_DEFAULT, max: PAGE_MAX }),
});
const planParams = z.object({
	id: z.string().meta({
		description: "A plan of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
const cursor = createCursor("snipes1", [CURSOR_PART.uuid]);
const security = [{ session: [] as string[] }];

const PAUSES =
	"It buys no more until it is resumed. What it had recorded and not sent is called off; what was " +
	"sent goes on. Only an armed plan can be paused.";

const RESUMES =
	"The wallet and the profile as they are now are those that it is held against from now on. Where " +
	"its collection was revealed within the last half hour it buys at once. What waits for its " +
	"owner's yes (`confirmation_required`) is resumed on a page of ours alone: others get 403.";

const CANCELS =
	"It buys no more, for good. What it had recorded and not sent is called off; what was sent goes " +
	"on, and stays in `fills`.";

const RESUME_FAULTS = [
	planFault.confirmationRequiredIncompatible,
	planFault.delegatedExecutionWalletRequired,
	planFault.snipesDisabled,
	planFault.validationError,
	httpFault.originNotAllowed,
];

/** Returns the routes of plans, which buy automatically after a reveal. */
export function snipeRoutes({ plans, dryRuns, wallets, ending }: SnipeRoutesOptions) {
	const signedIn = createSignedIn(wallets);
	const transform = async (hook: { request: Request }) => void (await signedIn(hook));
	const deps: Deps = { plans, ending, wallets, signedIn, transform };
	return new Elysia({ prefix: "/v1/nft-market" })
		.use(postSnipe(deps))
		.use(listSnipes(deps))
		.use(getSnipe(deps))
		.use(moveSnipe(deps, "pause", { summary: "Pauses a plan", description: PAUSES }))
		.use(moveSnipe(deps, "resume", { summary: "Resumes a paused plan", description: RESUMES }))
		.use(moveSnipe(deps, "cancel", { summary: "Cancels a plan", description: CANCELS }))
		.use(dryRunRoutes({ dryRuns, signedIn }));
}

function postSnipe({ plans, signedIn, transform }: Deps) {
	const read = exactNumbers(...exactPlanMembers);
	return new Elysia().post(
		"/snipes",
		async ({ request, body }) => {
			const principal = await signedIn({ request });
			const idempotencyKey = request.headers.get("idempotency-key");
			const route = "POST /v1/nft-market/snipes";
			return plans.arm({ principal, body, route, idempotencyKey, isProposed: false });
		},
		{
			parse: [
				async (hook) => {
					await signedIn(hook);
					return read(hook);
				},
				"json",
			],
			transform,
			body: planBody,
			response: { 201: planSchema },
			detail: {
				operationId: "createSnipe",
				tags: ["trading"],
				summary: "Arms a plan that buys once a collection is revealed",
				description:
					"The collection is watched from now on. Once all its tokens are read and ranked after a " +
					"reveal, the plan buys what fits: the cheapest first, of one price the best rank; " +
					"listing in the chain's own coin. It never spends more than the ceiling for one token, " +
					"the budget for all, or buys more than `maxItems`. It buys without asking, so the " +
					"wallet must be `embedded/delegated` and the profile must not confirm every trade; " +
					"where either changes later the plan is paused.",
				security,
				...canFail(
					httpFault.unauthorized,
					httpFault.notFound,
					planFault.confirmationRequiredIncompatible,
					planFault.delegatedExecutionWalletRequired,
					planFault.snipesDisabled,
					planFault.plansTooMany,
					planFault.revealsFull,
					moneyFault.amountInvalid,
					planFault.validationError,
					...tradingDocumented.onceFailures,
				),
				parameters: tradingDocumented.onceParameters,
				...canCarry(tradingDocumented.onceHeaders),
			},
		},
	);
}

function listSnipes({ plans, signedIn, transform }: Deps) {
	return new Elysia().get(
		"/snipes",
		async ({ request, query, set }) => {
			const { profile } = await signedIn({ request });
			const { status = null, limit } = query;
			const cursors = cursor.of({ profile: profile.id, status });
			const [afterId = null] = query.cursor === undefined ? [] : cursors.decode(query.cursor);
			const page = { profileId: profile.id, status, collectionId: null, afterId, limit };
			const { items, nextId } = await plans.list(page);
			set.headers["cache-control"] = "no-store";
			const nextCursor = nextId === null ? null : cursors.encode([nextId]);
			return { data: items, page: { nextCursor, hasMore: nextId !== null } };
		},
		{
			transform,
			query: listQuery,
			response: { 200: planPageSchema },
			detail: {
				operationId: "listSnipes",
				tags: ["trading"],
				summary: "Lists your plans",
				description: "Newest first, also those at an end, each with its fills.",
				security,
				...canFail(httpFault.unauthorized),
			},
		},
	);
}

function getSnipe({ plans, signedIn, transform }: Deps) {
	return new Elysia().get(
		"/snipes/:id",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return plans.view(profile, planId(params.id));
		},
		{
			transform,
			params: planParams,
			response: { 200: planSchema },
			detail: {
				operationId: "getSnipe",
				tags: ["trading"],
				summary: "Reads a plan with its fills",
				description:
					"`spentNative` and `filledCount` rise when a buy is submitted, and fall again where it " +
					"fails for good: they are what the ledger of your spends holds at this moment.",
				security,
				...canFail(httpFault.unauthorized, planFault.notFound),
			},
		},
	);
}

function moveSnipe(
	{ plans, ending, wallets, signedIn, transform }: Deps,
	event: "pause" | "resume" | "cancel",
	documented: { summary: string; description: string },
) {
	const rejections = event === "resume" ? RESUME_FAULTS : [];
	return new Elysia().post(
		`/snipes/:id/${event}`,
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			if (event === "resume") {
				const { pauseReason } = await plans.own(profile.id, planId(params.id));
				// A program may have proposed it.
				const status = "confirmation_required";
				if (pauseReason === status) wallets.requireOwnPage(request, { channel: "agent", status });
			}
			return plans.move(profile, planId(params.id), { event, signal: ending });
		},
		{
			transform,
			params: planParams,
			response: { 200: planSchema },
			detail: {
				operationId: `${event}Snipe`,
				tags: ["trading"],
				...documented,
				security,
				...canFail(httpFault.unauthorized, planFault.notFound, planFault.planState, ...rejections),
			},
		},
	);
}

/** Returns the id; throws `not_found` for a path that is no id. */
function planId(text: string): string {
	const { data } = z.uuid().safeParse(text);
	if (data === undefined) throw planFault.notFound();
	return data.toLowerCase();
}
