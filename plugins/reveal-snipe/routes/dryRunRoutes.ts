// Serves what plans would have bought at the last reveal.

import { Elysia } from "elysia";
import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { exactNumbers } from "#core/http/requests.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { moneyFault } from "#core/money.ts";
import { planFault } from "#plugins/reveal-snipe/faults.ts";
import { type DryRuns, dryRunSchema } from "#plugins/reveal-snipe/plans/dryRun.ts";
import { exactPlanMembers, planBody } from "#plugins/reveal-snipe/plans/planBody.ts";
import type { SignedIn } from "#plugins/wallets/contract.ts";

type DryRunRoutesOptions = { dryRuns: DryRuns; signedIn: SignedIn };

const security = [{ session: [] as string[] }];
const description =
	"The plan is played on the order book that was kept when the collection's tokens were ranked after " +
	"its last reveal, by the rules that a plan goes by. Every listing counts as one that can be " +
	"filled. Only reveals of collections that somebody waited for are recorded, for 30 days. Nothing " +
	"is bought, and nothing is stored.";

/** Returns the routes that show what a plan would have bought at the last reveal. */
export function dryRunRoutes({ dryRuns, signedIn }: DryRunRoutesOptions) {
	const transform = async (hook: { request: Request }) => void (await signedIn(hook));
	const read = exactNumbers(...exactPlanMembers);
	return new Elysia()
		.post(
			"/snipes/dry-run",
			async ({ request, body, set }) => {
				const { profile } = await signedIn({ request });
				set.headers["cache-control"] = "no-store";
				return dryRuns.ofBody(profile, body);
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
				response: { 200: dryRunSchema },
				detail: {
					operationId: "estimateSnipeBody",
					tags: ["trading"],
					summary: "Says what a plan that was never armed would have bought",
					description,
					security,
					...canFail(
						httpFault.unauthorized,
						httpFault.notFound,
						planFault.revealUnknown,
						moneyFault.amountInvalid,
						planFault.validationError,
					),
				},
			},
		)
		.post(
			"/snipes/:id/dry-run",
			async ({ request, params, set }) => {
				const { profile } = await signedIn({ request });
				const { data: id } = z.uuid().safeParse(params.id);
				if (id === undefined) throw planFault.notFound();
				set.headers["cache-control"] = "no-store";
				return dryRuns.ofPlan(profile, id.toLowerCase());
			},
			{
				transform,
				params: z.object({
					id: z.string().meta({
						description: "A plan of yours, by its id.",
						examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
					}),
				}),
				response: { 200: dryRunSchema },
				detail: {
					operationId: "estimateSnipe",
					tags: ["trading"],
					summary: "Says what a plan would have bought",
					description,
					security,
					...canFail(httpFault.unauthorized, planFault.notFound, planFault.revealUnknown),
				},
			},
		);
}
