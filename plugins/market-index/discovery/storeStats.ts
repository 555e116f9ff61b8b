import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { Unfilled } from "#plugins/market-index/discovery/sql/unfilled.ts";
import { salesOfDay } from "#plugins/market-index/figures/salesOfDay.ts";
import { decideFloor } from "#plugins/market-index/floor/decideFloor.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { statsFloorNative } from "#plugins/market-index/floor/statsFloorNative.ts";
import { storablePayload } from "#plugins/market-index/payload/storablePayload.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderStats } from "#plugins/provider/contract.ts";

const OWNERS_MAX = 2_147_483_647;

/**
 * Stores floor and owners from the provider's stats; a missing figure keeps its old value, and so
 * does one that was learned by a later call.
 */
export async function storeStats(
	tx: Tx,
	context: { outbox: Pick<Outbox, "append">; prices: Prices; nowMs: number; askedAtMs: number },
	{ chain, collection, stats }: { chain: Chain; collection: Unfilled; stats: ProviderStats | null },
): Promise<void> {
	const { prices, nowMs, askedAtMs } = context;
	const owners = stats?.owners ?? 0;
	const raw = stats && storablePayload(stats.raw);
	const stored = await tx.execute(
		`update market_index.collection set
			provider_stats = coalesce($2::jsonb, provider_stats), provider_stats_at = $3,
			provider_owners = coalesce($4, provider_owners),
			provider_owners_at = case when $4::int4 is null then provider_owners_at else $3 end,
			provider_sales_day = case when $2::jsonb is null then provider_sales_day else $6 end
		where id = $1 and not coalesce(provider_stats_at > $5 and provider_stats_at <= $3, false)`,
		[
			collection.id,
			raw && JSON.stringify(raw),
			new Date(nowMs),
			owners > 0 && owners <= OWNERS_MAX ? owners : null,
			new Date(askedAtMs),
			salesOfDay(stats?.raw),
		],
	);
	if (stored === 0 || !stats?.floor) return;
	const reading = decideFloor({
		stats: stats.floor,
		statsNative: statsFloorNative(stats.floor, { chainId: chain.id, prices, nowMs }),
		best: null,
		isEmptyBook: false,
	});
	await setFloor(tx, { ...context, chain, collection, reading });
}
