import { createHash } from "node:crypto";
import type { Core } from "#core/plugin/Core.ts";
import { sleep } from "#core/time/sleep.ts";
import { createClient } from "#plugins/provider/client/createClient.ts";
import { createReader } from "#plugins/provider/client/createReader.ts";
import type { Provider, ProviderStream } from "#plugins/provider/contract.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";
import { collectionMethods } from "#plugins/provider/methods/collectionMethods.ts";
import { orderMethods } from "#plugins/provider/methods/orderMethods.ts";
import { tokenMethods } from "#plugins/provider/methods/tokenMethods.ts";
import { tradeMethods } from "#plugins/provider/methods/tradeMethods.ts";
import { createBlocks } from "#plugins/provider/pace/createBlocks.ts";
import { createPacer } from "#plugins/provider/pace/createPacer.ts";
import { createChainNames } from "#plugins/provider/wire/createChainNames.ts";

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
