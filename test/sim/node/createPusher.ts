import type { Prng } from "#test/sandbox/createPrng.ts";
import type { SimBlock } from "#test/sim/chain/SimBlock.ts";
import type { SimNode } from "#test/sim/node/createSimNode.ts";
import { fitsQuery, type LogQuery } from "#test/sim/node/fitsQuery.ts";
import { type PushLieName, pushLies } from "#test/sim/node/pushLies.ts";
import { logsOf, type SentLog } from "#test/sim/node/renderBlock.ts";
import type { Tally } from "#test/sim/Tally.ts";

/** What one subscription is sent about one block, and how much later than the block's head. */
export type Push = { logs: readonly unknown[]; lateMs: number };

const NAMES = Object.keys(pushLies).filter((name): name is PushLieName => name in pushLies);
const LATE_MS_MAX = 30;

/**
 * Decides what subscriptions to logs are sent: the logs of the block that fit their filter, or what
 * is left of them. Logs come before the head, with it or later.
 */
export function createPusher(node: SimNode, { prng, tally }: { prng: Prng; tally: Tally }) {
	let orphan: SentLog | undefined;
	let newest: SimBlock | undefined;

	return {
		/** Told of each block as it is announced. */
		announced(block: SimBlock) {
			if (newest && newest.number >= block.number) orphan = logsOf(newest)[0] ?? orphan;
			newest = block;
		},
		push(block: SimBlock, filter: LogQuery): Push {
			const logs = logsOf(block).filter((log) => fitsQuery(log, filter));
			if (logs.length === 0 || node.state.healthy) return { logs, lateMs: 0 };
			const { pushLieRate = 0 } = node;
			const isLate = prng.chance(pushLieRate);
			const name = prng.chance(pushLieRate) ? prng.pick(NAMES) : null;
			if (isLate) tally.add("push_late");
			if (name) tally.add(`push_${name}`);
			const sent = name ? pushLies[name](logs, { orphan, prng }) : logs;
			return { logs: sent, lateMs: isLate ? prng.int(LATE_MS_MAX) : 0 };
		},
	};
}
