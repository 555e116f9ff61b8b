import type { Database } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/takeBack.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { lockChain } from "#plugins/chain-scanner/sql/lockChain.ts";

/**
 * Removes a lane's unconfirmed early rows, as if their block had left the chain; false where there
 * are none. Other lanes that have the block read it again.
 */
export async function takeBackEarly(
	of: { chainId: number; lane: LaneKind; db: Database; sinks: readonly EventSink[] },
	lease: Lease,
): Promise<boolean> {
	const { chainId, lane, db, sinks } = of;
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		const cursor = await readCursor(tx, chainId, lane);
		if (!cursor?.early) return false;
		const { blockNumber: number, blockHash: hash } = cursor;
		const above = { number, hash, parentHash: null, settled: false };
		await takeBack(tx, { chainId, above, sinks });
		return true;
	});
}
