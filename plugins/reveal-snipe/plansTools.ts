import { z } from "zod";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import type { Plans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { ITEMS_MAX } from "#plugins/reveal-snipe/plans/limits.ts";
import { planBody, planFields } from "#plugins/reveal-snipe/plans/planBody.ts";
import { type PlanView, planSchema } from "#plugins/reveal-snipe/plans/renderPlan.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

export type PlanToolDeps = {
	plans: Plans;
	wallets: Pick<Wallets, "principalOf">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

const OWN = { capability: "snipes", access: "profile" } as const;
const LISTED = 10;

const byId = z.strictObject({ id: z.uuid().meta({ description: "A plan's id." }) });
const armInput = z
	.strictObject({
		collection: planFields.collectionSlug,
		chain: planFields.chain,
		maxRank: planFields.maxRank,
		traits: planFields.traits,
		maxPricePerItem: planFields.amount,
		budget: planFields.amount,
		maxItems: planFields.maxItems.default(ITEMS_MAX),
	})
	.refine(({ maxRank, traits }) => maxRank !== undefined || traits.length > 0, {
		path: ["maxRank"],
		message: "name a rank, or at least one trait",
	});

/**
 * Returns the agent's tools for plans: armed at once for an author, stored paused for all others.
 */
export function plansTools(deps: PlanToolDeps): AnyTool[] {
	return [
		listTool(deps),
		readTool(deps),
		armTool(deps, "execute"),
		armTool(deps, "prepare"),
		moveTool(deps, {
			event: "pause",
			title: "Pause a plan",
			description: "Has one of your plans buy nothing until it is resumed.",
		}),
		moveTool(deps, {
			event: "resume",
			title: "Resume a plan",
			description:
				"Arms one of your paused plans again, with wallet and profile as they are now. It buys " +
				"without asking.",
		}),
		moveTool(deps, {
			event: "cancel",
			title: "Cancel a plan",
			description: "Ends one of your plans for good. What it sent already goes on.",
		}),
	];
}

function listTool({ plans, wallets }: PlanToolDeps): AnyTool {
	return defineTool({
		...OWN,
		name: "list_plans",
		title: "Your plans",
		description: "Returns your newest plans that buy after a reveal, with what they bought.",
		effect: "read",
		input: z.strictObject({}),
		output: z.object({ plans: z.array(planSchema) }),
		async run(_, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const all = { status: null, collectionId: null, afterId: null, limit: LISTED };
			const { items } = await plans.list({ profileId: profile.id, ...all });
			return { kind: "done", output: { plans: items } };
		},
		line({ plans: found }) {
			const [newest] = found;
			if (!newest) return "You have no plans yet.";
			const more = found.length > 1 ? ` ${found.length - 1} before it.` : "";
			return `Newest: ${sentenceOf(newest)}${more}`;
		},
		asOfMs: () => null,
	});
}

function readTool({ plans, wallets }: PlanToolDeps): AnyTool {
	return defineTool({
		...OWN,
		name: "read_plan",
		title: "One of your plans",
		description: "Returns one of your plans with its fills, by its id.",
		effect: "read",
		input: byId,
		output: planSchema,
		async run({ id }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			return { kind: "done", output: await plans.view(profile.id, id.toLowerCase()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

function armTool({ plans, wallets }: PlanToolDeps, effect: "prepare" | "execute"): AnyTool {
	const isProposed = effect === "prepare";
	const name = isProposed ? "prepare_plan" : "arm_plan";
	return defineTool({
		...OWN,
		name,
		title: isProposed ? "Prepare a plan" : "Arm a plan",
		description: isProposed
			? "Stores a plan that would buy once a collection is revealed, paused: it buys nothing " +
				"before you resume it yourself."
			: "Arms a plan that buys once a collection is revealed: tokens of a rank or with traits, " +
				"within a ceiling for each and a budget for all, without asking again.",
		effect,
		input: armInput,
		output: planSchema,
		async run(input, { caller, idempotencyKey }) {
			const principal = await wallets.principalOf(caller);
			const { collection, chain, maxRank, traits, maxPricePerItem, budget, maxItems } = input;
			const body = planBody.parse({
				...{ collectionSlug: collection, chain, maxRank, traits, maxItems },
				...{ maxPricePerItemNative: maxPricePerItem, budgetNative: budget },
			});
			const asked = { principal, body, idempotencyKey, isProposed };
			const response = await plans.arm({ ...asked, route: `tool ${name}` });
			return { kind: "done", output: planSchema.parse(await response.json()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

function moveTool(
	{ plans, wallets, ending }: PlanToolDeps,
	told: { event: "pause" | "resume" | "cancel"; title: string; description: string },
): AnyTool {
	const { event, title, description } = told;
	return defineTool({
		...{ ...OWN, name: `${event}_plan`, title, description, effect: "execute" },
		input: byId,
		output: planSchema,
		async run({ id }, { caller, signal: asking }) {
			const { profile } = await wallets.principalOf(caller);
			const signal = AbortSignal.any([ending, asking]);
			return {
				kind: "done",
				output: await plans.move(profile, id.toLowerCase(), { event, signal }),
			};
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

/** Returns at most 160 characters: what it would buy, its status, and what the owner must do. */
function sentenceOf(plan: PlanView): string {
	const { collectionSlug, maxRank, status, pauseReason, filledCount, maxItems } = plan;
	const what = maxRank === null ? "by traits" : `rank ${maxRank} or better`;
	const bought = filledCount > 0 ? `, ${filledCount} of ${maxItems} bought` : "";
	const waits = status === "paused" && pauseReason === "confirmation_required";
	const next = waits ? " It waits for you to resume it." : "";
	return `Plan for ${collectionSlug.slice(0, 40)}, ${what}: ${status}${bought}.${next}`;
}
