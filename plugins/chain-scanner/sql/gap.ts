import type { Queryable, Tx } from "#core/db/Database.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { BlockRange } from "#plugins/chain-scanner/lane/LaneSource.ts";

/** A span that a lane left out, and that backfill owes. */
export type Gap = { id: number; lane: LaneKind; from: number; to: number };

export type GapReason = "restart_behind" | "range_refused";

export async function insertGap(
	tx: Tx,
	gap: { chainId: number; lane: LaneKind; range: BlockRange; reason: GapReason },
): Promise<void> {
	const { chainId, lane, range, reason } = gap;
	await tx.execute(
		`insert into chain_scanner.gap (chain_id, lane, from_block, to_block, reason)
		values ($1, $2, $3, $4, $5)`,
		[chainId, lane, range.from, range.to, reason],
	);
}

/** The newest gap of a chain, by the index `gap_newest`. */
export async function newestGap(
	db: Queryable,
	chainId: number,
	lane: LaneKind,
): Promise<Gap | null> {
	const rows = await db.query<Gap>(
		`select id, lane, from_block as "from", to_block as "to"
		from chain_scanner.gap where chain_id = $1 and lane = $2
		order by to_block desc limit 1`,
		[chainId, lane],
	);
	return rows[0] ?? null;
}

/** Takes `[from, gap.to]` off the top of a gap; false when it no longer ends where it did. */
export async function shrinkGap(tx: Tx, gap: Gap, from: number): Promise<boolean> {
	const touched =
		from <= gap.from
			? await tx.execute("delete from chain_scanner.gap where id = $1 and to_block = $2", [
					gap.id,
					gap.to,
				])
			: await tx.execute(
					"update chain_scanner.gap set to_block = $3 where id = $1 and to_block = $2",
					[gap.id, gap.to, from - 1],
				);
	return touched === 1;
}
