// Keeps this process's time at the database's, and says how far off its machine's clock is.

import type { Clock } from "#core/clock.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Log } from "#core/log.ts";
import { SECOND_MS } from "#core/time.ts";

/** Returns the time of all processes: the database's, whatever the machine's clock is. */
export type ServiceClock = Clock & {
	/** Asks the database for its time, and holds on to it. */
	measure(): Promise<number>;
	/** Returns whether the machine's clock is so far off that this process takes no jobs. */
	isOff(): boolean;
	/** Says so for `/readyz`. */
	degraded(): Degradation[];
	/** Measures again and again until stopped. */
	keep(): { stop(): Promise<void> };
};

export type ServiceClockOptions = {
	/** The machine's clock, which may be wrong and may jump. */
	machine: Clock;
	/** Returns milliseconds since any moment, by a counter that cannot be set. */
	elapsedMs: () => number;
	databaseTime: () => Promise<number>;
	log: Log;
	/** The interval at which `keep` measures. */
	everyMs?: number;
};

/** Holds one moment by the database's time and by the counter. */
type Anchor = { databaseMs: number; elapsedMs: number };

/** A machine further off than this takes no jobs. */
export const CLOCK_OFF_MS = 5 * SECOND_MS;

/**
 * The difference up to which the machine's own clock is used: it is finer than an answer over a
 * network.
 */
const TOLERATED_MS = SECOND_MS;

const MEASURE_EVERY_MS = SECOND_MS;

/** An answer that took longer says too little about when it was made. */
const ROUND_TRIP_MAX_MS = 2 * SECOND_MS;

/**
 * Makes the clock that everything in a process takes.
 *
 * The machine's clock counts while it agrees with the database's to a second. Where it does not, or
 * jumps, time is the database's last answer and what a counter says has passed since. So no wrong
 * clock ends or deletes anything, also not in the second before somebody notices. Before the first
 * answer there is only the machine's; no job and no request runs by then.
 */
export function createServiceClock(options: ServiceClockOptions): ServiceClock {
	const { machine, elapsedMs, databaseTime, log, everyMs = MEASURE_EVERY_MS } = options;
	let anchor: Anchor | null = null;
	let offSinceMs: number | null = null;

	function nowMs(): number {
		const machineMs = machine.nowMs();
		if (anchor === null) return machineMs;
		const expectedMs = anchor.databaseMs + (elapsedMs() - anchor.elapsedMs);
		return Math.abs(machineMs - expectedMs) <= TOLERATED_MS ? machineMs : Math.floor(expectedMs);
	}

	async function measure(): Promise<number> {
		const askedAtMs = elapsedMs();
		const databaseMs = await databaseTime();
		const answeredAtMs = elapsedMs();
		const tookMs = answeredAtMs - askedAtMs;
		const middleMs = (askedAtMs + answeredAtMs) / 2;
		const differsMs =
			anchor === null
				? Number.POSITIVE_INFINITY
				: Math.abs(databaseMs - anchor.databaseMs - (middleMs - anchor.elapsedMs));
		// Within what the way may have taken, the older answer is as good.
		if (anchor === null || (tookMs <= ROUND_TRIP_MAX_MS && differsMs > tookMs / 2)) {
			anchor = { databaseMs, elapsedMs: middleMs };
		}
		note();
		return databaseMs;
	}

	function offMs(): number {
		return machine.nowMs() - nowMs();
	}

	function isOff(): boolean {
		note();
		return offSinceMs !== null;
	}

	/** Notes since when the machine's clock is off, and says it once. */
	function note(): void {
		const byMs = Math.round(offMs());
		if (Math.abs(byMs) <= CLOCK_OFF_MS) {
			if (offSinceMs !== null) log.warn("this machine's clock agrees with the database's again");
			offSinceMs = null;
		} else if (offSinceMs === null) {
			offSinceMs = nowMs();
			log.error("this machine's clock is off: this process takes no jobs", { byMs });
		}
	}

	return {
		nowMs,
		measure,
		isOff,
		degraded() {
			if (!isOff() || offSinceMs === null) return [];
			const seconds = Math.round(offMs() / SECOND_MS);
			const oldestAgeSeconds = Math.max(0, Math.floor((nowMs() - offSinceMs) / SECOND_MS));
			const action =
				`Set this machine's clock: it is ${seconds} s off the database's. ` +
				"Until then this process takes no jobs.";
			return [{ code: "clock_off", count: 1, oldestAgeSeconds, action }];
		},
		keep() {
			let measuring: Promise<unknown> | null = null;
			const timer = setInterval(() => {
				measuring ??= measure()
					// The counter goes on; the database's own absence is told elsewhere.
					.catch((error) => log.debug("the database's time was not read", { error }))
					.finally(() => {
						measuring = null;
					});
			}, everyMs);
			return {
				async stop() {
					clearInterval(timer);
					await measuring;
				},
			};
		},
	};
}
