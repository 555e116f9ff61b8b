import type { Core } from "#core/plugin/Core.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { openRequest } from "#plugins/chain-scanner/sql/backfillRequest.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { lockChain } from "#plugins/chain-scanner/sql/lockChain.ts";

export type Requests = {
	chainId: number;
	lanes: readonly LaneKind[];
	range: BlockRange;
	head: number;
	reorgDepthMax: number;
};

/**
 * Records a requested span as owed, for all lanes or none; returns the lanes that had done a part
 * of it before.
 *
 * A block above the head is refused, not waited for. One within reach of reorgs is a lane's: where
 * the lane has not begun, it would not be read again after a fork.
 */
export async function openRequests(
	{ db }: Pick<Core, "db">,
	{ chainId, lanes, range, head, reorgDepthMax }: Requests,
): Promise<LaneKind[]> {
	if (range.to > head) {
		throw scannerFault.command({
			public: `--to ${range.to} lies above the head of the chain, which is ${head}.`,
		});
	}
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		const resumed: LaneKind[] = [];
		for (const lane of lanes) {
			const settled = head - reorgDepthMax;
			if (range.to > settled && !(await readCursor(tx, chainId, lane))) {
				throw scannerFault.command({
					public:
						`Blocks above ${settled} may still leave the chain, and the ${lane} lane, which ` +
						"would put that right, has never run here: start the service, or ask for less.",
				});
			}
			if (!(await openRequest(tx, { chainId, lane, range }))) resumed.push(lane);
		}
		return resumed;
	});
}
