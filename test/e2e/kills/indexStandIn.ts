import { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/faults.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import {
	type MarketIndex,
	MarketIndexKey,
	type TokenListing,
} from "#plugins/market-index/contract.ts";
import { bigintJson } from "#test/e2e/kills/bigintJson.ts";
import type { StandInBook } from "#test/e2e/kills/providerStandIn.ts";

/**
 * A stand-in of the index that knows no collection by name: here buys are asked for by contract.
 * With a book configured, each contract is a collection, and its listings are for sale.
 */
export const indexStandIn = definePlugin({
	name: "index-stand-in",
	version: "1",
	config: z.object({
		STAND_IN_INDEX_URL: z.url().optional().describe("Where the listings are."),
		STAND_IN_CHAIN: z.string().default("anvil").describe("The chain of each collection."),
	}),
	needs: {},
	offers: MarketIndexKey,
	setup({ config: { STAND_IN_INDEX_URL: url, STAND_IN_CHAIN: chain } }) {
		const market = {
			async find(slug: string) {
				if (url === undefined || !slug.startsWith("0x")) throw httpFault.notFound();
				return { id: 1, chain, address: slug, slug: "cats" };
			},
			touch() {},
			reveals: { subjects: async () => [] },
			book: {
				listings: async () => (url === undefined ? [] : await listingsAt(url)),
				watch: async () => {},
				follow: async () => {},
				readAt: async () => null,
				traitValues: async () => [],
				floor: async () => null,
				normaliseTrait: (text: string) => text,
			},
		};
		return { service: market as unknown as MarketIndex };
	},
});

async function listingsAt(url: string): Promise<TokenListing[]> {
	const books = bigintJson.read(await (await fetch(url)).text()) as StandInBook[];
	return books.map(({ listing: { orderHash, maker, quantity, totalRaw, tokenId } }) => ({
		...{ tokenId: String(tokenId), rank: 1, traits: [], orderHash, maker, quantity },
		...{ currency: ZERO_ADDRESS, symbol: "ETH", totalRaw },
	}));
}
