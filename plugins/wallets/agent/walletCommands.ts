import type { Command } from "#core/plugin/Command.ts";

const id = { kind: "id" } as const;

/** What people may type for the tools of their wallets. */
export const walletCommands: readonly Command[] = [
	{
		name: "my_profile",
		forms: ["my profile", "(profile|whoami)", "who am i"],
		slots: {},
		tool: "read_profile",
		summary: "who is signed in",
		examples: ["my profile"],
	},
	{
		name: "my_wallets",
		forms: ["my wallets", "my (wallet|address|addresses)", "wallets"],
		slots: {},
		tool: "read_wallets",
		summary: "your linked wallets",
		examples: ["my wallets"],
	},
	{
		name: "my_limits",
		forms: ["my limits", "my (limit|caps)", "limits"],
		slots: {},
		tool: "read_limits",
		summary: "what you may move, and what counts today",
		examples: ["my limits"],
	},
	{
		name: "my_balances",
		forms: [
			"my balances [on {chain}]",
			"(balance|balances) [on {chain}]",
			"my balance [on {chain}]",
			"how much (eth|money) do i have [on {chain}]",
		],
		slots: { chain: { kind: "chain" } },
		tool: "read_balances",
		summary: "what your wallets hold of each chain's coin",
		examples: ["my balances", "my balances on ethereum"],
	},
	{
		name: "my_intents",
		forms: ["my intents", "my (actions|orders|buys|transfers|history)", "intents"],
		slots: {},
		tool: "list_intents",
		summary: "your newest actions and what became of them",
		examples: ["my intents"],
	},
	{
		name: "intent",
		forms: ["intent {id}", "(status|state) [of] {id}", "what happened to {id}"],
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
