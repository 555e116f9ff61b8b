import type { Timers } from "#plugins/provider/stream/Timers.ts";

export type PacedQueue<Item> = {
	add(item: Item): void;
	remove(item: Item): void;
	clear(): void;
};

/** Makes a queue that lets a few items through at once, and the next ones only after a pause. */
export function createPacedQueue<Item>(options: {
	timers: Timers;
	perBeat: number;
	beatMs: number;
	/** Called when it is this item's turn. */
	run(item: Item): void;
}): PacedQueue<Item> {
	const { timers, perBeat, beatMs, run } = options;
	const waiting = new Set<Item>();
	let room = perBeat;
	let isPausing = false;

	return {
		add(item) {
			waiting.add(item);
			flow();
		},
		remove: (item) => void waiting.delete(item),
		clear: () => waiting.clear(),
	};

	function flow() {
		for (const item of waiting) {
			if (room === 0) break;
			room--;
			waiting.delete(item);
			run(item);
		}
		if (room === perBeat || isPausing) return;
		isPausing = true;
		timers.after(beatMs, () => {
			isPausing = false;
			room = perBeat;
			flow();
		});
	}
}
