// Keeps a process connected to Redis, which may be away at any time.

import { createHash, randomUUID } from "node:crypto";
import { RedisClient } from "bun";
import { defineFaults } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";

/** Holds a Redis server's answer to a command, as Bun's client returns it; parse it before use. */
export type RedisReply = unknown;

/**
 * Talks to one Redis server, shared by the processes of one deployment, that may be away at any
 * time.
 *
 * Callers must have an answer without it: Redis never holds the only copy.
 */
export type Redis = {
	/** False while the server is away or hangs: `send` then rejects at once. */
	up(): boolean;
	/**
	 * Sends one command. Rejects with a Fault at once while the server is away, within tens of
	 * milliseconds where it hangs, and where it refuses the command. It may still have run.
	 */
	send(command: string, args: readonly (string | number)[]): Promise<RedisReply>;
	/** A key of this deployment. Any text is a name; it is not readable in the key. */
	key(kind: string, name: string): string;
	/** Says a text to every process of this deployment, this one too. Lost while away. */
	announce(text: string): void;
	/** Answers how to stop listening. */
	onAnnounced(listener: (text: string) => void): () => void;
	close(): Promise<void>;
};

/** The two connections that a process has: one for commands, one that only listens. */
export type RedisPair = {
	send(command: string, args: string[]): Promise<unknown>;
	/** Resolves when either connection has ended. */
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

export type RedisKeyParts = { deployment: string; kind: string; name: string };

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

type KeepOptions = ConnectRedisOptions & { channel: string; onMessage: (text: string) => void };

/** Callers fall back to what their own process knows; only `redisUrl` reaches a person. */
export const redisFault = defineFaults({
	redisUrl: {
		status: 500,
		retry: "never",
		public: "REDIS_URL is not a URL that the Redis client can read.",
	},
	redisAway: { status: 503, retry: "later", public: "The Redis server does not answer." },
	redisRefused: { status: 503, retry: "later", public: "The Redis server refused a command." },
});

/** Limits the wait for a command: no request may hang for what is only a hint. */
export const COMMAND_DEADLINE_MS = 50;

/** Limits the time to connect, greeting included. */
export const CONNECT_TIMEOUT_MS = 1_000;

/** Between attempts: doubled from the first to the last while the server stays away. */
export const RECONNECT_FIRST_MS = 50;
export const RECONNECT_LAST_MS = 1_000;

/** A beat goes out on one connection and must come back on the other. */
export const BEAT_EVERY_MS = 1_000;

/**
 * The number of heartbeats without an echo that end the connections: they are half open, or the
 * server hangs.
 */
export const BEATS_UNANSWERED_MAX = 3;

/**
 * Limits the characters of one announcement. Larger ones are not sent: receivers read the table.
 */
export const ANNOUNCEMENT_CHARACTERS_MAX = 1_000_000;

/** 128 bits: two clients must never share an allowance by accident or on purpose. */
const DIGEST_CHARACTERS = 32;

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

/**
 * Opens the two connections of a process; rejects where one fails.
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

/**
 * Makes a client that neither reconnects nor queues by itself; it does not connect yet.
 *
 * Bun's client (1.4.5) can reconnect and queue. With that a lost connection is told only after
 * its last attempt, and commands wait behind it; without it a dead server rejects everything that
 * is under way at once, so the reconnecting is ours (`connectRedis`).
 */
export function newRedisClient(url: string): RedisClient {
	try {
		return new RedisClient(url, {
			autoReconnect: false,
			enableOfflineQueue: false,
			connectionTimeout: CONNECT_TIMEOUT_MS,
		});
	} catch {
		// Without a cause: the client's words may hold the URL, and with it the password.
		throw redisFault.redisUrl();
	}
}

/**
 * Returns the key of a named thing.
 *
 * The name is hashed, so that any text is a name, keys stay short and a client's address cannot be
 * read from a dump. What stands in braces decides the slot of a Redis Cluster: keys of one name
 * lie together whatever their kind, and different names spread.
 */
export function redisKey({ deployment, kind, name }: RedisKeyParts): string {
	const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_CHARACTERS);
	return `tapeline:${deployment}:${kind}:{${digest}}`;
}

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

/** Returns the connections; null without any, and while a reply is overdue: no second one waits. */
function usable(state: State): RedisPair | null {
	return state.overdue === 0 ? state.pair : null;
}
