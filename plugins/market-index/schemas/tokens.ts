import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { bookReadAtSchema, orderSchema } from "#plugins/market-index/schemas/book.ts";
import {
	collectionSlugSchema,
	explorerUrlSchema,
	traitSchema,
} from "#plugins/market-index/schemas/event.ts";

const collectionOfAsset = z
	.object({
		slug: collectionSlugSchema,
		name: field.text("The collection's name; null while unknown.", "Tidal Cats").nullable(),
		imageUrl: field.url("The collection's image; null while unknown.").nullable(),
		revealState: field
			.text("`unknown`, `placeholder` (all tokens look alike) or `revealed`.", "revealed")
			.meta({ examples: ["revealed", "unknown", "placeholder"] }),
	})
	.meta({ id: "AssetCollection", description: "The collection that a token belongs to." });

/** The part of a token that is not about what it costs. */
const tokenShape = z.object({
	chain: field.text("Slug of the chain.", "ethereum"),
	contractAddress: field.address("The collection's contract."),
	tokenId: field.digits("The token's id.", "6529"),
	standard: field.text("`erc721` or `erc1155`.", "erc721"),
	name: field.text("The token's name; null while unknown.", "Tidal Cat #6529").nullable(),
	description: field.text("The token's description; null while unknown.", "A cat.").nullable(),
	imageUrl: field.url("The token's image; null while unknown.").nullable(),
	animationUrl: field
		.url("A video, sound or page of the token.", "https://example.com/cats/6529.mp4")
		.nullable(),
	traits: z.array(traitSchema).nullable().meta({ description: "Null while nobody told them." }),
	rank: field
		.integer("OpenRarity rank, 1 the rarest, ties share one. Null before the reveal.", 12)
		.nullable(),
	tokenUri: field
		.text("Where the metadata is; of a `data:` URI without its content.", "ipfs://bafy/6529")
		.nullable(),
	tokenUriHash: field
		.text("SHA-256 of the URI in hex, so that a swapped base URI shows.", "9f".repeat(32))
		.nullable(),
	source: z.enum(["chain", "provider"]).nullable().meta({
		description: "Whether the token's own URI told this, or the marketplace provider.",
	}),
	fetchedAt: field.time("When the metadata was last read; null: never.").nullable(),
	owner: field
		.addressText("Who owns it. Null where owners are not kept, and for an ERC-1155.")
		.nullable(),
	collection: collectionOfAsset,
});

export type Token = z.output<typeof tokenShape>;

/** Describes one token: its metadata, its rank, its owner, and what it costs. */
export const assetSchema = tokenShape
	.extend({
		slug: collectionSlugSchema,
		explorerUrl: explorerUrlSchema,
		listing: orderSchema.nullable().meta({
			description:
				"Its cheapest listing that anybody may fill; null: not for sale, or not known (`bookReadAt`).",
		}),
		bookReadAt: bookReadAtSchema,
	})
	.meta({ id: "Asset", description: "One token, with its metadata, rank, owner and listing." });

const lastSaleSchema = z
	.object({
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.25)
			.nullable(),
		priceUsd: field
			.number("Price of one unit in US dollars, at the rate of its time.", 3_125.5)
			.nullable(),
		occurredAt: field.time("When it was sold."),
		transactionHash: field.hash("Its transaction; null where the provider gave none.").nullable(),
	})
	.meta({ id: "TokenLastSale", description: "The last accepted sale of a token." });

/** Describes a token of a list: what it is, who owns it, what it costs. */
const tokenRowSchema = tokenShape
	.pick({ chain: true, contractAddress: true, tokenId: true, name: true, imageUrl: true })
	.extend({
		slug: collectionSlugSchema,
		rank: tokenShape.shape.rank,
		traits: tokenShape.shape.traits,
		owner: tokenShape.shape.owner,
		listing: orderSchema.nullable().meta({
			description:
				"Its cheapest listing that anybody may fill; null: not for sale, or not known (`bookReadAt`).",
		}),
		lastSale: lastSaleSchema.nullable().meta({
			description: "Its last sale; null: none was found since `lastSalesFrom`.",
		}),
		explorerUrl: explorerUrlSchema,
	})
	.meta({ id: "TokenRow", description: "One token of a list, with its owner and its listing." });

export type TokenRow = z.output<typeof tokenRowSchema>;

/** Why a list of tokens is not known. */
export const TOKENS_UNKNOWN = [
	"tokens_not_read",
	"traits_not_read",
	"not_ranked",
	"owners_not_walked",
	"listings_not_read",
] as const;

/** Describes a page of a collection's tokens. */
export const tokenPageSchema = z
	.object({
		data: z.array(tokenRowSchema).nullable().meta({
			description: "Tokens in the order of `sort`; null where that is not known: see `reason`.",
		}),
		reason: z
			.enum(TOKENS_UNKNOWN)
			.nullable()
			.meta({
				description:
					"Why it is null. `tokens_not_read`: nobody has looked for tokens yet. `traits_not_read`, " +
					"`not_ranked`, `owners_not_walked`, `listings_not_read`: the filter or sort asks for " +
					"something that nobody has read of this collection; asking has its listings read.",
				examples: [null],
			}),
		page: pageSchema,
		bookReadAt: bookReadAtSchema,
		lastSalesFrom: field
			.time(
				"Since when sales were looked at for `lastSale`: a token may have been sold before. Null " +
					"where nothing is known of any time.",
			)
			.nullable(),
	})
	.meta({ id: "TokenPage", description: "A page of a collection's tokens." });

/** Describes one holder of a collection. */
export const holderSchema = z
	.object({
		address: field.address("Who holds them."),
		units: field.digits("Units held, of all token ids together.", "42"),
	})
	.meta({ id: "Holder", description: "One holder of a collection." });

/** Describes how many tokens have one value of one trait, and the price of the cheapest of them. */
export const traitCountSchema = z
	.object({
		type: field.text("The trait's name.", "Background"),
		value: field.text("One of its values.", "Dusk"),
		count: field.integer("Tokens that have it.", 311),
		floorNative: field
			.number("The best ask for one of them in ETH equivalents; null where none is known.", 1.4)
			.nullable(),
	})
	.meta({
		id: "TraitCount",
		description: "One value of one trait, with its tokens and its floor.",
	});
