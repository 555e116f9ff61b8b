// Offers the agent's tools and commands for plans.

import { z } from "zod";
import { type AnyTool, type Command, defineTool, type Order } from "#core/plugin/Tool.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { ITEMS_MAX } from "#plugins/reveal-snipe/limits.ts";
import { isOpen } from "#plugins/reveal-snipe/model.ts";
import type { Plans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { planBody, planFields } from "#plugins/reveal-snipe/plans/planBody.ts";
import { type PlanView, planSchema } from "#plugins/reveal-snipe/plans/renderPlan.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type PlanToolDeps = {
	plans: Plans;
	wallets: Pick<Wallets, "principalOf">;
	market: Pick<MarketIndex, "resolve">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

const id = { kind: "id" } as const;
const amount = { kind: "amount" } as const;
/**
 * Matches the words before a price ceiling. Not `under`: the ceiling itself is an allowed price.
 */
const UNDER = "(up to|max)";
/** Takes the coin as a slot, not a fixed word: a model must quote it from the author's text. */
const coin = { kind: "word", of: ["eth"] } as const;
const BUDGET = "(with|budget) {budget} {budgetCoin} [in all] [at most {maxItems} tokens]";

const REVEALS =
	"just had … reveal, had their reveal, pending reveals, pending reveal, reveals … " +
	"pending, list of reveals, waiting to reveal, reveals, reveal, revealed, revealing, just " +
	"revealed, about to reveal, revealing soon, revealing next, revealing now, next reveal, " +
	"next reveals, next to reveal, upcoming reveal, upcoming reveals, reveals … soon, reveal " +
	"calendar, reveal schedule, reveals … coming, reveals … going, reveals … live, recent " +
	"reveals, latest reveals, new reveals, reveal soon, reveals soon, any reveal, " +
	"collections reveal, which collections reveal, which collections … reveal, who reveals, " +
	"about to be revealed, going to reveal, gonna reveal, to reveal … next, to reveal … soon";

/** The commands about reveals and plans. */
export const plansCommands: readonly Command[] = [
	{
		name: "reveals",
		forms: [
			"reveals [on {chain}]",
			"(latest|recent|upcoming|live) reveals [on {chain}]",
			"what (revealed|reveals) [on {chain}]",
		],
		slots: { chain: { kind: "chain" } },
		tool: "read_reveals",
		topic: {
			words: REVEALS.split(", "),
			beside: "list, ones, all, collections, just".split(", "),
			over: ["upcoming", "ended_drops", "discover", "minting", "trending", "lifecycle"],
		},
		summary: "collections whose reveal is waited for, under way, or just over",
		examples: ["reveals", "reveals on base"],
	},
	{
		name: "my_plans",
		forms: ["my plans", "my (plan|snipes|snipe plans)", "plans"],
		slots: {},
		tool: "list_plans",
		summary: "your plans that buy after a reveal",
		examples: ["my plans"],
	},
	{
		name: "plan",
		forms: ["plan {id}", "(show|read) plan {id}"],
		slots: { id },
		tool: "read_plan",
		summary: "one of your plans, and what it bought",
		examples: ["plan 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "snipe",
		forms: [
			`snipe {collection} rank {maxRank} for at most {maxPrice} {coin} each ${BUDGET} [on {chain}]`,
			`snipe {collection} (rank|top) {maxRank} ${UNDER} {maxPrice} {coin} [each] ${BUDGET} [on {chain}]`,
		],
		slots: {
			collection: { kind: "collection" },
			maxRank: amount,
			maxPrice: amount,
			coin,
			budget: amount,
			budgetCoin: coin,
			maxItems: amount,
			chain: { kind: "chain" },
		},
		tool: "arm_plan",
		prepares: "prepare_plan",
		input: ({ maxRank, maxPrice, budget, maxItems, collection, chain }) => ({
			...{ collection, chain },
			maxRank: wholeOf(maxRank),
			maxPricePerItem: maxPrice,
			budget,
			...(maxItems !== undefined && { maxItems: wholeOf(maxItems) }),
		}),
		summary: "arms a plan that buys rare tokens once a collection is revealed",
		examples: ["snipe tidal-cats rank 200 for at most 0.4 eth each with 2 eth"],
	},
	{
		name: "pause_plan",
		forms: ["pause plan {id}", "(stop|hold) plan {id}"],
		slots: { id },
		tool: "pause_plan",
		summary: "has a plan buy nothing until you resume it",
		examples: ["pause plan 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "resume_plan",
		forms: ["resume plan {id}", "(arm|start) plan {id}"],
		slots: { id },
		tool: "resume_plan",
		summary: "arms a paused plan again",
		examples: ["resume plan 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "cancel_plan",
		forms: ["cancel plan {id}"],
		slots: { id },
		tool: "cancel_plan",
		summary: "ends a plan for good",
		examples: ["cancel plan 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
];

const OWN = { capability: "snipes", access: "profile" } as const;
const LISTED = 10;

const byId = z.strictObject({ id: z.uuid().meta({ description: "A plan's id." }) });
const armInput = z
	.strictObject({
		collection: z
			.string()
			.regex(/^(?=.*\S)[^\p{Cc}]*$/u, "must be text on one line")
			.max(200)
			.meta({
				description:
					"The collection: its slug, a former one, the contract's address, or its whole name. A name " +
					"that several have, or that only resembles one, is asked back.",
				examples: ["tidal-cats", "Tidal Cats"],
			}),
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

/** Returns at most 160 characters: what it would buy, its status, and what the owner must do. */
function sentenceOf(plan: PlanView): string {
	const { collectionSlug, maxRank, status, pauseReason, filledCount, maxItems } = plan;
	const what = maxRank === null ? "by traits" : `rank ${maxRank} or better`;
	const bought = filledCount > 0 ? `, ${filledCount} of ${maxItems} bought` : "";
	const waits = status === "paused" && pauseReason === "confirmation_required";
	const next = waits ? " It waits for you to resume it." : "";
	return `Plan for ${collectionSlug.slice(0, 40)}, ${what}: ${status}${bought}.${next}`;
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
			return { kind: "done", output: await plans.view(profile, id.toLowerCase()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
	});
}

function armTool({ plans, wallets, market }: PlanToolDeps, effect: "prepare" | "execute"): AnyTool {
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
			const { collection, maxRank, traits, maxPricePerItem, budget, maxItems } = input;
			const resolved = await market.resolve(collection, input.chain);
			if (resolved.kind === "choose") return resolved;
			const { address, chain } = resolved.found;
			const body = planBody.parse({
				...{ collectionSlug: address, chain, maxRank, traits, maxItems },
				...{ maxPricePerItemNative: maxPricePerItem, budgetNative: budget },
			});
			const asked = { principal, body, idempotencyKey, isProposed };
			const response = await plans.arm({ ...asked, route: `tool ${name}` });
			return { kind: "done", output: planSchema.parse(await response.json()) };
		},
		line: sentenceOf,
		asOfMs: () => null,
		order: orderOf({ plans, wallets }),
	});
}

/** Returns how a plan is followed: to its own end, while each buy of it is an intent of its own. */
function orderOf({ plans, wallets }: Pick<PlanToolDeps, "plans" | "wallets">): Order<PlanView> {
	return {
		idOf: ({ id }) => id,
		async read(id, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			return await plans.view(profile, id);
		},
		end: ({ status }) => (isOpen(status) ? null : { transaction: null }),
	};
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
		order: orderOf({ plans, wallets }),
	});
}

/** Returns a count as a number; other text stays unchanged, and the tool refuses it. */
function wholeOf(text: string | undefined): number | string | undefined {
	return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
