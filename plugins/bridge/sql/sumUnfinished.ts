// Sums what a profile's bridges carry that are not at their end.

import type { Queryable } from "#core/db/Database.ts";

/** What unfinished bridges of one origin currency carry together. */
export type UnfinishedSum = {
	chain: string;
	symbol: string;
	decimals: number;
	raw: bigint;
	count: number;
};

/**
 * Sums what a profile's bridges carry whose money has left its wallet, or may have, and is not at
 * its end. By `bridge_of_profile`.
 */
export async function sumUnfinished(db: Queryable, profileId: string): Promise<UnfinishedSum[]> {
	const rows = await db.query<Omit<UnfinishedSum, "raw"> & { raw: string }>(
		`select max(route->'origin'->>'chain') as chain, max(route->'origin'->>'symbol') as symbol,
			max((route->'origin'->>'decimals')::int4) as decimals, count(*)::int4 as count,
			sum((route->>'amountRaw')::numeric)::text as raw
		from bridge.bridge where profile_id = $1 and route is not null
			and (status in ('executing', 'pending', 'uncertain', 'timed_out')
				or (status = 'failure' and deposited_at is not null))
		group by route->'origin'->>'chainId', route->'origin'->>'currency'
		order by count(*) desc, max(route->'origin'->>'symbol')`,
		[profileId],
	);
	return rows.map((row) => ({ ...row, raw: BigInt(row.raw) }));
}
