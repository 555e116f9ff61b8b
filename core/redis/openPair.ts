import { BEAT_EVERY_MS, BEATS_UNANSWERED_MAX } from "#core/redis/limits.ts";
import { newRedisClient } from "#core/redis/newRedisClient.ts";

/** The two connections that a process has: one for commands, one that only listens. */
export type RedisPair = {
	send(command: string, args: string[]): Promise<unknown>;
	/** Resolves when either connection ended, for whatever reason. */
	readonly lost: Promise<void>;
	close(): void;
};

export type OpenPairOptions = {
	url: string;
	channel: string;
	/** Heard by this process alone. */
	beatChannel: string;
	onMessage: (text: string) => void;
	beatEveryMs?: number;
};

/**
 * Connects, or rejects.
 *
 * A server that dies is noticed by the client; one that hangs, or whose packets are dropped on the
 * way, is not: so a beat goes round, out on one connection and back on the other.
 */
export async function openPair(options: OpenPairOptions): Promise<RedisPair> {
	const commands = newRedisClient(options.url);
	const listening = newRedisClient(options.url);
	const lost = Promise.withResolvers<void>();
	let beats: ReturnType<typeof setInterval> | undefined;
	const close = () => {
		clearInterval(beats);
		commands.onclose = null;
		listening.onclose = null;
		commands.close();
		listening.close();
		lost.resolve();
	};
	commands.onclose = close;
	listening.onclose = close;
	let unanswered = 0;
	try {
		await Promise.all([commands.connect(), listening.connect()]);
		await listening.subscribe([options.channel, options.beatChannel], (text, channel) => {
			unanswered = 0;
			if (channel === options.channel) options.onMessage(text);
		});
	} catch (error) {
		close();
		throw error;
	}
	// Counted and not timed: after a stall of this process the timer fires once, not many times.
	beats = setInterval(() => {
		unanswered += 1;
		if (unanswered > BEATS_UNANSWERED_MAX) return close();
		commands.send("PUBLISH", [options.beatChannel, ""]).catch(() => {});
	}, options.beatEveryMs ?? BEAT_EVERY_MS);
	return { send: (command, args) => commands.send(command, args), lost: lost.promise, close };
}
