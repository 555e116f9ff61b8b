import { Fault } from "#core/fault/Fault.ts";
import { createSerial } from "#core/time/createSerial.ts";
import { YIELDS_MAX } from "#plugins/chain-scanner/limits.ts";
import { createBlockRhythm } from "#plugins/chain-scanner/write/createBlockRhythm.ts";

/** Lets what can wait wait while a chain's newest block is being taken in. */
export type HeadGate = {
	/** The head was told, whoever will read it: above what it was the last time it is a new block. */
	heard(head: number): void;
	/** A lane has a new block to read and write; call what it answers when that is done. */
	enter(): () => void;
	/**
	 * Resolves when no lane is at work and no block is due, or after `waitMsMax` of the one and of
	 * the other: a busy head starves nobody. A block that no lane of this process would take is none.
	 */
	idle(waitMsMax: number): Promise<void>;
	/** For how many milliseconds no block is likely to need us; 0 while one is being taken in. */
	calmForMs(): number;
	/**
	 * Runs a small write of what can wait, after `idle`, and one at a time: a new block finds at
	 * most one of them before it at the chain's lock, and not a queue. That one is told when a lane
	 * came, and may throw `lane_gave_way`: it is run again behind the block.
	 */
	behind<Result>(
		waitMsMax: number,
		write: (mustYield: () => boolean) => Promise<Result>,
	): Promise<Result>;
};

/**
 * The gate of one chain in one process. Between processes the chain's lock does the same, a small
 * write later; this spares even that, and the node's and the processor's time with it.
 */
export function createHeadGate(rhythm = createBlockRhythm()): HeadGate {
	let inside = 0;
	let entered = 0;
	let lastHeard = -1;
	/** Whether a lane of this process took the newest block: then it will take the next one too. */
	let taken = false;
	const waiting = new Set<() => void>();
	const serial = createSerial();
	/** Until the last lane that is inside, or comes, has left. */
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
			// Down with it too: an endpoint that once claimed too much would end the rhythm.
			lastHeard = head;
			if (!isNew) return;
			// Whoever is at work takes it too, without leaving in between.
			taken = inside > 0;
			rhythm.came();
		},
		behind(waitMsMax, write) {
			return serial(async () => {
				for (let yielded = 0; ; yielded++) {
					await this.idle(waitMsMax);
					const seen = entered;
					// Those that were there when it began have had their time.
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
			// A block that is due comes to those that wait: then they wait until it is done.
			if (inside > 0) await allLeft(waitMsMax);
		},
	};
}

function isGivenWay(error: unknown): boolean {
	return error instanceof Fault && error.code === "lane_gave_way";
}
