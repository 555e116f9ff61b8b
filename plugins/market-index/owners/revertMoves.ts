import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import { positionOf } from "#plugins/market-index/event/positionOf.ts";
import { createSpanMap, type SpanChanges } from "#plugins/market-index/owners/createSpanMap.ts";
import type { OwnedBefore } from "#plugins/market-index/owners/OwnedBefore.ts";
import { readSpans } from "#plugins/market-index/owners/sql/readSpans.ts";
import { takeBefore } from "#plugins/market-index/owners/sql/takeBefore.ts";
import { takeUnits } from "#plugins/market-index/owners/sql/takeUnits.ts";
import { watchedRows } from "#plugins/market-index/owners/sql/watchedRows.ts";
import { writeChanges } from "#plugins/market-index/owners/writeChanges.ts";

/**
 * Takes back every transfer above a fork: what it replaced is valid again, as if the transfer had
 * never been. The journal says which ids are concerned; nothing else is read.
 */
export async function revertMoves(tx: Tx, reorg: Reorg): Promise<void> {
	const [units, spansBefore, rows] = await Promise.all([
		takeUnits(tx, reorg),
		takeBefore(tx, reorg),
		watchedRows(tx, reorg.chainId),
	]);
	// Journal entries of sets that are not kept any more are ignored.
	const kept = new Set(rows.map(({ setId }) => setId));
	const added = units.filter(({ setId }) => kept.has(setId));
	const before = spansBefore.filter(({ setId }) => kept.has(setId));
	if (added.length === 0 && before.length === 0) return;
	const spans = await restoreSpans(tx, before, reorg.forkBlock);
	await writeChanges(tx, reorg.chainId, { spans, added, sign: -1n });
}

async function restoreSpans(
	tx: Tx,
	before: readonly Omit<OwnedBefore, "until">[],
	forkBlock: number,
): Promise<Map<number, SpanChanges>> {
	const changes = new Map<number, SpanChanges>();
	if (before.length === 0) return changes;
	const gone = positionOf({ blockNumber: forkBlock + 1, logIndex: 0, subIndex: 0 });
	const stored = await readSpans(tx, before);
	for (const [setId, own] of Map.groupBy(before, (span) => span.setId)) {
		const map = createSpanMap(stored.get(setId) ?? []);
		map.takeOut(gone);
		for (const { from, to, owner, position } of own) {
			if (owner === null || position >= gone) continue;
			// Which of these are settled is not known here: all are journaled, and pruned in time.
			map.put({ from, to, owner, position }, 0n);
		}
		changes.set(setId, map.changes());
	}
	return changes;
}
