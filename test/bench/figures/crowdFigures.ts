import type { Figure } from "#test/bench/Figure.ts";
import type { Rate } from "#test/bench/measure/compareCrowds.ts";
import type { CachedPages } from "#test/bench/measure/runCachedList.ts";
import { FAN_OUT_CLIENTS } from "#test/bench/measure/runFanOut.ts";

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

function cpuOf(service: Rate, bare: Rate): string {
	return `${service.cpuMicros.toFixed(1)} of ${bare.cpuMicros.toFixed(1)} µs CPU a request`;
}
