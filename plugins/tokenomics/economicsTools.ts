import { z } from "zod";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import {
	type LeaguePlace,
	placeSchema,
	type Rewards,
	rewardsSchema,
} from "#plugins/tokenomics/economics/createRewards.ts";
import {
	type Economics,
	economicsSchema,
	type Figure,
	NOT_LAUNCHED,
	REBUILDING,
} from "#plugins/tokenomics/economics/economicsSchema.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type EconomicsToolDeps = {
	economics(): Promise<Economics>;
	rewards: Rewards;
	wallets: Pick<Wallets, "principalOf">;
};

const leagueSchema = economicsSchema.shape.league.extend({
	own: placeSchema.nullable().meta({ description: "Your own place; null: nobody is signed in." }),
});
type League = z.output<typeof leagueSchema>;

const NAMED_IN_LINE = 3;

const LINE_LENGTH_MAX = 160;
const DIGITS_SHOWN = 4;

/** Lists the commands that people may type for these tools. */
export const economicsCommands: readonly Command[] = [
	{
		name: "token_economics",
		forms: ["token economics", "(tokenomics|buybacks|burns)", "[the] revenue split"],
		topic: { words: ["burned", "burnt", "burns", "buyback", "buybacks", "revenue split"] },
		...{ slots: {}, tool: "read_token_economics" },
		summary: "how revenue is split, and what was bought back and burned",
		examples: ["token economics"],
	},
	{
		name: "my_rewards",
		forms: ["my rewards", "[my] (rewards|reward)", "[my] (pending|holder) (rewards|reward)"],
		topic: { words: ["my rewards", "my reward", "pending rewards", "pending reward"] },
		...{ slots: {}, tool: "read_rewards" },
		summary: "what your wallets have pending of the holders' share",
		examples: ["my rewards"],
	},
	{
		name: "league",
		forms: ["league", "[the|my] league [place|rank|standings]", "my (place|rank) in the league"],
		topic: { words: ["league"] },
		...{ slots: {}, tool: "read_league" },
		summary: "who trades most this month, and your own place",
		examples: ["league"],
	},
];

/** Returns what the agent can do about the token's economics: it reads them. */
export function economicsTools(deps: EconomicsToolDeps): AnyTool[] {
	const { economics } = deps;
	return [
		rewardsTool(deps),
		leagueTool(deps),
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

function rewardsTool({ rewards, wallets }: EconomicsToolDeps): AnyTool {
	return defineTool({
		...{ name: "read_rewards", title: "Your pending rewards" },
		description:
			"Returns what your wallets have pending of the holders' share of revenue, by currency: an " +
			"estimate by the part of all tokens that they hold. Each figure has its unit, source and age.",
		...{ capability: "token_economics", effect: "read", access: "profile" },
		...{ input: z.strictObject({}), output: rewardsSchema },
		async run(_, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const addresses = profile.wallets.map(({ address }) => address);
			return { kind: "done", output: await rewards.ofAccounts(addresses) };
		},
		line: ({ status, pending }) => {
			if (status === NOT_LAUNCHED) return "The token is not launched: there are no rewards yet.";
			if (status === REBUILDING) return "It is not known now: figures are being rebuilt.";
			if (pending.length === 0) return "Your wallets have no rewards pending.";
			return `Pending by what you hold: ${amountsOf(pending)}.`.slice(0, LINE_LENGTH_MAX);
		},
		asOfMs: ({ accounts }) => timeOf(accounts.map(({ balance }) => balance)),
	});
}

function leagueTool({ economics, rewards }: EconomicsToolDeps): AnyTool {
	return defineTool({
		...{ name: "read_league", title: "The league" },
		description:
			"Returns the season's first traders by what counts of their settled trades, the rule of what " +
			"counts, and the caller's own place with what the league's share has pending for it.",
		...{ capability: "token_economics", effect: "read", access: "everybody" },
		...{ input: z.strictObject({}), output: leagueSchema },
		async run(_, { caller: { profileId } }) {
			const { league } = await economics();
			const own = profileId === null ? null : await rewards.placeOf(profileId);
			return { kind: "done", output: { ...league, own } };
		},
		line: (league) => leagueLine(league).slice(0, LINE_LENGTH_MAX),
		asOfMs: ({ volume, own }) => timeOf([volume, own?.volume ?? null]),
	});
}

function leagueLine({ status, season, standings, own }: League): string {
	if (status === NOT_LAUNCHED) return "The token is not launched: the league starts after launch.";
	const place = own && placeLine(own);
	if (standings.length === 0) return `League ${season}: nothing counts yet.${place ?? ""}`;
	const first = standings.slice(0, NAMED_IN_LINE).map(({ rank, trader, volume }) => {
		return `${rank}. ${trader ?? "somebody"} ${shortly(volume.value ?? "?", "USD")}`;
	});
	return `League ${season}: ${first.join(", ")}.${place ?? ""}`;
}

function placeLine({ place, volume, traded }: LeaguePlace): string {
	if (place === null || !volume?.value || !traded?.value) return " You have no place yet.";
	const all = volume.value === traded.value ? "" : ` of ${shortly(traded.value, "USD")} traded`;
	return ` You: place ${place}, ${shortly(volume.value, "USD")}${all}.`;
}

/** Names amounts in text; an unknown one is called unknown, and is no zero. */
function amountsOf(figures: readonly Figure[]): string {
	const shown = figures.slice(0, NAMED_IN_LINE).map(({ value, unit }) => {
		return value === null ? `${unit} unknown` : shortly(value, unit);
	});
	const more = figures.length - shown.length;
	return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
	return timeOf([buyback.burned, holders.count]);
}

function timeOf(figures: readonly (Figure | null)[]): number | null {
	const times = figures.flatMap((figure) => (figure?.asOf ? [Date.parse(figure.asOf)] : []));
	return times.length === 0 ? null : Math.min(...times);
}
