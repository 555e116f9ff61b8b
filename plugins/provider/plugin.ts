// Wires the provider: its settings, its HTTP client, and its stream.

import { join } from "node:path";
import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { conformanceCommand } from "#plugins/provider/conformanceCommand.ts";
import {
	ProviderKey,
	type ProviderStream,
	type ProviderStreamState,
} from "#plugins/provider/contract.ts";
import { createProvider, offProvider, offStream } from "#plugins/provider/createProvider.ts";
import { PROVIDER_BASE_URL_DEFAULT, STREAM_URL_DEFAULT } from "#plugins/provider/limits.ts";
import {
	createProviderStream,
	startProviderStream,
} from "#plugins/provider/stream/createProviderStream.ts";
import {
	createStreamStatus,
	followStreamStatus,
	type StreamStatus,
} from "#plugins/provider/stream/keepSocket.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";

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
		.regex(/^[\x21-\x7e]{1,512}$/)
		.optional()
		.meta({ secret: true, expects: "a key without blanks" })
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

/** Offers the marketplace provider: its collections, orders, events and tokens. */
export const providerPlugin = definePlugin({
	name: "provider",
	version: "1",
	config,
	needs: {},
	offers: ProviderKey,
	tables: { schema: "provider", folder: join(import.meta.dir, "migrations") },
	cli: [conformanceCommand],
	setup({ config, core }) {
		const baseUrl = baseUrlOf(config.PROVIDER_BASE_URL, config.PROVIDER_API_KEY);
		if (baseUrl === null) return { service: offProvider };
		const apiKey = config.PROVIDER_API_KEY;
		const url = config.PROVIDER_STREAM_ENABLED
			? streamUrlOf(config.PROVIDER_STREAM_URL, baseUrl)
			: null;
		const stream =
			url === null
				? null
				: createProviderStream({
						...core,
						chains: createChainNames(core.chains),
						url,
						token: apiKey ?? null,
					});
		const status = createStreamStatus(core.db);
		const ending = new AbortController();
		const { signal } = ending;
		let listening = Promise.resolve();
		return {
			service: createProvider({
				core,
				baseUrl,
				apiKey,
				stream: stream === null ? offStream : { ...stream, state: () => stateOf(stream, status) },
				ending: signal,
			}),
			start() {
				if (stream === null) return;
				const { leases, log } = core;
				listening =
					core.role === "api"
						? followStreamStatus({ status, signal })
						: startProviderStream({ stream, leases, status, log, signal });
			},
			async stop() {
				ending.abort();
				await listening;
			},
		};
	},
});

/**
 * Returns this process's own view of the stream; else the state reported by the listening process.
 */
function stateOf(stream: ProviderStream, status: StreamStatus): ProviderStreamState {
	const own = stream.state();
	return own === "off" ? status.state() : own;
}

/** Returns the base URL; null for no provider. A key alone means the provider's own API. */
function baseUrlOf(url: string | undefined, apiKey: string | undefined): string | null {
	return url ?? (apiKey === undefined ? null : PROVIDER_BASE_URL_DEFAULT);
}

/**
 * Returns the stream's URL. The provider's own stream belongs to its own API: a key for another
 * host is not sent there.
 */
function streamUrlOf(url: string | undefined, baseUrl: string): string | null {
	const isOwn = new URL(baseUrl).origin === PROVIDER_BASE_URL_DEFAULT;
	return url ?? (isOwn ? STREAM_URL_DEFAULT : null);
}
