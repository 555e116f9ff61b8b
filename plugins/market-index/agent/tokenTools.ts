// Makes the agent's tool about one token: its rank, owner, traits, listing and last sale.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";
import {
	collectionInput,
	collectionRef,
	createCollectionTool,
	type ToolDeps,
} from "#plugins/market-index/agent/createCollectionTool.ts";
import {
	addressText,
	countText,
	ethText,
	oldestMs,
	shortText,
	timeText,
	tokenText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";
import { soldAs } from "#plugins/market-index/agent/tradeTools.ts";
import { readAsset } from "#plugins/market-index/read/collectionDetail.ts";
import { readTokenSale } from "#plugins/market-index/read/eventPages.ts";
import { answerOrders } from "#plugins/market-index/routes/book.ts";
import { tokenIdParam } from "#plugins/market-index/routes/params.ts";
import { bookReadAtSchema, orderSchema } from "#plugins/market-index/schemas/book.ts";
import { salePointSchema } from "#plugins/market-index/schemas/lists.ts";
import { assetSchema } from "#plugins/market-index/schemas/tokens.ts";

/** Lists what may be asked of a token; the answer comes first in the line. */
export const TOKEN_ASKS = ["rank", "listing", "sale"] as const;

/**
 * Limits the listings of one token that are read: private ones may be cheaper than the first public
 * one.
 */
const LISTINGS_READ = 20;

const listingSchema = orderSchema.pick({
	orderHash: true,
	maker: true,
	priceNative: true,
	priceUsd: true,
	amountRaw: true,
	settlementCurrency: true,
	expiresAt: true,
	seenAt: true,
});

const lastSaleSchema = salePointSchema.pick(soldAs);

const tokenOutput = z.object({
	collection: collectionRef,
	token: assetSchema.pick({
		tokenId: true,
		standard: true,
		name: true,
		imageUrl: true,
		traits: true,
		rank: true,
		source: true,
		fetchedAt: true,
		owner: true,
	}),
	listing: listingSchema.nullable().meta({
		description: "Its cheapest listing that anybody may fill; null: none is known.",
	}),
	bookReadAt: bookReadAtSchema,
	lastSale: lastSaleSchema.nullable().meta({
		description: "Its last accepted sale; null: none is known since `salesFrom`.",
	}),
	salesFrom: field
		.time("Since when its sales were searched without a gap; null: that is not known.")
		.nullable(),
	about: z.enum(TOKEN_ASKS).meta({ description: "What was asked for." }),
});

type TokenAnswer = z.output<typeof tokenOutput>;

/** Returns the tool about one token. */
export function tokenTools(deps: ToolDeps): AnyTool[] {
	return [token(deps)];
}

function token(deps: ToolDeps) {
	return createCollectionTool(deps, {
		name: "read_token",
		title: "One token",
		description:
			"Shows one token of a collection: its name, OpenRarity rank (1 the rarest), traits, owner, " +
			"cheapest listing and last sale. Null is not known; ranks are null before the reveal.",
		input: collectionInput.extend({
			token: tokenIdParam,
			about: z
				.enum(TOKEN_ASKS)
				.default("rank")
				.meta({ description: "What the line begins with; the answer has all." }),
		}),
		output: tokenOutput,
		async read(found, { token, about }) {
			const book = {
				...({ slug: found.address, kinds: ["listing"], order: "asc" } as const),
				query: { chain: found.chain, tokenId: token, limit: LISTINGS_READ },
			};
			const [asset, listings, { sale, searchedFrom }] = await Promise.all([
				readAsset(deps.core, found, BigInt(token)),
				answerOrders(deps, book),
				readTokenSale(deps, found, token),
			]);
			const listing = listings.data?.find(({ isPrivate }) => !isPrivate) ?? null;
			const { chain, contractAddress } = asset;
			const { slug, name } = asset.collection;
			return {
				collection: { slug, chain, contractAddress, name },
				token: tokenOutput.shape.token.parse(asset),
				listing: listing && listingSchema.parse(listing),
				bookReadAt: listings.bookReadAt,
				lastSale: sale && lastSaleSchema.parse(sale),
				salesFrom: searchedFrom,
				about,
			};
		},
		// Most names repeat the collection's, which comes before it.
		parts: (output) => {
			const said = saidOf(output);
			const order = [output.about, ...TOKEN_ASKS.filter((one) => one !== output.about)];
			const [first, ...others] = order.map((one) => said[one]);
			const { owner } = output.token;
			const traits = output.token.traits ?? [];
			return [
				`${tokenText(output.token.tokenId)} ${first}`,
				`owner ${owner === null ? "not known" : addressText(owner)}`,
				...others,
				...traits.map((one) => `${shortText(one.trait_type)}: ${shortText(one.value)}`),
			];
		},
		asOfMs: ({ token, bookReadAt, about }) =>
			oldestMs([about === "listing" ? bookReadAt : token.fetchedAt]),
	});
}

/** Returns what a line says of a token, for each thing that may be asked. */
function saidOf(output: TokenAnswer): Record<(typeof TOKEN_ASKS)[number], string> {
	const { token, listing, bookReadAt, lastSale, salesFrom } = output;
	const unlisted = bookReadAt === null ? "listing not known" : "not listed";
	const since = salesFrom === null ? "" : ` since ${timeText(salesFrom)}`;
	return {
		rank: `rank ${countText(token.rank)}`,
		listing:
			listing === null
				? unlisted
				: `listed ${ethText(listing.priceNative)}${usdText(listing.priceUsd)}`,
		sale:
			lastSale === null
				? `no sale known${since}`
				: `last sold ${ethText(lastSale.priceNative)} ${timeText(lastSale.occurredAt)}`,
	};
}
