import type { Bus } from "#core/bus.ts";

/** Makes a bus that delivers nothing by itself: it keeps announcements, for a test to deliver. */
export function announcedBus(): Bus & { announced: string[] } {
	const announced: string[] = [];
	return {
		announced,
		publish: (_channel, message) => {
			announced.push(message);
		},
		subscribe: () => () => {},
		async close() {},
	};
}
