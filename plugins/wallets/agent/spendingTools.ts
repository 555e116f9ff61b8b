// Makes the agent's tool and commands about what a profile's actions spent.

import { z } from "zod";
import { ALL_TIME, minutesOf } from "#core/period.ts";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import {
	ofOwner,
	periodInput,
	requirePeriod,
	type WalletToolDeps,
} from "#plugins/wallets/agent/intentTools.ts";
import { usdText } from "#plugins/wallets/profile/profile.ts";

/**
 * Lists words that ask for NFTs alone; these answers count everything, so they leave a text unread.
 */
export const NFT_WORDS = "nft nfts jpeg jpegs pfp pfps collection collections".split(" ");

/** Holds the commands about spending: of a time, and of all time. */
export const spendingCommands: readonly Command[] = [
	{
		name: "my_spending",
		forms: [
			"my spending [{window}]",
			"(how much|what) (did i spend|have i spent) [{window}]",
			"my (spend|spending|spent) [{window}]",
		],
		slots: { window: { kind: "period" } },
		tool: "read_spending",
		topic: {
			words: (
				"i spend, i spent, my spending, my spend, i have spent, i paid, i pay, have i spent, " +
				"i've spent, ive spent, my spendings, did i spend, money … i spent, money … i spend, " +
				"my spent, my expenses"
			).split(", "),
			beside:
				"how much, much, total, in total, altogether, money, overall, usd, dollars, spent, spend".split(
					", ",
				),
			never: [...NFT_WORDS, "eth"],
			over: ["my_limits", "my_intents"],
		},
		summary: "what your actions of a time spent; 24 hours unless one is named",
		examples: ["my spending 7d", "what did i spend this week"],
	},
	{
		name: "my_total_spending",
		forms: ["my total spending"],
		slots: {},
		tool: "read_spending",
		input: () => ({ window: ALL_TIME }),
		topic: {
			words: (
				"i spent … in total, i spend … in total, spent … in total, spend … in total, spent altogether, " +
				"spent all told, spent so far, spend so far, total spending, my total spend, spent … ever, " +
				"in total … spent, in total … spend, total … i spent, total … i've spent, all time spending"
			).split(", "),
			beside: "how much, much, money, here, in total, usd, dollars, on here".split(", "),
			never: [...NFT_WORDS, "eth"],
			over: ["my_limits", "my_intents", "my_spending"],
		},
		summary: "what all your actions spent",
		examples: ["my total spending", "how much have i spent here in total"],
	},
];

/** Makes the tool that sums up what a profile's actions spent. */
export function spendingTool(deps: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_spending",
		title: "Your spending",
		description:
			"Returns what your actions of a period spent, in US dollars by the rates of then: what was " +
			"paid, and what is held for actions under way. What was given back does not count.",
		...ofOwner,
		input: z.strictObject({ window: periodInput.default("24h") }),
		output: z.object({
			window: z.string().meta({ description: "The time that was asked for." }),
			from: z.string().meta({ description: "When it begins, ISO 8601." }),
			until: z.string().meta({ description: "When it ends, ISO 8601." }),
			spentUsd: z.string().meta({ description: "In US dollars." }),
			actions: z.int().meta({ description: "How many actions that is of." }),
			asOf: z.string().meta({ description: "When that was read, ISO 8601." }),
		}),
		async run({ window }, context) {
			const nowMs = deps.core.clock.nowMs();
			const period = requirePeriod(window, nowMs);
			const { profile } = await deps.wallets.principalOf(context.caller);
			const { usdMicros, actions } = await deps.spendingOf(profile, period);
			const [from = "", until = "", asOf = ""] = [period.fromMs, period.untilMs, nowMs].map((ms) =>
				new Date(ms).toISOString(),
			);
			const output = { window, from, until, spentUsd: usdText.of(usdMicros), actions, asOf };
			return { kind: "done", output };
		},
		line({ window, from, until, spentUsd, actions }) {
			const dates = `${shortTime(from)} to ${shortTime(until)}`;
			const isLength = minutesOf(window) !== undefined;
			const when = window === ALL_TIME ? "of all time" : isLength ? window : dates;
			return `${spentUsd} USD spent or held by ${`${actions} action${actions === 1 ? "" : "s"}`}, ${when}.`;
		},
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

function shortTime(iso: string): string {
	return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
