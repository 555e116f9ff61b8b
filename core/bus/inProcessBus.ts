import type { Bus } from "#core/bus/Bus.ts";
import type { Log } from "#core/log/Log.ts";

/** The bus of one process: calls its listeners at once, one after the other. */
export function inProcessBus(log: Log): Bus {
	const listeners = new Map<string, Set<(message: string) => void>>();
	return {
		publish(channel, message) {
			for (const listener of listeners.get(channel) ?? []) {
				try {
					listener(message);
				} catch (error) {
					// One listener's mistake must not cost the others their hint.
					log.error("a bus listener failed", { channel, error });
				}
			}
		},
		subscribe(channel, listener) {
			const set = listeners.get(channel) ?? new Set();
			listeners.set(channel, set);
			set.add(listener);
			return () => {
				set.delete(listener);
				if (set.size === 0) listeners.delete(channel);
			};
		},
		async close() {
			listeners.clear();
		},
	};
}
