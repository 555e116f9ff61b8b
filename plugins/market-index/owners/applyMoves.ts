import type { Tx } from "#core/db/Database.ts";
import { positionOf } from "#plugins/market-index/event/positionOf.ts";
import { createSpanMap, type SpanChanges } from "#plugins/market-index/owners/createSpanMap.ts";
import type { OwnedMove } from "#plugins/market-index/owners/OwnedMove.ts";
import { keepUnits } from "#plugins/market-index/owners/sql/keepUnits.ts";
import { readSpans } from "#plugins/market-index/owners/sql/readSpans.ts";
import { unitsOf } from "#plugins/market-index/owners/unitsOf.ts";
import { writeChanges } from "#plugins/market-index/owners/writeChanges.ts";

/** Returns the first position in a block. */
const startOf = (blockNumber: number) => positionOf({ blockNumber, logIndex: 0, subIndex: 0 });

/**
 * Applies transfers, each once and in any order, under the chain's lock. Those at `unsettledFrom`
 * or later are journaled, with what they replaced.
 */
export async function applyMoves(
	tx: Tx,
	chainId: number,
	{ moves, unsettledFrom }: { moves: readonly OwnedMove[]; unsettledFrom: number },
): Promise<void> {
	if (moves.length === 0) return;
	const keepFrom = startOf(Math.max(0, unsettledFrom));
	const spans = await putSpans(tx, moves, keepFrom);
	const added = unitsOf(moves);
	const journaled = added.filter(({ block }) => block >= unsettledFrom);
	await keepUnits(tx, chainId, journaled);
	await writeChanges(tx, chainId, { spans, added, sign: 1n });
}

async function putSpans(
	tx: Tx,
	moves: readonly OwnedMove[],
	keepFrom: bigint,
): Promise<Map<number, SpanChanges>> {
	const spans = moves
		.filter(({ standard }) => standard === "erc721")
		.map((move) => ({
			setId: move.setId,
			from: move.tokenId,
			to: move.lastTokenId,
			owner: move.to,
			position: positionOf(move),
		}));
	const changes = new Map<number, SpanChanges>();
	if (spans.length === 0) return changes;
	const stored = await readSpans(tx, spans);
	for (const [setId, own] of Map.groupBy(spans, (span) => span.setId)) {
		const map = createSpanMap(stored.get(setId) ?? []);
		for (const { from, to, owner, position } of own)
			map.put({ from, to, owner, position }, keepFrom);
		changes.set(setId, map.changes());
	}
	return changes;
}
