// Counts what happened in a simulated run, and logs it.

import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

/** Counts what was done to the product: a fault that never happened proves nothing. */
export type Tally = {
	add(what: string, times?: number): void;
	of(what: string): number;
	/** Everything counted, most frequent first. */
	all(): [string, number][];
};

/** A promise that was broken, and how. */
export type Wrong = {
	about: "rows" | "convergence" | "fencing" | "frames" | "hints";
	what: string;
};

export function createTally(): Tally {
	const counts = new Map<string, number>();
	const of = (what: string) => counts.get(what) ?? 0;
	return {
		add: (what, times = 1) => void counts.set(what, of(what) + times),
		of,
		all: () => [...counts].sort(([, a], [, b]) => b - a),
	};
}

/** A log for looking into one seed: one short line each, with what an error says. */
export function createTalk(print: (line: string) => void, bound: object = {}): Log {
	const say =
		(level: string) =>
		(message: string, context: Record<string, unknown> = {}) => {
			const { error, ...rest } = { ...bound, ...context };
			const why = error instanceof Fault ? `${error.message} ${error.privateDetail ?? ""}` : error;
			print(`${level} ${message} ${JSON.stringify(rest)} ${why === undefined ? "" : String(why)}`);
		};
	return {
		debug: say("debug"),
		info: say("info"),
		warn: say("warn"),
		error: say("error"),
		with: (more) => createTalk(print, { ...bound, ...more }),
	};
}
