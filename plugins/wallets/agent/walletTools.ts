// Makes the agent's tools and commands about a profile, its wallets and limits.

import { z } from "zod";
import { type AnyTool, type Command, defineTool, type ToolContext } from "#core/plugin/Tool.ts";
import { intentTools, ofOwner, type WalletToolDeps } from "#plugins/wallets/agent/intentTools.ts";
import { readBalances } from "#plugins/wallets/agent/readWallet.ts";
import { NFT_WORDS, spendingCommands, spendingTool } from "#plugins/wallets/agent/spendingTools.ts";
import { profileSchema, renderProfile, usdText } from "#plugins/wallets/profile/profile.ts";

const id = { kind: "id" } as const;
/** Holds the commands that people may type for the tools of their wallets. */
export const walletCommands: readonly Command[] = [
	{
		name: "my_profile",
		forms: ["my profile", "(profile|whoami|account)", "who am i", "[am i] (signed|logged) in"],
		slots: {},
		tool: "read_profile",
		topic: {
			words: "my profile, my account, signed in, logged in, who am i, my settings".split(", "),
		},
		summary: "who is signed in",
		examples: ["my profile"],
	},
	{
		name: "my_wallets",
		forms: [
			"my wallets",
			"[my] [wallet] (wallets|address|addresses|wallet)",
			"[(which|what)] wallets do i have",
		],
		slots: {},
		tool: "read_wallets",
		topic: { words: "my wallet, my wallets, my address, my addresses, my linked".split(", ") },
		summary: "your linked wallets",
		examples: ["my wallets"],
	},
	{
		name: "my_limits",
		forms: [
			"my limits",
			"[my] [(spending|spend|daily|trade|trading)] (limits|limit|caps|cap)",
			"(how much|what) can i (spend|send|trade)",
		],
		slots: {},
		tool: "read_limits",
		topic: {
			words: (
				"what's left of it, whats left of it, left of it, spending limit, daily limit, trade limit, spending cap, what cap i put, cap i set, cap do i have, my limit, my limits, my spending limit, my daily limit, my cap, my caps, " +
				"my allowance, my spend limit, my spending limits, my … limit, my … limits, my spending cap, " +
				"my daily spending limit, my spending limit, can i spend, can i still spend, i can spend, " +
				"i can still spend, left to spend, allowed to spend, much can i spend, how much can i spend, " +
				"how much can i still spend, how much … i can spend, how much … left to spend, how much … allowed to spend"
			).split(", "),
			beside: (
				"how much, left, remaining, used, use, already, still, spent, spend, total, set, close, near, " +
				"how far, far, left of, what's left, single purchase, per trade, on a single purchase, " +
				"reached, what cap, on a single trade, on one purchase"
			).split(", "),
			anyTime: true,
		},
		summary: "what you may move, and what counts today",
		examples: ["my limits"],
	},
	{
		name: "my_balances",
		forms: [
			"my balances [on {chain}]",
			"[my] [(eth|wallet)] (balance|balances) [on {chain}]",
			"how much [(eth|money)] (do i have|have i got|i got|i have) [on {chain}]",
			"[how much] [eth] in my (wallet|wallets) [on {chain}]",
		],
		slots: { chain: { kind: "chain" } },
		tool: "read_balances",
		topic: {
			words: (
				"my balance, my balances, my eth, my wallet balance, my … balance, " +
				"in my wallet, in my wallets, how much … i have, how much … i got"
			).split(", "),
			never: NFT_WORDS,
			over: ["my_wallets"],
		},
		summary: "what your wallets hold of each chain's coin",
		examples: ["my balances", "my balances on ethereum"],
	},
	{
		name: "my_intents",
		forms: [
			"my intents [{window}]",
			"my [(recent|last|latest)] (intents|actions|orders|transactions|history) [{window}]",
			"recent intents",
			"my (transaction|order) [(status|go through|gone through|confirmed)]",
		],
		slots: { window: { kind: "period" } },
		tool: "list_intents",
		topic: {
			words: (
				"my order blocked, my order rejected, my order refused, my order fail, my order failed, my … " +
				"order blocked, my … order fail, my … order failed, my order, my orders, my transaction, my transactions, my tx, my txs, my action, " +
				"my actions, my intents, my … order, my … transaction, my … tx, my … action, my last order, " +
				"my last orders, my latest order, my latest orders, my recent orders, my … orders, my last " +
				"transaction, my recent transactions, my order history, my orders history, my … order fill, " +
				"my last order fill, my last order filled, my order fill, my order filled, my order done, " +
				"my order go through, my last order go through, status of my order, status of my orders"
			).split(", "),
			never: [...NFT_WORDS, "ever"],
			beside:
				"why, was, why was, why did, list, status, last, latest, recent, newest, all, history".split(
					", ",
				),
			lists: 10,
			over: ["my_profile"],
		},
		summary: "your newest actions, also of a time, and what became of them",
		examples: ["my intents", "my orders this week"],
	},
	{
		name: "my_open_intents",
		forms: [
			"my open intents",
			"[my] (open|pending) (intents|actions|orders|transactions|transfers|buys)",
		],
		slots: {},
		tool: "list_intents",
		input: () => ({ only: "open" }),
		topic: {
			words:
				"my pending, my open, pending on my account, my … pending, still pending, i … pending, i have open, i have … open orders, my unfilled, my orders … open, my orders … pending, my orders … still open, orders still open, do i have open, orders i have open".split(
					", ",
				),
			beside: "list, all, ones, open, order, orders, pending, still, currently".split(", "),
			over: ["my_intents", "my_transfers", "my_profile"],
		},
		summary: "which of your actions are not over",
		examples: ["my open intents", "my pending orders"],
	},
	{
		name: "my_transfers",
		forms: ["my transfers [{window}]", "my [(recent|last|latest)] (transfer|transfers) [{window}]"],
		slots: { window: { kind: "period" } },
		tool: "list_intents",
		input: (values) => ({ ...values, only: "transfers" }),
		topic: {
			words: "my transfer, my transfers, my … transfer, my … transfers".split(", "),
			over: ["my_intents", "my_profile"],
		},
		summary: "your newest transfers, also of a time, and what became of them",
		examples: ["my transfers", "my transfers this week"],
	},
	...spendingCommands,
	{
		name: "intent",
		forms: ["intent {id}", "(status|state) [of] [intent] {id}", "what happened to [intent] {id}"],
		slots: { id },
		tool: "read_intent",
		summary: "what became of one action",
		examples: ["intent 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "cancel",
		forms: ["cancel {id}"],
		slots: { id },
		tool: "cancel_intent",
		summary: "takes an action back where that is still possible",
		examples: ["cancel 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
];

const nothing = z.strictObject({});

const profileOf = async (deps: WalletToolDeps, { caller }: ToolContext) =>
	(await deps.wallets.principalOf(caller)).profile;

const limitsSchema = z.object({
	perTradeUsd: z.string().meta({ description: "The most one action may move, in US dollars." }),
	walletNotionalUsd: z
		.string()
		.meta({ description: "The most one action may move out of the wallet, in US dollars." }),
	dailyUsd: z.string().meta({ description: "The most in 24 hours, in US dollars." }),
	spentTodayUsd: z.string().meta({ description: "Counted in the last 24 hours, in US dollars." }),
	asOf: z.string().meta({ description: "When that was read, ISO 8601.", format: "date-time" }),
});

const balanceSchema = z.object({
	walletId: z.string(),
	address: z.string(),
	chain: z.string().meta({ description: "Slug of the chain." }),
	symbol: z.string().meta({ description: "The chain's own coin." }),
	balance: z
		.string()
		.nullable()
		.meta({ description: "In whole coins, exact; null where the chain did not answer." }),
	balanceRaw: z.string().nullable().meta({ description: "The same in base units." }),
});

/** Makes the agent's tools that show a profile's wallets and intents, and cancel an intent. */
export function walletTools(deps: WalletToolDeps): AnyTool[] {
	const own = [profileTool(deps), walletsTool(deps), limitsTool(deps), balancesTool(deps)];
	return [...own, spendingTool(deps), ...intentTools(deps)];
}

function profileTool(deps: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_profile",
		title: "Your profile",
		description: "Returns the signed-in profile: linked social account, settings, wallets.",
		...ofOwner,
		input: nothing,
		output: profileSchema,
		async run(_, context) {
			return { kind: "done", output: renderProfile(await profileOf(deps, context)) };
		},
		line({ wallets, requireTradeConfirmation }) {
			const asks = requireTradeConfirmation ? "each action asks you first" : "no extra question";
			return `Signed in with ${count(wallets.length, "wallet")}; ${asks}.`;
		},
		asOfMs: () => null,
	});
}

function count(many: number, what: string): string {
	return `${many} ${what}${many === 1 ? "" : "s"}`;
}

function walletsTool(deps: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_wallets",
		title: "Your wallets",
		description:
			"Returns the linked wallets. The service sends by itself for `embedded/delegated` alone.",
		...ofOwner,
		input: nothing,
		output: z.object({ wallets: profileSchema.shape.wallets }),
		async run(_, context) {
			const { wallets } = renderProfile(await profileOf(deps, context));
			return { kind: "done", output: { wallets } };
		},
		line({ wallets }) {
			const main = wallets.find(({ isCanonical }) => isCanonical) ?? wallets[0];
			if (!main) return "You have no linked wallet yet.";
			const more = wallets.length > 1 ? `, and ${wallets.length - 1} more` : "";
			return `${shortAddress(main.address)} (${main.capability})${more}.`;
		},
		asOfMs: () => null,
	});
}

function shortAddress(address: string): string {
	return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

function limitsTool(deps: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_limits",
		title: "Your limits",
		description: "Returns the limits in force for your canonical wallet, and what counts so far.",
		...ofOwner,
		input: nothing,
		output: z.object({ limits: limitsSchema.nullable() }),
		async run(_, context) {
			const found = await deps.limitsOf(await profileOf(deps, context));
			if (!found) return { kind: "done", output: { limits: null } };
			const { limits, spentTodayUsdMicros } = found;
			const output = {
				perTradeUsd: usdText.of(limits.perTradeUsdMicros),
				walletNotionalUsd: usdText.of(limits.walletNotionalUsdMicros),
				dailyUsd: usdText.of(limits.dailyUsdMicros),
				spentTodayUsd: usdText.of(spentTodayUsdMicros),
				asOf: new Date(deps.core.clock.nowMs()).toISOString(),
			};
			return { kind: "done", output: { limits: output } };
		},
		line({ limits }) {
			if (!limits) return "You have no linked wallet yet, so no limits are in force.";
			const { perTradeUsd, dailyUsd, spentTodayUsd } = limits;
			return `${perTradeUsd} USD an action, ${dailyUsd} USD a day, ${spentTodayUsd} USD used.`;
		},
		asOfMs: ({ limits }) => (limits ? Date.parse(limits.asOf) : null),
	});
}

function balancesTool(deps: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_balances",
		title: "Your balances",
		description:
			"Returns what your wallets hold of each chain's own coin, read from the chain now. Tokens " +
			"are not counted. At most ten wallets.",
		...ofOwner,
		input: z.strictObject({ chain: z.string().max(64).optional() }),
		output: z.object({
			balances: z.array(balanceSchema),
			asOf: z.string().meta({ description: "When it was read, ISO 8601." }),
		}),
		async run({ chain }, context) {
			const profile = await profileOf(deps, context);
			const { signal } = context;
			const balances = await readBalances(deps.core, { profile, chain, signal });
			const asOf = new Date(deps.core.clock.nowMs()).toISOString();
			return { kind: "done", output: { balances, asOf } };
		},
		line({ balances }) {
			if (balances.length === 0) return "You have no linked wallet yet.";
			const some = balances.slice(0, 3).map(({ address, chain, symbol, balance }) => {
				const amount = balance === null ? "not known now" : `${shortAmount(balance)} ${symbol}`;
				return `${shortAddress(address)} on ${chain}: ${amount}`;
			});
			const more = balances.length > 3 ? `; ${balances.length - 3} more` : "";
			return `${some.join("; ")}${more}`;
		},
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

/** Cuts an exact decimal after six places for a line; the data has all of it. */
function shortAmount(text: string): string {
	const [whole = "0", places = ""] = text.split(".");
	const cut = places.slice(0, 6).replace(/0+$/, "");
	return cut === "" ? whole : `${whole}.${cut}`;
}
