// Lists the figures of a busy market: crowds, full tables, large indexes, tokens.

import type { Figure } from "#test/bench/Figure.ts";
import { PUSHES } from "#test/bench/measure/runBusyMarket.ts";
import { FAN_OUT_CLIENTS, type Rate } from "#test/bench/measure/runFanOut.ts";
import { type CachedPages, readPaths } from "#test/bench/measure/runReads.ts";
import { BURST_TOKENS } from "#test/bench/measure/runScript.ts";

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

const RATIO_MIN = 0.8;
const LIST_RATIO_MIN = 0.85;
const ACTIVITY_MIN = 1_500;

/** Many clients at once, beside bare Bun with the same bytes. */
export const crowdFigures: readonly Figure[] = [
	{
		name: "fan-out frames/s",
		unit: "frames/s",
		goal: null,
		async measure(lab) {
			const shapes = await lab.fanOut();
			const widest = shapes.at(-1);
			if (!widest) return { value: Number.NaN };
			const { frames, service, bare } = widest;
			return {
				value: service.deliveredPerSecond,
				reference: { value: bare.deliveredPerSecond, of: "bare publish" },
				note: `${FAN_OUT_CLIENTS} sockets, transactions of ${frames} frames`,
			};
		},
	},
	{
		name: "fan-out / bare publish",
		unit: "ratio",
		goal: { kind: "at_least", value: RATIO_MIN },
		async measure(lab) {
			const shapes = await lab.fanOut();
			const each = shapes.map(({ frames, ratio, service, bare }) => {
				const cpu = `${service.cpuMillis.toFixed(2)} of ${bare.cpuMillis.toFixed(2)} ms CPU a frame`;
				return `${frames}: ${ratio.toFixed(2)} (${cpu})`;
			});
			const note = `the lower, by frames in a transaction: ${each.join(", ")}`;
			return { value: Math.min(...shapes.map(({ ratio }) => ratio)), note };
		},
	},
	rateFigure("cached list requests/s", "list", null),
	ratioFigure("cached list / bare Bun", "list"),
	rateFigure("compressed cached list requests/s", "compressedList", null),
	ratioFigure("compressed cached list / bare Bun", "compressedList"),
	rateFigure("compressed activity page requests/s", "compressedActivity", ACTIVITY_MIN),
];

/** Uncached pages of an index whose tables of the provider's are full. */
export const marketFigures: readonly Figure[] = ["cold list", "detail"].map((page) => ({
	name: `${page} p50`,
	unit: "ms",
	goal: null,
	async measure(lab) {
		const read = (await lab.marketReads()).find(({ name }) => name === page);
		if (!read) throw new Error(`nobody reads "${page}"`);
		const { service, bare, calls } = read;
		return {
			value: service.p50Ms,
			reference: { value: bare.p50Ms, of: "bare script" },
			note:
				`p99 ${service.p99Ms.toFixed(1)}, bare ${bare.p99Ms.toFixed(1)}; ${calls} calls, page cache ` +
				"off; 1,000 collections with stats, books and tokens; the script is one prepared statement",
		};
	},
}));

const RATIO_MAX = 1.5;
/** Routes that clients read all the time. */
const HELD_TO_GOAL = /^(discover|trending|detail|candles)/;

/** Twice the former rates, from before their plans were kept; one request after the other. */
const RATE_MIN: Readonly<Record<string, number>> = { discover: 102, "trending 24h": 502 };

/** What a page of an account with a hundredth of all events may take, in ms. */
const P99_MAX: Readonly<Record<string, number>> = {
	account: 30,
	"account activity": 30,
	"account sold": 15,
};

/** With 10 million events: reads against an index of 100 thousand, and a wide chain on top. */
export const sizeFigures: readonly Figure[] = [
	...readPaths.map(
		({ name }): Figure => ({
			name: `${name} p99, 10 million / 100 thousand`,
			unit: "ratio",
			goal: HELD_TO_GOAL.test(name) ? { kind: "at_most", value: RATIO_MAX } : null,
			async measure(lab) {
				const read = (await lab.reads()).find((compared) => compared.name === name);
				if (!read) throw new Error(`nobody reads "${name}"`);
				const { calls, small, large, p50Ratio, p99Ratio } = read;
				const p99 = `p99 ${large.p99Ms.toFixed(1)} of ${small.p99Ms.toFixed(1)} ms`;
				const note = `${p99}, p50 ratio ${p50Ratio.toFixed(2)}; ${calls} calls, page cache off`;
				return { value: p99Ratio, note };
			},
		}),
	),
	...Object.entries(RATE_MIN).map(
		([name, value]): Figure => ({
			name: `${name} requests/s`,
			unit: "requests/s",
			goal: { kind: "at_least", value },
			async measure(lab) {
				const read = (await lab.reads()).find((compared) => compared.name === name);
				if (!read) throw new Error(`nobody reads "${name}"`);
				const { calls, small, large } = read;
				const rateOf = (ms: number) => 1_000 / ms;
				const note =
					`by the median of ${calls} calls, one after the other, of 100 thousand events; ` +
					`of 10 million ${rateOf(large.p50Ms).toFixed(0)}; a crowd shares answers`;
				return { value: rateOf(small.p50Ms), note };
			},
		}),
	),
	...Object.entries(P99_MAX).map(
		([name, value]): Figure => ({
			name: `${name} p99`,
			unit: "ms",
			goal: { kind: "at_most", value },
			async measure(lab) {
				const read = (await lab.reads()).find((compared) => compared.name === name);
				if (!read) throw new Error(`nobody reads "${name}"`);
				const { calls, large } = read;
				const note = `p50 ${large.p50Ms.toFixed(1)}; ${calls} calls, of 10 million events`;
				return { value: large.p99Ms, note };
			},
		}),
	),
	{
		name: "wide catch-up rows/s",
		unit: "rows/s",
		goal: null,
		async measure(lab) {
			const { rows, laneSeconds } = await lab.wideCatchUp();
			const note =
				`${rows} rows in ${laneSeconds.toFixed(1)} s from the lanes' start; 2,000 collections, ` +
				"12 s blocks, on 10 million events";
			return { value: rows / laneSeconds, note };
		},
	},
];

const RANK_MS_MAX = 15;
const BURST_PER_SECOND_MIN = 2_000;
const BURST_MB_MAX = 250;

/** The cost of tokens: their ranks, and a whole collection at once. */
export const tokenFigures: readonly Figure[] = [
	{
		name: "rank 10,000 tokens",
		unit: "ms",
		goal: { kind: "at_most", value: RANK_MS_MAX },
		async measure(lab) {
			const { service, bare, turns, peakMb, idleMb } = await lab.ranking();
			const { p50Ms, leastMs, worstMs } = service;
			const spread = `median of ${turns}, ${leastMs.toFixed(1)} to ${worstMs.toFixed(1)}`;
			const memory = `peak of the process ${peakMb.toFixed(0)} MB, ${idleMb.toFixed(0)} before`;
			return {
				value: p50Ms,
				reference: { value: bare.p50Ms, of: "bare script" },
				note: `10 traits each, every text a new one; ${spread}; ${memory}`,
			};
		},
	},
	{
		name: "metadata burst tokens/s",
		unit: "tokens/s",
		goal: { kind: "at_least", value: BURST_PER_SECOND_MIN },
		async measure(lab) {
			const { tokensPerSecond, barePerSecond, seconds } = await lab.metadataBurst();
			const note =
				`${BURST_TOKENS} documents of a local gateway, counted and ranked, in ` +
				`${seconds.toFixed(1)} s; the script fetches and inserts without a guard`;
			return {
				value: tokensPerSecond,
				reference: { value: barePerSecond, of: "bare script" },
				note,
			};
		},
	},
	{
		name: "metadata burst peak memory",
		unit: "MB",
		goal: { kind: "at_most", value: BURST_MB_MAX },
		async measure(lab) {
			const { peakMb, idleMb } = await lab.metadataBurst();
			return {
				value: peakMb,
				note: `of the reading process; ${idleMb.toFixed(0)} before it began`,
			};
		},
	},
];

function millis(seconds: number): string {
	return (seconds * 1_000).toFixed(2);
}

function rateFigure(name: string, page: keyof CachedPages, goal: number | null): Figure {
	return {
		name,
		unit: "requests/s",
		goal: goal === null ? null : { kind: "at_least", value: goal },
		async measure(lab) {
			const { service, bare, bytes } = (await lab.cachedPages())[page];
			return {
				value: service.requestsPerSecond,
				reference: { value: bare.requestsPerSecond, of: "bare Bun" },
				note: `${bytes} bytes each; ${cpuOf(service, bare)}`,
			};
		},
	};
}

function cpuOf(service: Rate, bare: Rate): string {
	return `${service.cpuMicros.toFixed(1)} of ${bare.cpuMicros.toFixed(1)} µs CPU a request`;
}

function ratioFigure(name: string, page: keyof CachedPages): Figure {
	return {
		name,
		unit: "ratio",
		goal: { kind: "at_least", value: LIST_RATIO_MIN },
		async measure(lab) {
			const { service, bare, ratio } = (await lab.cachedPages())[page];
			return { value: ratio, note: `median over pairs of turns; ${cpuOf(service, bare)}` };
		},
	};
}
