import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Gap } from "#plugins/prices/sql/Gap.ts";

/** Stores rounds that are to be read. */
export async function openGap(tx: Tx, gap: Omit<Gap, "roundsAsked">): Promise<void> {
	await tx.execute(
		`insert into prices.gap (chain_id, feed, below, above) values ($1, $2, $3, $4)
		on conflict (chain_id, feed, below) do nothing`,
		[gap.feedChainId, bytesOf(gap.address), gap.below, gap.above],
	);
}
