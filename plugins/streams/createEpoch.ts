import type { Clock } from "#core/clock/Clock.ts";
import { EPOCH_AGE_MAX_MS } from "#plugins/streams/limits.ts";

export type Epoch = {
	/** Returns the epoch, at most a second old, however many streams open at once. */
	current(): Promise<string>;
	/** Reads the epoch from the database now. */
	refresh(): Promise<string>;
};

export type EpochOptions = {
	read: () => Promise<string>;
	clock: Clock;
	/** Called when the epoch differs from the known one: numbers of the two cannot be compared. */
	onChanged: () => void;
};

/** Remembers the numbering of the database, and notices when a backup was restored. */
export function createEpoch({ read, clock, onChanged }: EpochOptions): Epoch {
	let known: string | undefined;
	let answer: { atMs: number; epoch: Promise<string> } | undefined;

	async function ask(): Promise<string> {
		const epoch = await read();
		const changed = known !== undefined && known !== epoch;
		known = epoch;
		if (changed) onChanged();
		return epoch;
	}
	function refresh(): Promise<string> {
		const asked = { atMs: clock.nowMs(), epoch: ask() };
		answer = asked;
		// A failure is not remembered: the next stream asks again.
		asked.epoch.catch(() => {
			if (answer === asked) answer = undefined;
		});
		return asked.epoch;
	}
	return {
		current: () =>
			answer && clock.nowMs() - answer.atMs < EPOCH_AGE_MAX_MS ? answer.epoch : refresh(),
		refresh,
	};
}
