// Describes what an account holds, did and realised.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import {
	collectionSlugSchema,
	explorerUrlSchema,
	marketEventSchema,
	traitSchema,
} from "#plugins/market-index/schemas/event.ts";
import { pageCoverageSchema } from "#plugins/market-index/schemas/figures.ts";

const chainSlug = field.text("Slug of the chain.", "ethereum");
const contract = field.address("The collection's contract.");
const collectionName = field
	.text("The collection's name; null while unknown.", "Tidal Cats")
	.nullable();
const eth = (description: string, example: number) =>
	field.number(`${description}, in ETH equivalents; null = not known.`, example).nullable();
const usd = (description: string, example: number) =>
	field.number(`${description}, in US dollars; null = not known.`, example).nullable();

const floorShape = {
	floorNative: eth("The collection's lowest known ask", 1.2),
	floorUsd: usd("The same at the rate of now", 3_000),
	valueNative: eth("The floor for each of the units", 1.2),
	valueUsd: usd("The same at the rate of now", 3_000),
};

/** Describes one token that an account holds. */
export const accountTokenSchema = z
	.object({
		chain: chainSlug,
		contractAddress: contract,
		slug: collectionSlugSchema,
		collectionName,
		standard: field.text("`erc721` or `erc1155`.", "erc721"),
		tokenId: field.digits("The token's id.", "6529"),
		units: field.digits("Units that it holds; 1 for an ERC-721.", "1"),
		name: field.text("The token's name; null while unknown.", "Tidal Cat #6529").nullable(),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		rank: field.integer("OpenRarity rank, 1 the rarest; null without one.", 12).nullable(),
		traits: z.array(traitSchema).nullable().meta({ description: "Null while nobody told them." }),
		...floorShape,
		explorerUrl: explorerUrlSchema,
	})
	.meta({ id: "AccountToken", description: "One token that an account holds." });

export type AccountToken = z.output<typeof accountTokenSchema>;

/** Describes a collection that an account holds tokens of. */
export const accountCollectionSchema = z
	.object({
		chain: chainSlug,
		contractAddress: contract,
		slug: collectionSlugSchema,
		name: collectionName,
		imageUrl: field.url("The collection's image; null while unknown.").nullable(),
		standard: field.text("`erc721` or `erc1155`.", "erc721"),
		units: field.digits("Units that it holds, of all ids together.", "3"),
		floorAt: field.time("When the floor was told; null without one.").nullable(),
		...floorShape,
	})
	.meta({ id: "AccountCollection", description: "A collection that an account holds tokens of." });

export type AccountCollection = z.output<typeof accountCollectionSchema>;

/** Describes the sums over what an account holds. */
export const accountSummarySchema = z
	.object({
		collections: field.integer("Walked collections that it holds tokens of.", 7),
		units: field.digits("Units that it holds of them.", "42"),
		valueRaw: field
			.digits("The sum of their floors, in wei of ETH; null: none has one.", "8400000000000000000")
			.nullable(),
		valueNative: eth("The same", 8.4),
		valueUsd: usd("The same at the rate of now", 21_000),
		collectionsWithoutFloor: field.integer("Collections that are in no sum.", 1),
		unitsWithoutFloor: field.digits("Units of these.", "2"),
		isCut: field.flag("True: it holds tokens of more than 2,000 collections; sums are of these."),
	})
	.meta({
		id: "AccountSummary",
		description:
			"Sums over all tokens of walked collections, whatever page is shown. Every unit counts at its " +
			"collection's floor, also of an ERC-1155 whose ids differ in price.",
	});

export type AccountSummary = z.output<typeof accountSummarySchema>;

/** Describes what is known of an account's tokens, and what is not. */
export const holdingsCoverageSchema = z
	.object({
		chains: z
			.array(
				z
					.object({
						chain: chainSlug,
						walkedContracts: field.integer("Contracts whose owners are known.", 480),
						walkingContracts: field.integer("Contracts whose history is being read.", 20),
						until: field.time("Up to when owners are current; null: not known.").nullable(),
						owesBlocks: field.flag("True: blocks are missing whose transfers may change it."),
					})
					.meta({ id: "WalkedChain", description: "What is known of a chain's owners." }),
			)
			.meta({ description: "One row for each chain that was asked about." }),
		notWalked: z
			.array(
				z
					.object({
						chain: chainSlug,
						contractAddress: contract,
						slug: collectionSlugSchema,
						name: collectionName,
						state: z
							.enum(["not_walked", "walking"])
							.meta({ description: "Whether its owners will be known once a walk is over." }),
						lastEventAt: field
							.time("The newest event by which it got a token; null: only the walk saw it.")
							.nullable(),
					})
					.meta({
						id: "UnwalkedCollection",
						description: "A collection that it may hold tokens of.",
					}),
			)
			.meta({
				description:
					"Collections that it got tokens of, and whose owners are not known: whether it still holds " +
					"them is not known, and they are in no sum. At most 50.",
			}),
		hasMoreNotWalked: field.flag("Whether there are more of them."),
		searchedFrom: field
			.time("The oldest event that was searched for them; null: all that are kept.")
			.nullable(),
	})
	.meta({
		id: "HoldingsCoverage",
		description:
			"What the answer is made of. Contracts that are neither walked nor in an event of the account " +
			"are not known at all.",
	});

export type HoldingsCoverage = z.output<typeof holdingsCoverageSchema>;

/** Describes a collection whose contract is the account itself. */
export const ownCollectionSchema = z
	.object({ chain: chainSlug, slug: collectionSlugSchema })
	.meta({ id: "OwnCollection", description: "A collection at this very address." });

/** Describes one event of an account. */
export const accountEventSchema = marketEventSchema
	.extend({
		action: z
			.enum(["bought", "sold", "minted", "received", "sent", "self"])
			.meta({ description: "What the account did; `self`: it was on both sides." }),
		slug: collectionSlugSchema,
		collectionName,
		rank: field.integer("The token's present rank; null without one.", 12).nullable(),
		explorerUrl: explorerUrlSchema,
	})
	.meta({ id: "AccountEvent", description: "A sale, mint or transfer of an account." });

export type ShownAccountEvent = z.output<typeof accountEventSchema>;

/** Describes which events of each chain may be missing on a page. */
export const accountCoverageSchema = z
	.array(
		z
			.object({
				chain: chainSlug,
				partial: pageCoverageSchema("`bought`, `sold`, `minted`, `moved`"),
			})
			.meta({ id: "AccountChainCoverage", description: "What may be missing of one chain." }),
	)
	.meta({ description: "One row for each chain that was asked about." });

export type AccountCoverage = z.output<typeof accountCoverageSchema>;

const units = (description: string) => field.digits(description, "1");

const leftOutSchema = z
	.object({
		cost_not_seen: units(
			"What they cost was not seen: they came by a transfer or from before, or the chain's events " +
				"are not all here from their purchase to their sale (of an ERC-1155: from its beginning).",
		),
		cost_unknown: units("They were bought or minted for an amount that is not known in ETH."),
		price_unknown: units("They were sold for an amount that is not known in ETH."),
	})
	.meta({ id: "ResultLeftOut", description: "Units that were sold and are in no sum, by reason." });

const resultShape = {
	unitsSold: units("Units sold."),
	unitsRealised: units("Units whose price and cost are both known; the sums are of these."),
	proceedsRaw: field.digits("What these were sold for, in wei of ETH.", "1500000000000000000"),
	costRaw: field.digits(
		"What they were bought or minted for, in wei of ETH.",
		"1000000000000000000",
	),
	realisedRaw: z.string().meta({
		pattern: "^(0|-?[1-9][0-9]*)$",
		description: "`proceedsRaw` less `costRaw`, in wei of ETH; below zero is a loss.",
		examples: ["500000000000000000", "-20000000000000000"],
	}),
	realisedNative: eth("The same; null where no unit is in it", 0.5),
	realisedUsd: usd("The same, both sides at the rate of their own time", 1_400),
	unitsWithoutUsd: units("Realised units that lack a rate of either time: in ETH alone."),
	leftOut: leftOutSchema,
};

/** Describes what an account realised with one token. */
export const tokenResultSchema = z
	.object({
		chain: chainSlug,
		contractAddress: contract,
		slug: collectionSlugSchema,
		collectionName,
		tokenId: field.digits("The token's id.", "6529"),
		name: field.text("The token's name; null while unknown.", "Tidal Cat #6529").nullable(),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		...resultShape,
		firstSoldAt: field.time("Its first sale by the account that was read."),
		lastSoldAt: field.time("Its last sale by the account."),
		explorerUrl: explorerUrlSchema,
	})
	.meta({ id: "TokenResult", description: "What an account realised with one token." });

export type ShownTokenResult = z.output<typeof tokenResultSchema>;

/** Describes what an account realised in all. */
export const resultSummarySchema = z
	.object({ tokens: field.integer("Tokens of which it sold units.", 12), ...resultShape })
	.meta({ id: "ResultSummary", description: "What an account realised with all tokens read." });

export type ShownResultSummary = z.output<typeof resultSummarySchema>;
