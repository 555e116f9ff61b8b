// Makes a lab of lists, their routes, and a provider that a test fills in.

import { inProcessBus } from "#core/bus.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox } from "#core/outbox.ts";
import type { NewJob } from "#core/queue.ts";
import { createListSource } from "#plugins/market-index/discovery/createListSource.ts";
import { discoveryJob } from "#plugins/market-index/discovery/discoveryJob.ts";
import type { DiscoveryContext } from "#plugins/market-index/discovery/providerLists.ts";
import { createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	createMarketFixture,
	ethereum,
} from "#plugins/market-index/testing/marketFixture.ts";
import type {
	ProviderCollection,
	ProviderContract,
	ProviderStats,
} from "#plugins/provider/contract.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

/** Lists, the routes over them, and a provider that a test fills in. */
export function createDiscoveryLab(db: Database, chains: readonly Chain[] = [ethereum, base]) {
	const fixture = createMarketFixture(db, chains);
	const fake = createFakeProvider();
	const discovered: number[] = [];
	const queued: NewJob[] = [];
	let nowMs = fixture.core.clock.nowMs();
	const clock = { nowMs: () => nowMs };
	const context: DiscoveryContext = {
		core: {
			db,
			clock,
			log: silentLog,
			chains: fixture.core.chains,
			queue: { add: async (_tx, jobs) => void queued.push(...jobs) },
			outbox: createOutbox({ db, bus: inProcessBus(silentLog), clock }),
		},
		answered: chains,
		provider: fake.provider,
		prices: fixture.prices,
		discovered: async (ids) => void discovered.push(...ids),
	};
	/** Time passes where the worker waits. */
	const passes = async (ms: number) => {
		nowMs += ms;
	};
	return {
		fixture,
		fake,
		context,
		/** Jobs that were put in line. */
		queued,
		/** What was put in line to be synced. */
		discovered,
		/** The lists as pages see them. */
		lists: createListSource(context),
		/** Asks the routes; each lab has a page cache of its own. */
		ask: createAsk({ ...fixture, lists: createListSource(context) }),
		/** One tick of the worker. */
		tick: (of: readonly Chain[] = [ethereum]) =>
			discoveryJob({ ...context, answered: [...chains, ...of] }, of, passes).run({
				signal: new AbortController().signal,
			}),
		pass(ms: number) {
			nowMs += ms;
			fixture.setNow(nowMs);
		},
		async clear() {
			await db.execute(
				`truncate market_index.collection, market_index.sync, market_index.former_slug,
					market_index.discovery_list, market_index.event, market_index.rollup_minute,
					market_index.rollup_hour, market_index.rollup_day, market_index.floor_snapshot,
					core.stream_head, core.stream_frame restart identity cascade`,
			);
		},
	};
}

/** A row of the provider's lists. */
export function listedOf(slug: string, ...contracts: ProviderContract[]): ProviderCollection {
	return {
		slug,
		name: `Name of ${slug}`,
		description: null,
		imageUrl: `https://images.test/${slug}.png`,
		bannerImageUrl: null,
		projectUrl: null,
		isDisabled: false,
		safelistStatus: null,
		contracts,
		raw: { collection: slug, name: `Name of ${slug}`, contracts, odd: true },
	};
}

export function on(chain: Chain, address: Address): ProviderContract {
	return { chainId: chain.id, address };
}

export function statsOf(given: Partial<ProviderStats> = {}): ProviderStats {
	return {
		floor: { value: 0.5, symbol: "ETH" },
		owners: 12,
		volumeTotal: null,
		salesTotal: null,
		raw: { total: { floor_price: 0.5, floor_price_symbol: "ETH", num_owners: 12 } },
		...given,
	};
}
