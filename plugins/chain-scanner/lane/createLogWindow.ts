// Learns how many blocks a lane asks for at once.

import type { LogWindow } from "#plugins/chain-scanner/lane/model.ts";
import {
	ANSWER_BYTES_AIM,
	LOGS_PER_QUERY_MAX,
	PATIENCE_WINDOWS_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import type { BlockLoad } from "#plugins/chain-scanner/range/model.ts";

/**
 * Makes a window that starts at its widest, for a lane 1,000 blocks. It is halved when a query
 * returned more than 10,000 logs or a range was refused; doubled again, up to its widest, while
 * full windows leave room for it. It is never larger than what, at the last blocks' size, fits into
 * one answer: a refused answer is wasted, and costs the node as much as an accepted one. Backfill
 * beside a live head aims lower: while a large answer is decoded, nothing else is.
 *
 * A refused width is remembered: the window does not grow back to it until full windows contained
 * so little that the chain must have changed. Without that it would be refused at every second
 * request.
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
	/** Full windows with little content that must come before a refused width is tried again. */
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
			// By the requested width: a range that the head cut short says nothing about a wide window.
			let times = 1;
			for (let left = (asked.timesTooLarge ?? 1) / 2; left > 1; left /= 2) times++;
			// Ranges requested ahead have the former width, and were refused for that.
			const less = Math.min(blocks, halved(asked.blocks, times));
			// A provider that states its limit of blocks says more than could be learned.
			const statedMax = asked.blocksMax ?? 0;
			const isStated = statedMax >= WINDOW_BLOCKS_MIN && statedMax < asked.blocks;
			// Some state the same for every chain, forever: each time it is tried less often.
			if (isStated) patience = Math.min(patience * 2, PATIENCE_WINDOWS_MAX);
			blocks = isStated ? Math.min(blocks, statedMax) : less;
			blocksMax = blocks;
			quiet = 0;
		},
	};
}

function halved(blocks: number, times: number): number {
	return Math.max(WINDOW_BLOCKS_MIN, Math.floor(blocks / 2 ** times));
}
