// Passes hints between processes: through Redis, or within one process.

import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Log } from "#core/log.ts";
import type { Redis } from "#core/redis.ts";

/**
 * Sends hints between processes: best effort, at most once, no order across senders.
 *
 * Whatever must not be lost is in PostgreSQL already; a hint only makes receivers read it now.
 */
export type Bus = {
	publish(channel: string, message: string): void;
	/** Answers how to stop listening. */
	subscribe(channel: string, listener: (message: string) => void): () => void;
	close(): Promise<void>;
};

const hintSchema = z.object({ from: z.string(), channel: z.string(), message: z.string() });

/**
 * Makes the bus of all processes of a deployment.
 *
 * Listeners of this process hear a hint at once and never wait for Redis; the echo that Redis
 * sends back is dropped by its sender's name. While Redis is away the others hear nothing, and
 * find in PostgreSQL what they were not told: no hint is kept for later.
 */
export function redisBus({ redis, log }: { redis: Redis; log: Log }): Bus {
	const here = inProcessBus(log);
	const self = randomUUID();
	const stop = redis.onAnnounced((text) => {
		const hint = parse(text);
		if (hint && hint.from !== self) here.publish(hint.channel, hint.message);
	});
	return {
		publish(channel, message) {
			here.publish(channel, message);
			redis.announce(JSON.stringify({ from: self, channel, message }));
		},
		subscribe: here.subscribe,
		async close() {
			stop();
			await here.close();
		},
	};
}

/** Makes the bus of one process: it calls its listeners at once, one after the other. */
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

/** Parses a hint; undefined for what this version does not know: another one may announce more. */
function parse(text: string): z.infer<typeof hintSchema> | undefined {
	try {
		return hintSchema.safeParse(JSON.parse(text)).data;
	} catch {
		return undefined;
	}
}
