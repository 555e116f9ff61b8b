import { randomUUID } from "node:crypto";
import type { Log } from "#core/log/Log.ts";
import { redisFault } from "#core/redis/faults.ts";
import {
	ANNOUNCEMENT_CHARACTERS_MAX,
	COMMAND_DEADLINE_MS,
	RECONNECT_FIRST_MS,
	RECONNECT_LAST_MS,
} from "#core/redis/limits.ts";
import { newRedisClient } from "#core/redis/newRedisClient.ts";
import { openPair, type RedisPair } from "#core/redis/openPair.ts";
import type { Redis, RedisReply } from "#core/redis/Redis.ts";
import { redisKey } from "#core/redis/redisKey.ts";
import { sleep } from "#core/time/sleep.ts";

export type ConnectRedisOptions = {
	url: string;
	/** Whose keys and announcements these are: two deployments may share a server. */
	deployment: string;
	log: Log;
	/** Called with each change, first with false. */
	onChange?: (up: boolean) => void;
	deadlineMs?: number;
	beatEveryMs?: number;
};

type State = {
	pair: RedisPair | null;
	/** Commands whose callers gave up and whose replies may still come. */
	overdue: number;
	stop: AbortController;
};

/**
 * Begins to connect, and keeps trying for as long as the process lives. Neither waits for the
 * server nor fails without it.
 */
export function connectRedis(options: ConnectRedisOptions): Redis {
	const { deployment } = options;
	// A URL that nobody can read is refused at the start, and not tried for ever.
	newRedisClient(options.url).close();
	const listeners = new Set<(text: string) => void>();
	const state: State = { pair: null, overdue: 0, stop: new AbortController() };
	const channel = `tapeline:${deployment}:announced`;
	const running = keepConnected(state, {
		...options,
		channel,
		onMessage: (text) => callListeners(listeners, text, options.log),
	});
	const send = (command: string, args: readonly (string | number)[]) =>
		sendOne(state, { command, args: args.map(String) }, options.deadlineMs ?? COMMAND_DEADLINE_MS);
	return {
		up: () => usable(state) !== null,
		send,
		key: (kind, name) => redisKey({ deployment, kind, name }),
		announce(text) {
			if (text.length > ANNOUNCEMENT_CHARACTERS_MAX) return;
			// Lost announcements are hints that nobody waits for.
			send("PUBLISH", [channel, text]).catch(() => {});
		},
		onAnnounced(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		async close() {
			state.stop.abort();
			state.pair?.close();
			await running;
		},
	};
}

type KeepOptions = ConnectRedisOptions & { channel: string; onMessage: (text: string) => void };

async function keepConnected(state: State, options: KeepOptions): Promise<void> {
	const { log, channel, onChange = () => {} } = options;
	const { signal } = state.stop;
	const beatChannel = `${channel}:${randomUUID()}`;
	let pauseMs = RECONNECT_FIRST_MS;
	let said = false;
	onChange(false);
	while (!signal.aborted) {
		const pair = await openPair({ ...options, beatChannel }).catch((error: unknown) => {
			if (!said) log.warn("Redis is away: this process goes on by itself", { error });
			said = true;
			return null;
		});
		if (pair && !signal.aborted) {
			if (said) log.info("Redis is back");
			said = false;
			pauseMs = RECONNECT_FIRST_MS;
			state.pair = pair;
			state.overdue = 0;
			onChange(true);
			await pair.lost;
			state.pair = null;
			onChange(false);
		}
		pair?.close();
		await sleep(pauseMs, signal);
		pauseMs = Math.min(pauseMs * 2, RECONNECT_LAST_MS);
	}
}

/** While a reply is overdue nobody else waits for the same silence. */
function usable(state: State): RedisPair | null {
	return state.overdue === 0 ? state.pair : null;
}

function sendOne(
	state: State,
	{ command, args }: { command: string; args: string[] },
	deadlineMs: number,
): Promise<RedisReply> {
	const pair = usable(state);
	if (!pair) return Promise.reject(redisFault.redisAway());
	return new Promise((resolve, reject) => {
		let late = false;
		const timer = setTimeout(() => {
			late = true;
			state.overdue += 1;
			reject(redisFault.redisAway({ detail: `${command}: no reply in ${deadlineMs} ms` }));
		}, deadlineMs);
		const settled = () => {
			clearTimeout(timer);
			// A new pair began to count anew.
			if (late && state.pair === pair) state.overdue -= 1;
		};
		pair.send(command, args).then(
			(reply) => {
				settled();
				resolve(reply);
			},
			(cause: unknown) => {
				settled();
				reject(redisFault.redisRefused({ detail: command, cause }));
			},
		);
	});
}

function callListeners(
	listeners: ReadonlySet<(text: string) => void>,
	text: string,
	log: Log,
): void {
	for (const listener of [...listeners]) {
		try {
			listener(text);
		} catch (error) {
			log.error("a listener of Redis failed", { error });
		}
	}
}
