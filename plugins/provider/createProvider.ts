import { createHash } from "node:crypto";
import type { Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time.ts";
import { collectionMethods } from "#plugins/provider/client/collectionMethods.ts";
import { createClient } from "#plugins/provider/client/createClient.ts";
import { createReader } from "#plugins/provider/client/createReader.ts";
import { orderMethods, tokenMethods, tradeMethods } from "#plugins/provider/client/orders.ts";
import type { Provider, ProviderStream } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";
import { createBlocks, createPacer } from "#plugins/provider/pace/createPacer.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";

/** The stream where there is none: nothing is ever pushed, and nothing can be missed. */
export const offStream: ProviderStream = {
	state: () => "off",
	follow() {},
	onPushes() {},
	onGap() {},
};

/**
 * The provider of a deployment without one. It is registered all the same, so that plugins which
 * need one can start and ask `isOn`, which costs nothing.
 */
export const offProvider: Provider = {
	id: PROVIDER_ID,
	isOn: false,
	isConnected: () => null,
	stream: offStream,
	newest: off,
	trending: off,
	top: off,
	search: off,
	slugOf: off,
	collection: off,
	stats: off,
	traits: off,
	traitFloors: off,
	events: off,
	listings: off,
	bestListings: off,
	bestListing: off,
	offers: off,
	order: off,
	nft: off,
	nfts: off,
	drops: off,
	drop: off,
	listingFulfilment: off,
};

/** Makes the marketplace provider over HTTP. It makes no call until it is asked. */
export function createProvider(options: {
	core: Pick<Core, "budget" | "chains" | "clock" | "log" | "metrics">;
	baseUrl: string;
	apiKey?: string | undefined;
	stream: ProviderStream;
	/** Aborts when the service ends: waiting calls and those under way end with it. */
	ending?: AbortSignal;
	fetch?: typeof fetch;
	wait?: typeof sleep;
	timeoutMs?: number;
}): Provider {
	const { core, baseUrl, apiKey, stream, wait = sleep } = options;
	const { budget, clock } = core;
	const blocks = createBlocks(clock);
	const pacer = createPacer({ budgetName: nameOf(baseUrl, apiKey), budget, blocks, clock, wait });
	const client = createClient({ ...options, ...core, pacer, blocks });
	const reader = createReader(client);
	const chains = createChainNames(core.chains);
	return {
		id: PROVIDER_ID,
		isOn: true,
		isConnected: client.isConnected,
		stream,
		...collectionMethods(reader, chains),
		...orderMethods(reader, chains),
		...tokenMethods(reader, chains),
		...tradeMethods(reader, chains),
	};
}

/** Names the budget of a key at a URL; the key cannot be read from it. */
function nameOf(baseUrl: string, apiKey = ""): string {
	const hash = createHash("sha256").update(`${baseUrl}\n${apiKey}`).digest("hex");
	return `provider:${hash.slice(0, 16)}`;
}

async function off(): Promise<never> {
	throw providerFault.off();
}
