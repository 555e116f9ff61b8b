import { z } from "zod";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import {
	type Economics,
	economicsSchema,
	NOT_LAUNCHED,
	REBUILDING,
} from "#plugins/tokenomics/economics/economicsSchema.ts";

type EconomicsToolDeps = { economics: () => Promise<Economics> };

const LINE_LENGTH_MAX = 160;
const DIGITS_SHOWN = 4;

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

/** Returns what the agent can do about the token's economics: it reads them. */
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

/** Says what is known: a figure that is not known yet is no zero. */
function sentenceOf({ split, buyback, holders }: Economics): string {
	const shares = split.shares
		.map(({ bucket, percent }) => `${percent.value}% ${bucket}`)
		.join(", ");
	const isSplitKnown = split.shares.every(({ percent }) => percent.value !== null);
	const splits = isSplitKnown ? ` Revenue split: ${shares}.` : "";
	if (buyback.status === NOT_LAUNCHED) {
		return `The token is not launched: buybacks start after launch.${splits}`;
	}
	const { burned } = buyback;
	if (buyback.status === REBUILDING) {
		return `What was burned is not known now: blocks left the chain, and figures are being rebuilt.${splits}`;
	}
	if (!burned || burned.value === null) {
		return `What was burned is not known yet: the chain's events are still being read.${splits}`;
	}
	const held = holders.count?.value ? `, ${holders.count.value} holders` : "";
	return `${shortly(burned.value, burned.unit)} burned in buybacks${held}.${splits}`.slice(
		...[0, LINE_LENGTH_MAX],
	);
}

/** Shortens an amount: the line needs no wei, and the answer has them all. */
function shortly(value: string, unit: string): string {
	const [whole = "0", fraction = ""] = value.split(".");
	const digits = fraction.slice(0, DIGITS_SHOWN).replace(/0+$/, "");
	if (whole === "0" && digits === "" && /[1-9]/.test(fraction)) return `less than 0.0001 ${unit}`;
	return `${whole}${digits === "" ? "" : `.${digits}`} ${unit}`;
}

function oldestOf({ buyback, holders }: Economics): number | null {
	const times = [buyback.burned, holders.count].flatMap((figure) =>
		figure?.asOf ? [Date.parse(figure.asOf)] : [],
	);
	return times.length === 0 ? null : Math.min(...times);
}
