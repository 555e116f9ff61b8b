import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import {
	type ProviderFulfilment,
	ProviderKey,
	type ProviderOrder,
} from "#plugins/provider/contract.ts";
import { bigintJson } from "#test/e2e/kills/bigintJson.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

/** One listing and how to fill it, as the test's own server answers. */
export type StandInBook = { listing: ProviderOrder; fulfilment: ProviderFulfilment };

/** The marketplace provider with what a lane has for sale, read over HTTP. */
export const providerStandIn = definePlugin({
	name: "provider-stand-in",
	version: "1",
	config: z.object({ STAND_IN_BOOK_URL: z.url().describe("Where the listings are.") }),
	needs: {},
	offers: ProviderKey,
	setup({ config }) {
		const { provider, answers } = createFakeProvider();
		const book = async (about: bigint | string) => {
			const url = new URL(config.STAND_IN_BOOK_URL);
			url.searchParams.set("about", String(about));
			const response = await fetch(url);
			return bigintJson.read(await response.text()) as StandInBook;
		};
		answers.slugOf = async () => "cats";
		answers.bestListing = async (_slug, tokenId) => (await book(tokenId)).listing;
		answers.order = async ({ orderHash }) => (await book(orderHash)).listing;
		answers.listingFulfilment = async ({ orderHash }) => (await book(orderHash)).fulfilment;
		return { service: provider };
	},
});
