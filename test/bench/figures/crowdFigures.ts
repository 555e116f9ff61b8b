import type { Figure } from "#test/bench/Figure.ts";
import { FAN_OUT_CLIENTS } from "#test/bench/measure/runFanOut.ts";

const RATIO_MIN = 0.8;

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
	{
		name: "cached list requests/s",
		unit: "requests/s",
		goal: null,
		async measure(lab) {
			const { service, bare, bytes } = await lab.cachedList();
			return {
				value: service.requestsPerSecond,
				reference: { value: bare.requestsPerSecond, of: "bare Bun" },
				note: `${bytes} bytes each`,
			};
		},
	},
	{
		name: "cached list / bare Bun",
		unit: "ratio",
		goal: { kind: "at_least", value: RATIO_MIN },
		async measure(lab) {
			const { service, bare, ratio } = await lab.cachedList();
			const cpu = `${service.cpuMicros.toFixed(1)} of ${bare.cpuMicros.toFixed(1)} µs CPU a request`;
			return { value: ratio, note: `median over pairs of turns; ${cpu}` };
		},
	},
];
