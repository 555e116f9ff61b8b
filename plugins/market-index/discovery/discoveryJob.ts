import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { DiscoveryContext } from "#plugins/market-index/discovery/DiscoveryContext.ts";
import { LIST_MODES, type ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { fillStats } from "#plugins/market-index/discovery/fillStats.ts";
import {
	DISCOVER_EVERY_MS,
	DISCOVER_TIMEOUT_MS,
	FILLED_PER_TICK_MAX,
} from "#plugins/market-index/discovery/limits.ts";
import { readProviderList } from "#plugins/market-index/discovery/readProviderList.ts";
import { registerListed } from "#plugins/market-index/discovery/sql/registerListed.ts";
import { resolveListed } from "#plugins/market-index/discovery/sql/resolveListed.ts";
import { storeList } from "#plugins/market-index/discovery/sql/storeList.ts";
import { collectionJobs } from "#plugins/market-index/jobs/metadataJobs.ts";

/**
 * Reads the provider's lists each minute, so that no request has to: every listed contract is
 * registered, and the first rows without floor and owners are asked about.
 *
 * A list that fails leaves the one before, which is served for a quarter of an hour.
 */
export function discoveryJob(context: DiscoveryContext, chains: readonly Chain[]): Job {
	const { provider } = context;
	return {
		name: "market-index.discovery",
		schedule: { everyMs: DISCOVER_EVERY_MS },
		lock: "cluster",
		timeoutMs: DISCOVER_TIMEOUT_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			// All lists before all figures: a minute that runs short is short of figures.
			const lists: { chain: Chain; mode: ListMode }[] = [];
			for (const chain of chains) for (const mode of LIST_MODES) lists.push({ chain, mode });
			const read = await inTurn(context, lists, (list) => refresh(context, list, signal));
			await inTurn(context, read, (rows) =>
				fillStats(context, rows, { purpose: "background", signal, limit: FILLED_PER_TICK_MAX }),
			);
		},
	};
}

async function refresh(
	context: DiscoveryContext,
	{ chain, mode }: { chain: Chain; mode: ListMode },
	signal: AbortSignal,
) {
	const { core, provider } = context;
	const key = { chainId: chain.id, mode };
	const rows = await readProviderList(provider, key, { purpose: "background", signal });
	const fresh = await registerListed(core.db, chain.id, rows);
	await core.db.transaction((tx) =>
		core.queue.add(tx, collectionJobs(fresh.map((id) => ({ id })))),
	);
	const refreshedAtMs = core.clock.nowMs();
	await storeList(core.db, { ...key, by: "worker" }, { rows, refreshedAtMs });
	const resolved = await resolveListed(core.db, rows);
	await context.discovered(resolved.flatMap(({ own }) => (own && !own.excluded ? own.id : [])));
	// A slug of several contracts tells the figures of none of them.
	return resolved.flatMap(({ own, listed }) =>
		own && !own.excluded && !listed.isShared ? { id: own.id, slug: listed.slug } : [],
	);
}

/** One after the other; a limit ends the run, another fault of the provider's its own part. */
async function inTurn<Item, Made>(
	{ core }: DiscoveryContext,
	items: readonly Item[],
	run: (item: Item) => Promise<Made>,
): Promise<Made[]> {
	const made: Made[] = [];
	for (const item of items) {
		try {
			made.push(await run(item));
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			core.log.warn("the provider's lists were not read to the end", { code: error.code });
			if (error.code === "rate_limited") break;
		}
	}
	return made;
}
