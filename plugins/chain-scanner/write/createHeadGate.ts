// Makes less urgent work wait for new blocks, and predicts when the next one comes.

import { Fault } from "#core/fault.ts";
import { createSerial } from "#core/time.ts";
import {
	RESTS_AFTER_GAPS,
	RHYTHM_GAPS,
	RHYTHM_LEAD_MS,
	RHYTHM_LEAD_SHARE,
	RHYTHM_SPREAD_MAX,
	YIELDS_MAX,
} from "#plugins/chain-scanner/limits.ts";

/** Says when a chain's next block is likely to come, by the times of the last ones. */
export type BlockRhythm = {
	/** Records a new block. */
	came(): void;
	/**
	 * Returns for how many milliseconds from now the next block may come at any moment: 0 where it is
	 * not due yet, is late already, or where blocks come irregularly.
	 */
	dueForMs(): number;
	/**
	 * Returns for how many milliseconds from now no block is likely to come, by the shortest of the
	 * last gaps. Infinite where no block came yet, or none for a long time.
	 */
	calmForMs(): number;
};

/** Makes less urgent work wait while a chain's newest block is being stored. */
export type HeadGate = {
	/** Records an announced head: one above the last is a new block. */
	heard(head: number): void;
	/**
	 * Records that a lane has a new block to read and write; the returned function must be called
	 * when that is done.
	 */
	enter(): () => void;
	/**
	 * Resolves when no lane is at work and no block is due, or after `waitMsMax` for each of the two,
	 * so that a busy head starves no one. A block that no lane of this process would take does not
	 * count.
	 */
	idle(waitMsMax: number): Promise<void>;
	/** Returns for how many milliseconds no block is likely to come; 0 while one is being stored. */
	calmForMs(): number;
	/**
	 * Runs a small write of less urgent work, after `idle`, and one at a time: a new block waits for
	 * at most one of them at the chain's lock, and not a queue. The write is notified when a lane
	 * came, and may throw `lane_gave_way`: it is repeated after the block.
	 */
	behind<Result>(
		waitMsMax: number,
		write: (mustYield: () => boolean) => Promise<Result>,
	): Promise<Result>;
};

/**
 * Makes the gate of one chain in one process. Between processes the chain's lock does the same, a
 * small write later; this spares even that, and the node's and the processor's time with it.
 */
export function createHeadGate(rhythm = createBlockRhythm()): HeadGate {
	let inside = 0;
	let entered = 0;
	let lastHeard = -1;
	/** True if a lane of this process took the newest block: then it will take the next one too. */
	let taken = false;
	const waiting = new Set<() => void>();
	const serial = createSerial();
	/** Resolves when the last lane that is inside, or comes, has left. */
	const allLeft = (waitMsMax: number) =>
		new Promise<void>((resolve) => {
			const go = () => {
				clearTimeout(late);
				waiting.delete(go);
				resolve();
			};
			const late = setTimeout(go, waitMsMax);
			waiting.add(go);
		});
	return {
		heard(head) {
			const isNew = head > lastHeard;
			// Lowered too: an endpoint that once announced too high a head would end the rhythm.
			lastHeard = head;
			if (!isNew) return;
			// A lane at work takes it too, without leaving in between.
			taken = inside > 0;
			rhythm.came();
		},
		behind(waitMsMax, write) {
			return serial(async () => {
				for (let yielded = 0; ; yielded++) {
					await this.idle(waitMsMax);
					const seen = entered;
					// Lanes that were there when it began have had their turn.
					const mustYield = () => yielded < YIELDS_MAX && entered !== seen;
					try {
						return await write(mustYield);
					} catch (error) {
						if (!mustYield() || !isGivenWay(error)) throw error;
					}
				}
			});
		},
		enter() {
			inside++;
			entered++;
			taken = true;
			let left = false;
			return () => {
				if (left) return;
				left = true;
				if (--inside > 0) return;
				for (const go of waiting) go();
			};
		},
		calmForMs: () => (inside > 0 ? 0 : rhythm.calmForMs()),
		async idle(waitMsMax) {
			const dueForMs = inside === 0 && taken ? Math.min(rhythm.dueForMs(), waitMsMax) : 0;
			if (dueForMs > 0) await allLeft(dueForMs);
			// A due block comes to the waiting lanes: then this waits until they are done.
			if (inside > 0) await allLeft(waitMsMax);
		},
	};
}

/**
 * Makes a rhythm from the gaps between blocks. Most chains make theirs by the clock, a rollup to
 * the millisecond; where the usual gap varies by more than a fifth nothing is predicted.
 */
export function createBlockRhythm(nowMs: () => number = () => performance.now()): BlockRhythm {
	const gapsMs: number[] = [];
	let lastMs: number | null = null;
	return {
		came() {
			const atMs = nowMs();
			if (lastMs !== null) gapsMs.push(atMs - lastMs);
			if (gapsMs.length > RHYTHM_GAPS) gapsMs.shift();
			lastMs = atMs;
		},
		dueForMs() {
			const gapMs = usualGapMs(gapsMs);
			if (lastMs === null || gapMs === null) return 0;
			const leadMs = Math.min(RHYTHM_LEAD_MS, gapMs * RHYTHM_LEAD_SHARE);
			const lateMs = nowMs() - (lastMs + gapMs);
			return lateMs < -leadMs || lateMs >= leadMs ? 0 : leadMs - lateMs;
		},
		calmForMs() {
			if (lastMs === null || gapsMs.length === 0) return Number.POSITIVE_INFINITY;
			const sinceMs = nowMs() - lastMs;
			if (sinceMs > Math.max(...gapsMs) * RESTS_AFTER_GAPS) return Number.POSITIVE_INFINITY;
			return Math.max(0, Math.min(...gapsMs) - RHYTHM_LEAD_MS - sinceMs);
		},
	};
}

function isGivenWay(error: unknown): boolean {
	return error instanceof Fault && error.code === "lane_gave_way";
}

/** Returns the median, where half of the others are near it. */
function usualGapMs(gapsMs: readonly number[]): number | null {
	if (gapsMs.length < RHYTHM_GAPS) return null;
	const gapMs = median(gapsMs);
	const spreadMs = median(gapsMs.map((other) => Math.abs(other - gapMs)));
	return spreadMs <= gapMs * RHYTHM_SPREAD_MAX ? gapMs : null;
}

function median(numbers: readonly number[]): number {
	return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
