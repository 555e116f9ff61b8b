import { Elysia } from "elysia";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Database } from "#core/db/Database.ts";
import { LIST_KEPT_MS } from "#plugins/market-index/discovery/limits.ts";
import { readList } from "#plugins/market-index/discovery/sql/readList.ts";
import { createFinder } from "#plugins/market-index/read/createFinder.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { fakePrices } from "#test/harness/fakePrices.ts";

/** A page cache that builds the page for every call, so that the reading is measured. */
const noPageCache: IndexReads["pageCache"] = {
	get: async (_key, rebuild) => ({ outcome: "miss", body: await rebuild() }),
	clear() {},
};

/**
 * Makes the market's routes over a database at a fixed moment, without a page cache and without a
 * socket: routing, checking, reading and rendering are included, and the network's own time is not.
 * A socket would add the same to both sizes and so make their ratio look better.
 */
export function createReads(
	db: Database,
	options: { nowMs: number; chainIds: readonly number[] },
): (path: string) => Promise<string> {
	const chains = createChainRegistry(builtinChains);
	const indexed = options.chainIds.flatMap((id) => {
		const chain = chains.byId(id);
		return chain ? [{ chain }] : [];
	});
	const clock = { nowMs: () => options.nowMs };
	const core: IndexReads = { db, clock, chains, indexed, pageCache: noPageCache };
	const covered = { coveredFromMs: 0, coveredUntilMs: options.nowMs, owes: false };
	const level = { headBlock: 1, indexedBlock: 1, indexedAtMs: options.nowMs, ...covered };
	const scanner: Parameters<typeof marketRoutes>[0]["scanner"] = {
		progress: async (chainId, lane) => ({ ...level, chainId, lane }),
	};
	const app = new Elysia().use(
		marketRoutes({
			core,
			scanner,
			index: { find: createFinder(core), touch() {} },
			resync: async () => null,
			providerHealth: () => ({ isOn: false, isConnected: null, stream: "off" }),
			prices: fakePrices(),
			lists: {
				async listFor({ chain, mode }) {
					const key = { chainId: chain.id, mode, by: "worker" } as const;
					const kept = { nowMs: options.nowMs, maxAgeMs: LIST_KEPT_MS };
					const list = await readList(db, key, kept);
					return list && { ...list, isWarm: true };
				},
				complete: async () => {},
				search: async () => [],
				found: async () => {},
			},
			gasPrice: async () => null,
		}),
	);
	return async (path) => {
		const response = await app.handle(new Request(`http://localhost/v1/nft-market${path}`));
		const body = await response.text();
		if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
		return body;
	};
}
