import type { Timers } from "#plugins/provider/stream/Timers.ts";

/** Timers of the machine. */
export const systemTimers: Timers = {
	after(ms, run) {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};
