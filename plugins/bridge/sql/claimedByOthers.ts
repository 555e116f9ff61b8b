import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/**
 * Returns how much of what a transaction paid was counted for other bridges: the least that each of
 * those was promised, in base units. By `bridge_arrival`; who asks for the same hash waits until
 * the transaction ends.
 */
export async function claimedByOthers(
	tx: Tx,
	{ id, outHash }: { id: string; outHash: Hex },
): Promise<bigint> {
	await tx.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [outHash]);
	const [row] = await tx.query<{ raw: string }>(
		`select coalesce(sum(q.minimum_out_raw), 0)::text as raw
		from bridge.bridge b join bridge.quote q on q.bridge_id = b.id and q.seq = b.quote_seq
		where b.out_hash = $2 and b.id <> $1 and b.status = 'success'
			and exists (select from bridge.bridge own where own.id = $1
				and own.route->>'recipient' = b.route->>'recipient'
				and own.route->'destination' = b.route->'destination')`,
		[id, bytesOf(outHash)],
	);
	return BigInt(row?.raw ?? 0);
}
