// Stores which rounds of a feed were not read yet.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { FeedRef } from "#plugins/prices/sql/rounds.ts";

/** Rounds that were not read yet, both ends excluded; `below` 0 is the beginning. */
export type Gap = FeedRef & { below: bigint; above: bigint; roundsAsked: number };

export type GapEnd = "more" | "done" | "given_up";

/** Stores rounds that are to be read. */
export async function openGap(tx: Tx, gap: Omit<Gap, "roundsAsked">): Promise<void> {
	await tx.execute(
		`insert into prices.gap (chain_id, feed, below, above) values ($1, $2, $3, $4)
		on conflict (chain_id, feed, below) do nothing`,
		[gap.feedChainId, bytesOf(gap.address), gap.below, gap.above],
	);
}

/** Returns the gaps to be read, those between known rounds before history. They are few. */
export async function readOpenGaps(db: Queryable): Promise<Gap[]> {
	const rows = await db.query<{
		feedChainId: number;
		address: Address;
		below: string;
		above: string;
		roundsAsked: number;
	}>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, below, above,
			rounds_asked as "roundsAsked"
		from prices.gap where is_open order by below = 0, rounds_asked, above desc limit 1000`,
	);
	return rows.map((row) => ({ ...row, below: BigInt(row.below), above: BigInt(row.above) }));
}

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
