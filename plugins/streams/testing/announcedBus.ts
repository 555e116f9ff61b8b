import type { Bus } from "#core/bus/Bus.ts";

/** A bus that delivers nothing by itself: it keeps what was announced, for a test to deal out. */
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
