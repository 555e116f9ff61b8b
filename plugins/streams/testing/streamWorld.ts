import { type Bus, inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { systemClock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { privateNetworks } from "#core/http/clients.ts";
import { createHttpApp } from "#core/http/createHttpApp.ts";
import { listenHttp } from "#core/http/listenHttp.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOutbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { CallerOf } from "#core/plugin/Plugin.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { streamsPlugin } from "#plugins/streams/plugin.ts";

const fault = defineFaults({
	notFound: { status: 404, retry: "never", public: "No such collection." },
});

/**
 * Opens the plugin behind the real HTTP app, on a real port and a real database; only the index is
 * fake.
 */
export async function streamWorld(
	db: Database,
	options: {
		connectionsPerClientMax?: number;
		bus?: Bus;
		trustedProxyHops?: number;
		/** Who is signed in by which credentials; nobody where it is left out. */
		callerOf?: CallerOf;
	} = {},
) {
	const log = silentLog;
	// Moved by `moveClock` only: on a busy machine pings would come between a test's frames.
	let nowMs = systemClock.nowMs();
	const clock = { nowMs: () => nowMs };
	const metrics = createMetrics();
	const bus = options.bus ?? inProcessBus(log);
	const outbox = createOutbox({ db, bus, clock });
	const chains = createChainRegistry(builtinChains);
	const finds: string[] = [];
	const find: MarketIndex["find"] = async (slug, chain) => {
		finds.push(slug);
		if (!slug.startsWith("c-")) throw fault.notFound();
		// Every slug is its own collection, so that tests share a database and no topic.
		const address = `0x${Buffer.from(slug).toString("hex").padStart(40, "0").slice(-40)}` as const;
		return { id: 1, chain: chain ?? "base", address, slug };
	};
	const touches: [number, string][] = [];
	const touch: MarketIndex["touch"] = (id, reason) => void touches.push([id, reason]);
	const indexed = ["base", "ethereum"].map((slug) => ({ chain: chains.bySlug(slug) }));
	const core = { clock, log, db, bus, outbox, metrics, chains, indexed } as unknown as Core;
	const parts = await streamsPlugin.setup({
		config: { STREAM_CONNECTIONS_PER_CLIENT_MAX: options.connectionsPerClientMax ?? 50 },
		needs: { market: { find, touch } as MarketIndex },
		core,
		contributions: () => [],
		collected: () => ({
			...nothingCollected(),
			...(options.callerOf && { callerOf: options.callerOf }),
		}),
	});
	const app = createHttpApp({
		log,
		clock,
		metrics,
		limiter: createMemoryLimiter({ requestsMax: 100_000, windowSeconds: 60 }),
		allowedOrigins: ["https://app.example"],
		trustedProxyHops: options.trustedProxyHops ?? 0,
		trustedProxies: privateNetworks,
		sandbox: false,
		version: "0",
		health: async () => ({ status: "ok" }),
		ready: async () => ({ ready: true, components: [], degraded: [] }),
		routes: parts.routes ? [parts.routes] : [],
	});
	const listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log });
	await parts.start?.(new AbortController().signal);
	return {
		outbox,
		bus,
		finds,
		touches,
		/** Commits frames to a topic, as the index would. */
		commit: (topic: string, datas: readonly unknown[]) =>
			db.transaction(async (tx) => {
				outbox.append(
					tx,
					topic,
					datas.map((data) => ({ type: "market_event", data })),
				);
			}),
		moveClock: (ms: number) => {
			nowMs += ms;
		},
		scrape: async () => (await metrics.expose()).body,
		parts,
		root: listener.url,
		url: `${listener.url}/v1/nft-market`,
		async close() {
			await parts.stop?.();
			await listener.stop();
		},
	};
}
