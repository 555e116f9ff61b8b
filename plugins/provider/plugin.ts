import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { ProviderKey } from "#plugins/provider/contract.ts";
import { offProvider } from "#plugins/provider/offProvider.ts";

const config = z.object({
	PROVIDER_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.optional()
		.meta({ expects: "an http or https URL" })
		.describe(
			"Where the marketplace provider (OpenSea API v2) is. Unset: https://api.opensea.io where " +
				"there is a key, otherwise there is no provider.",
		),
	PROVIDER_API_KEY: z
		.string()
		.trim()
		.min(1)
		.max(512)
		.optional()
		.meta({ secret: true })
		.describe("The provider's key. It is sent to PROVIDER_BASE_URL and PROVIDER_STREAM_URL only."),
	PROVIDER_STREAM_URL: z
		.url({ protocol: /^wss?$/ })
		.optional()
		.meta({ expects: "a ws or wss URL" })
		.describe("Where the provider's stream is. Unset: OpenSea's, unless PROVIDER_BASE_URL is set."),
	PROVIDER_STREAM_ENABLED: z
		.boolean()
		.default(false)
		.describe("Listen to the provider's stream for the collections that are followed."),
});

/** The marketplace provider: what is for sale, and what things are called. */
export const providerPlugin = definePlugin({
	name: "provider",
	version: "1",
	config,
	needs: {},
	offers: ProviderKey,
	setup() {
		return { service: offProvider };
	},
});
