import type { Queryable } from "#core/db/Database.ts";
import type { SettledTrade, SettledTradesAsked } from "#plugins/trading/contract.ts";

type SettledRow = Omit<SettledTrade, "usdMicros"> & { usdMicros: string };

/**
 * Returns a page of swapped trades by the time of their request, the oldest first. Ids grow with
 * time, so the read follows the primary key and touches nothing outside of the window.
 */
export async function readSettledTrades(
	db: Queryable,
	{ fromMs, toMs, afterId, limit }: SettledTradesAsked,
): Promise<SettledTrade[]> {
	const rows = await db.query<SettledRow>(
		`select id, profile_id as "profileId", wallet_id as "walletId", intent_id as "intentId",
			created_at as "createdAt", terms ->> 'side' as side, terms ->> 'asset' as asset,
			notional_usd_micros::text as "usdMicros"
		from trading.trade
		where id > $1 and id < $2 and intent_id is not null and settled is not null
			and terms ->> 'kind' = 'swap' and notional_usd_micros > 0
			and (settled ->> 'receivedRaw')::numeric > 0
		order by id limit $3`,
		[afterId ?? lowestId(fromMs), lowestId(toMs), limit],
	);
	return rows.map((row) => ({ ...row, usdMicros: BigInt(row.usdMicros) }));
}

/** Returns the lowest id (UUID, version 7) of a millisecond. */
function lowestId(ms: number): string {
	const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0").slice(-12);
	return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
