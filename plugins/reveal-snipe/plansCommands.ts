import type { Command } from "#core/plugin/Command.ts";

const id = { kind: "id" } as const;
const amount = { kind: "amount" } as const;
/** Not `under`: the ceiling itself is an allowed price. */
const UNDER = "(up to|max)";
/** A slot, not a word of the form: a model must quote the coin from the author's text. */
const coin = { kind: "word", of: ["eth"] } as const;
const BUDGET = "(with|budget) {budget} {budgetCoin} [in all] [at most {maxItems} tokens]";

const REVEALS =
	"just had … reveal, had their reveal, pending reveals, pending reveal, reveals … pending, list of reveals, waiting to reveal, " +
	"reveals, reveal, revealed, revealing, revealed … today, just revealed, about to reveal, " +
	"revealing soon, revealing today, revealing next, revealing now, next reveal, next reveals, " +
	"next to reveal, upcoming reveal, upcoming reveals, reveals … soon, reveals … today, " +
	"reveals … tomorrow, reveals … week, reveal calendar, reveal schedule, reveals … coming, " +
	"reveals … going, reveals … live, recent reveals, latest reveals, reveals tonight, " +
	"reveals … tonight, going to reveal, gonna reveal, to reveal … next, to reveal … soon";

/** The commands about reveals and plans. */
export const plansCommands: readonly Command[] = [
	{
		name: "reveals",
		forms: [
			"reveals [on {chain}]",
			"(latest|recent|upcoming|live) reveals [on {chain}]",
			"what (revealed|reveals) [today] [on {chain}]",
		],
		slots: { chain: { kind: "chain" } },
		tool: "read_reveals",
		topic: {
			words: REVEALS.split(", "),
			over: ["upcoming", "ended_drops", "discover", "trending", "lifecycle"],
			anyTime: true,
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

/** Returns a count as a number; other text stays unchanged, and the tool refuses it. */
function wholeOf(text: string | undefined): number | string | undefined {
	return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
