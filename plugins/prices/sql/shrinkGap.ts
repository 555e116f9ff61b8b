import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Gap } from "#plugins/prices/sql/Gap.ts";

export type GapEnd = "more" | "done" | "given_up";

/**
 * Records how far a gap was read. A finished one is deleted; a given-up one stays, because how long
 * the round below it was valid is not known. Of history's beginning only the fact that it was read
 * is kept. Returns false where another process has read on meanwhile.
 */
export async function shrinkGap(
	tx: Tx,
	gap: Gap,
	{ above, asked, end }: { above: bigint; asked: number; end: GapEnd },
): Promise<boolean> {
	const place = [gap.feedChainId, bytesOf(gap.address), gap.below, gap.above];
	const here = "chain_id = $1 and feed = $2 and below = $3 and above = $4 and is_open";
	if (end === "done" && gap.below > 0n) {
		return (await tx.execute(`delete from prices.gap where ${here}`, place)) === 1;
	}
	const changed = await tx.execute(
		`update prices.gap set above = $5, rounds_asked = rounds_asked + $6, is_open = $7
		where ${here}`,
		[...place, above, asked, end === "more"],
	);
	return changed === 1;
}
