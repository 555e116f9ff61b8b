// Describes what a search finds besides collections, as clients see it.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { UNSEARCHED } from "#plugins/market-index/metadata/lookUps.ts";
import { collectionSlugSchema, explorerUrlSchema } from "#plugins/market-index/schemas/event.ts";

/** Describes an account, a transaction or a token that a search found. */
export const searchMatchSchema = z
	.object({
		kind: z.enum(["account", "transaction", "token"]).meta({
			description:
				"`account`: an address, which may be a contract's; collections at it are in `data`.",
		}),
		chain: field.text("Slug of the chain; null for an account.", "ethereum").nullable(),
		address: field.address("The account, or the token's contract.").nullable(),
		ensName: field
			.text("The ENS name that was asked for; null where none was.", "vitalik.eth")
			.nullable(),
		transactionHash: field.hash("The transaction.").nullable(),
		blockNumber: field.integer("The block of the transaction.", 21_000_002).nullable(),
		isReverted: field.flag("Whether the transaction failed.").nullable(),
		events: field.integer("Events of the index in the transaction.", 2).nullable(),
		slug: collectionSlugSchema.nullable(),
		tokenId: field.digits("The token's id.", "6529").nullable(),
		name: field.text("The token's name; the collection's while unknown.", "Cat #1").nullable(),
		imageUrl: field.url("The token's image; null while unknown.").nullable(),
		explorerUrl: explorerUrlSchema,
	})
	.meta({
		id: "SearchMatch",
		description: "An account, a transaction or a token. What does not belong to it is null.",
	});

export type SearchMatch = z.output<typeof searchMatchSchema>;

/** Describes what could not be searched. */
export const searchUnknownSchema = z
	.object({
		what: z.enum(["transaction", "name"]).meta({ description: "What was looked for." }),
		chain: field.text("Slug of the chain that was to be asked.", "ethereum"),
		reason: z.enum(UNSEARCHED).meta({
			description:
				"`no_answer`: no node answered. `too_many`: searches asked chains too often, try again in a " +
				"minute. `off_chain`: the name's resolver answers from a server that a stranger chose, which " +
				"is not asked. `not_followed`: the chain is not indexed here.",
		}),
	})
	.meta({
		id: "SearchUnknown",
		description: "What could not be searched, so that nothing found there is no answer.",
	});

export type SearchUnknown = z.output<typeof searchUnknownSchema>;
