// Sends a connection's statements together, and waits only briefly for answers.

import { Socket } from "node:net";
import type { Clock } from "#core/clock.ts";
import { sleep } from "#core/time.ts";

/** Asks the database, but waits only a short time for its answer. */
export type Timely = {
	/** Returns true if the database recently did not answer: then it should not be asked. */
	isAway(): boolean;
	/**
	 * Returns the answer; null where the statement fails or takes too long. `onLate` then gets the
	 * final result.
	 */
	ask<Answer>(
		statement: () => Promise<Answer>,
		onLate?: (answer: Answer | null) => void,
	): Promise<Answer | null>;
};

export type TimelyOptions = {
	clock: Clock;
	/** Limits how long a statement is waited for. */
	timeoutMs: number;
	/** The time for which the database counts as away after an unanswered statement. */
	awayMs: number;
	/** Called once per outage, with the reason. */
	onAway?: (why: unknown) => void;
};

/**
 * Makes a socket that sends all writes of one event-loop turn together.
 *
 * The driver writes each statement separately, so five that are sent together would wake the server
 * five times, and each wake-up is expensive on a machine with few cores: gathered, an intent's
 * statements cost a tenth less on both sides (measured).
 */
export function openGatheringSocket(): Socket {
	const socket = new Socket();
	// Not earlier: connecting restores the socket's own `write`.
	socket.once("connect", () => gather(socket));
	return socket;
}

/**
 * Makes the asker for work that a process can also do without the database: without an answer it
 * goes on, and asks again later.
 */
export function createTimely({ clock, timeoutMs, awayMs, onAway }: TimelyOptions): Timely {
	let awaySinceMs: number | null = null;
	return {
		isAway() {
			const sinceMs = awaySinceMs === null ? awayMs : clock.nowMs() - awaySinceMs;
			// A clock that was set back must not prevent asking.
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

function gather(socket: Socket): void {
	const { write } = socket;
	let isGathering = false;
	const gathering = (...given: unknown[]): unknown => {
		if (!isGathering) {
			isGathering = true;
			socket.cork();
			process.nextTick(() => {
				isGathering = false;
				socket.uncork();
			});
		}
		return Reflect.apply(write, socket, given);
	};
	Reflect.set(socket, "write", gathering);
}
