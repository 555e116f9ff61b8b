import type { DiscoveryContext } from "#plugins/market-index/discovery/DiscoveryContext.ts";
import { STATS_KEPT_MS } from "#plugins/market-index/discovery/limits.ts";
import type { NamedRow } from "#plugins/market-index/discovery/sql/namedRows.ts";
import { unfilled } from "#plugins/market-index/discovery/sql/unfilled.ts";
import { storeStats } from "#plugins/market-index/discovery/storeStats.ts";
import type { ProviderCallOptions } from "#plugins/provider/contract.ts";

/**
 * Reads floor and owners of the first rows that lack them, at most `limit`, and returns how many
 * were read. Throws what the provider throws; what was learned before that is stored.
 */
export async function fillStats(
	context: Omit<DiscoveryContext, "discovered">,
	rows: readonly NamedRow[],
	options: ProviderCallOptions & { limit: number },
): Promise<number> {
	const { core, provider, prices } = context;
	const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
	const empty = await unfilled(core.db, {
		collectionIds: [...slugs.keys()],
		askedBefore: new Date(core.clock.nowMs() - STATS_KEPT_MS),
		limit: options.limit,
	});
	const { purpose, signal } = options;
	const asked = empty.map(async (collection) => {
		const slug = slugs.get(collection.id);
		const chain = core.chains.byId(collection.chainId);
		if (slug === undefined || !chain) return;
		const askedAtMs = core.clock.nowMs();
		const stats = await provider.stats(slug, { purpose, signal });
		const storing = { outbox: core.outbox, prices, nowMs: core.clock.nowMs(), askedAtMs };
		await core.db.transaction((tx) => storeStats(tx, storing, { chain, collection, stats }));
	});
	const ends = await Promise.allSettled(asked);
	for (const end of ends) if (end.status === "rejected") throw end.reason;
	return empty.length;
}
