import type { Figure } from "#test/bench/Figure.ts";
import { PUSHES } from "#test/bench/measure/measureBurst.ts";

const STORED_SECONDS_MAX = 20;
const READ_MS_MAX = 50;
const SEARCHES_PER_SECOND_MIN = 500;

/** A busy market: pushes by the thousand, and people who search. */
export const busyFigures: readonly Figure[] = [
	{
		name: "search requests/s",
		unit: "requests/s",
		goal: { kind: "at_least", value: SEARCHES_PER_SECOND_MIN },
		async measure(lab) {
			const { search } = await lab.busyMarket();
			return {
				value: search.requestsPerSecond,
				note:
					`${search.clients} clients, 56 queries of 1 to 50 hits, 2,500 collections, own rows; CPU ms ` +
					`a request: service ${millis(search.cpu.service)}, PostgreSQL ${millis(search.cpu.postgres)}`,
			};
		},
	},
	{
		name: `${PUSHES.toLocaleString("en")} pushes stored`,
		unit: "s",
		goal: { kind: "at_most", value: STORED_SECONDS_MAX },
		async measure(lab) {
			const { storedSeconds, cpu } = (await lab.busyMarket()).burst;
			return {
				value: storedSeconds,
				note:
					"half of one collection; listings, offers, sales, transfers, cancellations; CPU s, with " +
					`reads: service ${cpu.service.toFixed(1)}, PostgreSQL ${cpu.postgres.toFixed(1)}`,
			};
		},
	},
	{
		name: "reads p99 while pushes are stored",
		unit: "ms",
		goal: { kind: "at_most", value: READ_MS_MAX },
		async measure(lab) {
			const { reads, quietReads } = (await lab.busyMarket()).burst;
			const { calls, p50Ms, p99Ms } = reads;
			return {
				value: p99Ms,
				reference: { value: quietReads.p99Ms, of: "no pushes" },
				note: `p50 ${p50Ms.toFixed(1)}; ${calls} pages of these collections over HTTP, 50 a second`,
			};
		},
	},
];

function millis(seconds: number): string {
	return (seconds * 1_000).toFixed(2);
}
