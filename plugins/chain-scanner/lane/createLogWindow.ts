import {
	LOGS_PER_QUERY_LOW,
	LOGS_PER_QUERY_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";

/** How many blocks a lane asks for at once, learned from what became of the last questions. */
export type LogWindow = {
	readonly blocks: number;
	/** A range was answered, with this many logs by its largest query. */
	answered(answer: { blocks: number; logCount: number }): void;
	/** A range was refused; where it was for its size, by how many times it was too large. */
	refused(asked: { blocks: number; timesTooLarge?: number | undefined }): void;
};

/**
 * Starts at 1,000 blocks. Halved when a query answered more than 10,000 logs or a range was
 * refused; doubled again, up to 1,000 blocks, when a full window brought few.
 *
 * What was refused is remembered: the window does not grow back into it until a full window brought
 * so few logs that the chain must have become another. Without that it would be refused at every
 * second question, and each refused answer was made for nothing.
 */
export function createLogWindow(): LogWindow {
	let blocks = WINDOW_BLOCKS_MAX;
	let blocksMax = WINDOW_BLOCKS_MAX;
	return {
		get blocks() {
			return blocks;
		},
		answered(answer) {
			if (answer.logCount > LOGS_PER_QUERY_MAX) {
				blocks = halved(blocks, 1);
				return;
			}
			const isFull = answer.blocks >= blocks;
			if (!isFull || answer.logCount >= LOGS_PER_QUERY_LOW) return;
			if (blocks === blocksMax && answer.logCount < LOGS_PER_QUERY_LOW / 2) {
				blocksMax = Math.min(WINDOW_BLOCKS_MAX, blocksMax * 2);
			}
			blocks = Math.min(blocksMax, blocks * 2);
		},
		refused(asked) {
			// From what was asked for: a range that the head cut short says nothing of a wide window.
			let times = 1;
			for (let left = (asked.timesTooLarge ?? 1) / 2; left > 1; left /= 2) times++;
			blocks = halved(Math.min(blocks, asked.blocks), times);
			blocksMax = blocks;
		},
	};
}

function halved(blocks: number, times: number): number {
	return Math.max(WINDOW_BLOCKS_MIN, Math.floor(blocks / 2 ** times));
}
