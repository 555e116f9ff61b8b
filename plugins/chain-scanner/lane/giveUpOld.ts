import { type Lease, requireLease } from "#core/lease/leases.ts";
import type { BackfillOptions } from "#plugins/chain-scanner/lane/BackfillOptions.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";
import { lockChain } from "#plugins/chain-scanner/sql/lockChain.ts";
import { findOldOwed, giveUpGaps } from "#plugins/chain-scanner/sql/oldGaps.ts";

export type GiveUpOptions = Pick<
	BackfillOptions,
	"chainId" | "db" | "log" | "lagBlocksMax" | "onGivenUp"
> & { source: Pick<LaneSource, "kind"> };

/**
 * Gives up blocks that are further below the index's newest block than backfill goes, and logs
 * which. A lane's own head is not used: a node that announces a block of the far future must not
 * make us forget what we owe.
 *
 * The transfer lane's owed blocks are never given up: owners are right only if no move is left out.
 */
export async function giveUpOld(options: GiveUpOptions, lease: Lease): Promise<void> {
	const { chainId, db, log, lagBlocksMax, onGivenUp, source } = options;
	const lane = source.kind;
	if (lagBlocksMax === undefined || lane === "transfer") return;
	const below = await findOldOwed(db, { chainId, lane, lagBlocksMax });
	if (below === null) return;
	const gone = await db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		return giveUpGaps(tx, { chainId, lane, below });
	});
	for (const { from, to, reason } of gone) {
		const advice = `svc backfill --from ${from} --to ${to} reads them all the same`;
		log.warn("blocks are too old to be read; given up", { lane, from, to, reason, advice });
		onGivenUp?.({ lane, blocks: to - from + 1 });
	}
}
