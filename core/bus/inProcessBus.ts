import type { Bus } from "#core/bus/Bus.ts";
import type { Log } from "#core/log/Log.ts";

/** The bus of one process: calls its listeners at once, one after the other. */
export function inProcessBus(log: Log): Bus {
	type Entry = { listener: (message: string) => void };
	// Entries and not functions: the same function listening twice is two subscriptions.
	const listeners = new Map<string, Set<Entry>>();
	return {
		publish(channel, message) {
			// A copy: whoever subscribes while a message is handed out gets the next one.
			for (const { listener } of [...(listeners.get(channel) ?? [])]) {
				try {
					listener(message);
				} catch (error) {
					// One listener's mistake must not cost the others their hint.
					log.error("a bus listener failed", { channel, error });
				}
			}
		},
		subscribe(channel, listener) {
			const set = listeners.get(channel) ?? new Set<Entry>();
			listeners.set(channel, set);
			const entry = { listener };
			set.add(entry);
			return () => {
				set.delete(entry);
				if (set.size === 0 && listeners.get(channel) === set) listeners.delete(channel);
			};
		},
		async close() {
			listeners.clear();
		},
	};
}
