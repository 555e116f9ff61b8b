import type { Command } from "#core/plugin/Command.ts";

const id = { kind: "id" } as const;

/** What people may type for the tools of their wallets. */
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
				"my limit, my limits, my spending limit, my daily limit, my cap, my caps, " +
				"my allowance, my spend limit"
			).split(", "),
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
			over: ["my_wallets"],
		},
		summary: "what your wallets hold of each chain's coin",
		examples: ["my balances", "my balances on ethereum"],
	},
	{
		name: "my_intents",
		forms: [
			"my intents",
			"my [(open|pending|recent|last|latest)] (intents|actions|orders|buys|transfers|transactions|history)",
			"[(open|pending|recent)] intents",
			"my (transaction|transfer|buy|order) [(status|go through|gone through|confirmed)]",
		],
		slots: {},
		tool: "list_intents",
		topic: {
			words: (
				"my order, my orders, my transaction, my transactions, my tx, my txs, " +
				"my buy, my buys, my purchase, my purchases, my transfer, my transfers, " +
				"my action, my actions, my intents, my … order, my … transaction, my … tx, " +
				"my … buy, my … purchase, my … transfer, my … action, " +
				"pending on my account, my pending"
			).split(", "),
			over: ["my_profile"],
		},
		summary: "your newest actions and what became of them",
		examples: ["my intents"],
	},
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
