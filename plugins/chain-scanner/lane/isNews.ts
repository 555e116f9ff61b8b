import type { Head } from "#core/chain/heads/Head.ts";
import type { Position } from "#plugins/chain-scanner/lane/LaneState.ts";

/**
 * Says whether a head means that the lane's blocks may have left the chain: one that the lane has
 * been past, with another hash than it knows, or one that does not link to the lane's own.
 */
export function isNews(
	at: Pick<Position, "cursor" | "cursorHash" | "sound">,
	head: Pick<Head, "number" | "hash" | "parentHash">,
): boolean {
	if (at.cursor === null || head.hash === at.sound) return false;
	if (head.number === at.cursor + 1) return head.parentHash !== at.cursorHash;
	return head.number <= at.cursor && head.hash !== at.cursorHash;
}
