import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Bus } from "#core/bus/Bus.ts";
import { inProcessBus } from "#core/bus/inProcessBus.ts";
import type { Log } from "#core/log/Log.ts";
import type { Redis } from "#core/redis/Redis.ts";

const hintSchema = z.object({ from: z.string(), channel: z.string(), message: z.string() });

/**
 * The bus of all processes of a deployment.
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

/** Another version of this service may announce in words that this one does not know. */
function parse(text: string): z.infer<typeof hintSchema> | undefined {
	try {
		return hintSchema.safeParse(JSON.parse(text)).data;
	} catch {
		return undefined;
	}
}
