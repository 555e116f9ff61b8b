import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

const stageSchema = z
	.object({
		type: field.text("The provider's name of the kind of stage.", "public_sale"),
		label: field.text("What the stage is called.", "Allowlist").nullable(),
		priceNative: field
			.number("Price of one unit in ETH equivalents; 0 = free, null = unknown.", 0.08)
			.nullable(),
		priceRaw: field.digits("The same in base units of `currency`.", "80000000000000000").nullable(),
		currency: field
			.address("What it is paid in; the zero address for the chain's native currency.")
			.nullable(),
		startsAt: field.time("When the stage begins; null = unknown.").nullable(),
		endsAt: field.time("When the stage ends; null = open or unknown.").nullable(),
		maxPerWallet: field.digits("Units that one wallet may mint; null = unknown.", "2").nullable(),
	})
	.meta({
		id: "DropStage",
		description: "One stage of a drop: who may mint when, and for how much.",
	});

/** A mint that was announced, is under way or is over, as the provider tells it. */
export const dropSchema = z
	.object({
		slug: field.text("The collection's slug; its contract until it is indexed.", "tidal-cats"),
		isIndexed: field.flag("Whether the index has the collection."),
		chain: field.text("Slug of the chain.", "ethereum"),
		contractAddress: field.address("The collection's contract."),
		name: field.text("Its name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("Its image; null while unknown.").nullable(),
		type: field.text("The provider's name of the kind of drop.", "seadrop_v1_erc721"),
		state: z
			.enum(["minting", "upcoming", "ended"])
			.nullable()
			.meta({ description: "Where the drop stands now; null where its times are unknown." }),
		stages: z.array(stageSchema).meta({ description: "Its stages in order." }),
		maxSupply: field.integer("Units that can be minted in all; null = unknown.", 10_000).nullable(),
		totalSupply: field
			.integer("Units minted when the provider was last asked; null = unknown.", 4_211)
			.nullable(),
		startsAt: field.time("When its first stage begins; null = unknown.").nullable(),
		endsAt: field.time("When its last stage ends; null = open or unknown.").nullable(),
		seenAt: field.time("When the provider last told of it."),
	})
	.meta({ id: "Drop", description: "A mint that was announced, is under way or is over." });

export type Drop = z.output<typeof dropSchema>;
