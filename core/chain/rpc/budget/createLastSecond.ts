/** Makes a counter of the last second, to a tenth of one. */
export function createLastSecond(): {
	add(count: number, nowMs: number): void;
	sum(nowMs: number): number;
} {
	const counts = new Float64Array(SLOTS);
	let newest = 0;

	/** Clears slots older than a second; if the clock was set back, all. */
	function moveTo(nowMs: number): void {
		const slot = Math.floor(nowMs / SLOT_MS);
		const passed = slot - newest;
		if (passed < 0 || passed >= SLOTS) counts.fill(0);
		else for (let step = 1; step <= passed; step++) counts[(newest + step) % SLOTS] = 0;
		newest = slot;
	}
	return {
		add(count, nowMs) {
			moveTo(nowMs);
			const place = newest % SLOTS;
			counts[place] = (counts[place] ?? 0) + count;
		},
		sum(nowMs) {
			moveTo(nowMs);
			return counts.reduce((sum, count) => sum + count, 0);
		},
	};
}

const SLOTS = 10;
const SLOT_MS = 100;
