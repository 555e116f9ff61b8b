// Declares the answer about the token's economics.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { bucketName } from "#plugins/tokenomics/treasury.ts";
import { intentCode, intentErrorSchema } from "#plugins/wallets/contract.ts";

export const NOT_LAUNCHED = "token not launched";
export const REBUILDING = "being rebuilt";

/** A number with its unit, where it is from, and how old it is. */
export const figureSchema = z
	.object({
		value: z
			.string()
			.nullable()
			.meta({
				description: "A decimal in `unit`; null: it is not known.",
				examples: ["12.5"],
			}),
		raw: field.digits("The same in base units, where it has any.", "12500000").nullable(),
		unit: field.text("What it is counted in.", "ETH"),
		source: z.enum(["ledger", "configuration", "trades"]).meta({
			description:
				"`ledger`: events of the contracts in blocks that are final. `trades`: settled trades of this " +
				"service. `configuration`: as it is set.",
		}),
		asOf: field.time("The moment that it is of.").nullable(),
		ageSeconds: field.integer("How old it is; null: it has no age.", 12).nullable(),
	})
	.meta({ id: "EconomicsFigure", description: "A number with its unit, source and age." });

export const statusSchema = z.enum(["live", REBUILDING, NOT_LAUNCHED]).meta({
	description:
		`\`${NOT_LAUNCHED}\` until the token's contract is named; then there are no figures. ` +
		`\`${REBUILDING}\`: blocks that were read left the chain, or no node shows them; figures of the ` +
		"ledger are null until all is read again.",
});
const figure = (description: string) => figureSchema.nullable().meta({ description });

const bucketSchema = z
	.object({
		bucket: bucketName.meta({ description: "Whose it is." }),
		earned: figureSchema,
		paid: figureSchema,
	})
	.meta({ id: "EconomicsBucket", description: "What a bucket earned and was paid." });

const lastSchema = z
	.object({
		burned: figureSchema,
		spent: figureSchema,
		transactionHash: field.hashText("Its transaction."),
	})
	.meta({ id: "EconomicsBurn", description: "One buyback." });

const splitSchema = z
	.object({
		status: statusSchema,
		shares: z
			.array(
				z
					.object({
						bucket: bucketName.meta({ description: "Who gets it." }),
						percent: figureSchema,
					})
					.meta({ id: "EconomicsShare", description: "A bucket's share of revenue." }),
			)
			.meta({ description: "How revenue is split now, unless a source has its own split." }),
		revenue: z
			.array(
				z
					.object({
						currency: field.addressText("The currency; zeros: the chain's coin."),
						received: figureSchema,
						buckets: z.array(bucketSchema).meta({ description: "What became of it." }),
					})
					.meta({ id: "EconomicsRevenue", description: "All revenue in one currency." }),
			)
			.meta({
				description: "By currency: the coin and those of buybacks, then those that came first.",
			}),
	})
	.meta({ id: "EconomicsSplit", description: "How revenue is split, and what came of it." });

const workerSchema = z
	.object({
		enabled: z
			.boolean()
			.meta({ description: "Whether the token is bought back.", examples: [true] }),
		code: intentCode("Why the newest turn, or its run, spent nothing; null: it did."),
		detail: field.text("The same in words.", "There is not enough revenue.").nullable(),
		checkedAt: field.time("When the newest turn was taken.").nullable(),
		nextAt: field.time("When the next one may be.").nullable(),
		run: z
			.object({
				startedAt: field.time("When it began."),
				status: field.text(
					"Where its intent stands. `vanished`: its purchase was final, and is not on the chain " +
						"any more; `uncertain` too while the ledger is being rebuilt.",
					"confirmed",
				),
				errorCode: intentCode("Why it ended so."),
				error: intentErrorSchema.nullable().meta({ description: "The same in a sentence." }),
				currency: field.addressText("What it pays with; zeros: the chain's coin."),
				boundRaw: field.digits("The most that it may spend, in base units.", "12500000"),
				spentRaw: field.digits("What it holds or has spent, in base units.", "12500000"),
			})
			.meta({ id: "EconomicsBuybackRun", description: "A run that spends." })
			.nullable()
			.meta({ description: "The newest run; null: there was none." }),
		left: z
			.array(
				z
					.object({
						currency: field.addressText("The currency; zeros: the chain's coin."),
						symbol: field.text("What it is called.", "ETH"),
						raw: field.digits("How much of it, in base units.", "12500000"),
						code: field.text("Why.", "no_pool"),
					})
					.meta({ id: "EconomicsLeft", description: "Revenue for burning that is not spent." }),
			)
			.meta({ description: "Revenue that the newest turn left where it is." }),
	})
	.meta({ id: "EconomicsBuybackJob", description: "How the job that buys back goes." });

const buybackSchema = z
	.object({
		status: statusSchema,
		burned: figure("How much of the token buybacks burned."),
		burns: figure("How many buybacks there were."),
		spent: z.array(figureSchema).meta({ description: "What they paid, by currency." }),
		last: lastSchema.nullable().meta({ description: "The newest one." }),
		worker: workerSchema
			.nullable()
			.meta({ description: "How the job goes; null: its chain is not reached here." }),
	})
	.meta({ id: "EconomicsBuyback", description: "What was bought back and burned." });

const holdersSchema = z
	.object({
		status: statusSchema,
		count: figure("How many accounts hold the token."),
		supply: figure("How much of the token there is."),
		burned: figure("How much of it was ever burned, by buybacks and by holders."),
		earned: z.array(figureSchema).meta({ description: "The holders' share so far, by currency." }),
	})
	.meta({ id: "EconomicsHolders", description: "Who holds the token." });

const leagueSchema = z
	.object({
		status: statusSchema,
		season: field.text("A month of the calendar, UTC.", "2026-11").nullable(),
		endsAt: field.time("When it ends.").nullable(),
		traders: figure("How many traders have something that counts."),
		rule: field.text("What counts.", "Settled trades of a month, UTC, of at least a dollar."),
		traded: figure("All that was settled in the season, before the rule."),
		volume: figure("What of it counts."),
		leftOut: figure("What of it does not: back-and-forth, and less than a dollar."),
		standings: z
			.array(
				z
					.object({
						rank: field.integer("Who has most is 1.", 1),
						trader: field.text("The wallet, shortened.", "0x1f98…f984").nullable(),
						volume: figureSchema,
						traded: figureSchema,
						trades: field.integer("Trades of which something counts.", 14),
					})
					.meta({ id: "LeagueStanding", description: "A trader's place in the season." }),
			)
			.meta({ description: "The first traders by settled volume." }),
		earned: z.array(figureSchema).meta({ description: "The league's share so far, by currency." }),
	})
	.meta({ id: "EconomicsLeague", description: "Traders by settled volume in a season." });

export const economicsSchema = z
	.object({
		split: splitSchema,
		buyback: buybackSchema,
		holders: holdersSchema,
		league: leagueSchema,
		servedAt: field.time("When this was answered."),
	})
	.meta({ id: "TokenEconomics", description: "What the token's revenue is, and becomes." });

export type Economics = z.output<typeof economicsSchema>;
export type Figure = z.output<typeof figureSchema>;
