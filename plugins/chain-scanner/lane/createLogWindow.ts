import {
	ANSWER_BYTES_AIM,
	LOGS_PER_QUERY_MAX,
	PATIENCE_WINDOWS_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import type { BlockLoad } from "#plugins/chain-scanner/range/LaneSource.ts";

/** How many blocks a lane asks for at once, learned from what became of the last questions. */
export type LogWindow = {
	readonly blocks: number;
	/** True once something is known of how much this chain's blocks hold. */
	readonly isMeasured: boolean;
	/** A range was answered, or a few blocks were asked for to see how much they hold. */
	answered(load: BlockLoad): void;
	/** A range was refused; where it was for its size, by how many times it was too large. */
	refused(asked: {
		blocks: number;
		timesTooLarge?: number | undefined;
		blocksMax?: number | undefined;
	}): void;
};

/**
 * Starts at its widest, for a lane 1,000 blocks. Halved when a query answered more than 10,000 logs
 * or a range was refused; doubled again, up to its widest, while full windows leave room for it.
 * Never larger than what, at the size that the last blocks had, fits into one answer: a refused
 * answer was made for nothing, and costs the node as much as one that is taken. Backfill beside a
 * live head aims lower: while a large answer is decoded, nothing else is.
 *
 * What was refused is remembered: the window does not grow back into it until a full window brought
 * so little that the chain must have become another. Without that it would be refused at every
 * second question.
 */
export function createLogWindow(
	widest = WINDOW_BLOCKS_MAX,
	answerBytesAim = ANSWER_BYTES_AIM,
): LogWindow {
	const roomFor = ({ blocks, answerBytes }: BlockLoad) =>
		answerBytes === 0 ? widest : (answerBytesAim * blocks) / answerBytes;
	let blocks = widest;
	let blocksMax = widest;
	let isMeasured = false;
	/** Full windows that must bring little before one is asked for that was refused. */
	let patience = 1;
	let quiet = 0;
	return {
		get blocks() {
			return blocks;
		},
		get isMeasured() {
			return isMeasured;
		},
		answered(load) {
			isMeasured = true;
			const fitting = Math.max(WINDOW_BLOCKS_MIN, Math.floor(roomFor(load)));
			if (load.blocks >= blocks) {
				if (load.logCount > LOGS_PER_QUERY_MAX) {
					blocks = Math.min(blocks, halved(load.blocks, 1));
				} else if (load.logCount * 2 <= LOGS_PER_QUERY_MAX && blocks * 2 <= fitting) {
					if (blocks === blocksMax && blocks * 8 <= fitting && ++quiet >= patience) {
						blocksMax = Math.min(widest, blocksMax * 2);
						quiet = 0;
					}
					blocks = Math.min(blocksMax, blocks * 2);
				}
			}
			blocks = Math.min(blocks, fitting);
		},
		refused(asked) {
			// From what was asked for: a range that the head cut short says nothing of a wide window.
			let times = 1;
			for (let left = (asked.timesTooLarge ?? 1) / 2; left > 1; left /= 2) times++;
			// Ranges asked for ahead are as wide as the window was, and were refused for that width.
			const less = Math.min(blocks, halved(asked.blocks, times));
			// A provider that says how many blocks it takes has said more than we could learn.
			const told = asked.blocksMax ?? 0;
			const isTold = told >= WINDOW_BLOCKS_MIN && told < asked.blocks;
			// Some say the same of every chain, for ever: each time it is tried less often.
			if (isTold) patience = Math.min(patience * 2, PATIENCE_WINDOWS_MAX);
			blocks = isTold ? Math.min(blocks, told) : less;
			blocksMax = blocks;
			quiet = 0;
		},
	};
}

function halved(blocks: number, times: number): number {
	return Math.max(WINDOW_BLOCKS_MIN, Math.floor(blocks / 2 ** times));
}
