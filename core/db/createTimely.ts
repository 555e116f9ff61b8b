import type { Clock } from "#core/clock/Clock.ts";
import { sleep } from "#core/time/sleep.ts";

/** Asks the database, and waits only a moment for its answer. */
export type Timely = {
	/** Tells whether the database did not answer a moment ago: then nobody should ask it. */
	isAway(): boolean;
	/**
	 * Returns the answer; null where the statement fails or takes too long. `onLate` is then given
	 * what came of it in the end.
	 */
	ask<Answer>(
		statement: () => Promise<Answer>,
		onLate?: (answer: Answer | null) => void,
	): Promise<Answer | null>;
};

export type TimelyOptions = {
	clock: Clock;
	/** How long a statement is waited for. */
	timeoutMs: number;
	/** After a statement that was not answered the database is away for so long. */
	awayMs: number;
	/** Called once an outage, with the reason. */
	onAway?: (why: unknown) => void;
};

/** For what a process can do without the database: it goes on, and asks again after a while. */
export function createTimely({ clock, timeoutMs, awayMs, onAway }: TimelyOptions): Timely {
	let awaySinceMs: number | null = null;
	return {
		isAway() {
			const sinceMs = awaySinceMs === null ? awayMs : clock.nowMs() - awaySinceMs;
			// A clock that was set back does not keep us from asking.
			return sinceMs >= 0 && sinceMs < awayMs;
		},
		async ask(statement, onLate) {
			const answered = new AbortController();
			let why: unknown = "no answer in time";
			const asked = statement().catch((error: unknown) => {
				why = error;
				return null;
			});
			const late = sleep(timeoutMs, answered.signal).then(() => null);
			const answer = await Promise.race([asked, late]);
			answered.abort();
			if (answer === null && awaySinceMs === null) onAway?.(why);
			awaySinceMs = answer === null ? clock.nowMs() : null;
			if (answer === null && onLate) void asked.then(onLate);
			return answer;
		},
	};
}
