import type { Timers } from "#plugins/provider/stream/Timers.ts";

/** The machine's own timers. */
export const systemTimers: Timers = {
	after(ms, run) {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};
