import { z } from "zod";
import type { Command } from "#core/plugin/Command.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import {
	type Economics,
	economicsSchema,
	type Figure,
	NOT_LAUNCHED,
} from "#plugins/tokenomics/economics/economicsSchema.ts";

export type EconomicsToolDeps = { economics: () => Promise<Economics> };

const LINE_LENGTH_MAX = 160;
const DIGITS_SHOWN = 4;

/** What the agent says of the token's economics. */
export function economicsTools({ economics }: EconomicsToolDeps): AnyTool[] {
	return [
		defineTool({
			...{ name: "read_token_economics", title: "The token's economics" },
			description:
				"Returns how revenue is split, what was bought back and burned, how many hold the token, and " +
				"the league of traders. Each figure has its unit, source and age.",
			...{ capability: "token_economics", effect: "read", access: "everybody" },
			...{ input: z.strictObject({}), output: economicsSchema },
			run: async () => ({ kind: "done", output: await economics() }),
			line: sentenceOf,
			asOfMs: oldestOf,
		}),
	];
}

/** What people type for it. */
export const economicsCommands: readonly Command[] = [
	{
		name: "token_economics",
		forms: ["token economics", "(tokenomics|buybacks|burns)", "[the] revenue split"],
		topic: { words: ["burned", "burnt", "burns", "buyback", "buybacks", "revenue split"] },
		...{ slots: {}, tool: "read_token_economics" },
		summary: "how revenue is split, and what was bought back and burned",
		examples: ["token economics"],
	},
];

function sentenceOf({ split, buyback, holders }: Economics): string {
	const shares = split.shares
		.map(({ bucket, percent }) => `${percent.value}% ${bucket}`)
		.join(", ");
	if (buyback.status === NOT_LAUNCHED) {
		return `The token is not launched: buybacks start after launch. Revenue split: ${shares}.`;
	}
	const burned = buyback.burned ? `${shortly(buyback.burned)} burned in buybacks` : "no burns";
	const held = holders.count ? `, ${holders.count.value} holders` : "";
	return `${burned}${held}. Revenue split: ${shares}.`.slice(0, LINE_LENGTH_MAX);
}

/** The line needs no wei; the answer has them all. */
function shortly({ value, unit }: Figure): string {
	const [whole = "0", fraction = ""] = (value ?? "0").split(".");
	const digits = fraction.slice(0, DIGITS_SHOWN).replace(/0+$/, "");
	return `${whole}${digits === "" ? "" : `.${digits}`} ${unit}`;
}

function oldestOf({ buyback, holders }: Economics): number | null {
	const times = [buyback.burned, holders.count].flatMap((figure) =>
		figure?.asOf ? [Date.parse(figure.asOf)] : [],
	);
	return times.length === 0 ? null : Math.min(...times);
}
