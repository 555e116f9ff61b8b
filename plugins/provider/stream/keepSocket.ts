// Keeps one socket to the provider open, and stores the state of the stream for all processes.

import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import { nextState, type StateTable } from "#core/states.ts";
import { MINUTE_MS, sleep } from "#core/time.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";
import {
	CONNECTS_PER_MINUTE_MAX,
	LEASE_EVERY_MS,
	RECONNECT_DELAYS_MS,
	STATUS_BELIEVED_MS,
	STEADY_MS,
} from "#plugins/provider/limits.ts";
import type { PhoenixFrame, Timers } from "#plugins/provider/stream/model.ts";
import { openPhoenixSocket, type PhoenixSocket } from "#plugins/provider/stream/phoenix.ts";

/**
 * `joining`: open, and no answer of the server yet. `live`: it has answered. `waiting`: for the
 * next attempt.
 */
export type SocketState = "off" | "connecting" | "joining" | "live" | "waiting";

export type SocketEvent = "start" | "opened" | "replied" | "ended" | "retry" | "stop";

export type SocketKeeperOptions = {
	url: string;
	openSocket(url: string): WebSocket;
	clock: Clock;
	timers: Timers;
	random: () => number;
	newRef(): string;
	log: Log;
	onOpen(): void;
	/** Called with each frame; `heardMs`: when the frame before it came, or the socket opened. */
	onFrame(heard: { frame: PhoenixFrame; bytes: number; heardMs: number }): void;
	onUnreadable(reason: string): void;
	/** Called when the socket is gone; nothing after `heardMs` was received. */
	onDown(heardMs: number): void;
};

export type SocketKeeper = {
	state(): SocketState;
	start(): void;
	stop(): void;
	send(frame: PhoenixFrame): void;
};

/** Says what happened to a frame, or to the push in it. */
export type StreamOutcome =
	| "handled"
	| "repeated"
	| "unknown_type"
	| "unknown_chain"
	| "no_price"
	| "no_roles"
	| "unreadable"
	| "stray"
	| "refused"
	| "full"
	| "failed";

export type StreamMetrics = {
	count(outcome: StreamOutcome, pushes?: number): void;
	observe(now: { isLive: boolean; joined: number }): void;
	waiting(pushes: number): void;
	socketEnded(): void;
};

/** The stream's state for the whole deployment: one process listens, and any can be asked. */
export type StreamStatus = {
	/** Returns what was last learned of the listening process. */
	state(): ProviderStreamState;
	/** Stores the state; called by the listening process. */
	tell(state: ProviderStreamState): Promise<void>;
	/** Reads the state; called by all others. */
	learn(): Promise<void>;
};

const NEXT: StateTable<SocketState, SocketEvent> = {
	off: { start: "connecting" },
	connecting: { opened: "joining", ended: "waiting", stop: "off" },
	joining: { replied: "live", ended: "waiting", stop: "off" },
	live: { replied: "live", ended: "waiting", stop: "off" },
	waiting: { retry: "connecting", stop: "off" },
};

const LONGEST_MS = RECONNECT_DELAYS_MS[RECONNECT_DELAYS_MS.length - 1] ?? 0;

const STATES: ReadonlySet<string> = new Set<ProviderStreamState>(["off", "connecting", "live"]);

/** Keeps one socket open from `start` to `stop`. */
export function keepSocket(options: SocketKeeperOptions): SocketKeeper {
	const { clock, timers, random, log } = options;
	const endpoint = new URL(options.url).host;
	let state: SocketState = "off";
	let socket: PhoenixSocket | null = null;
	let cancelRetry = () => {};
	let attempt = 0;
	let connectedAtMs: number[] = [];
	let heardMs = 0;
	let liveSinceMs: number | null = null;
	let logged: "nothing" | "lost" | "back" = "nothing";

	return {
		state: () => state,
		start: () => go("start") && connect(),
		stop() {
			const wasOpen = state === "joining" || state === "live";
			if (!go("stop")) return;
			cancelRetry();
			socket?.close();
			socket = null;
			attempt = 0;
			if (wasOpen) options.onDown(heardMs);
		},
		send: (frame) => socket?.send(frame),
	};

	function go(event: SocketEvent): boolean {
		const next = nextSocketState(state, event);
		if (next) state = next;
		return next !== null;
	}

	function connect() {
		connectedAtMs = [...connectedAtMs, clock.nowMs()].slice(-CONNECTS_PER_MINUTE_MAX);
		liveSinceMs = null;
		socket = openPhoenixSocket({
			...options,
			onOpen() {
				heardMs = clock.nowMs();
				if (go("opened")) options.onOpen();
			},
			onReply() {
				attempt = 0;
				liveSinceMs ??= clock.nowMs();
				if (!go("replied") || logged !== "lost") return;
				log.info("the provider's stream is back", { endpoint });
				logged = "back";
			},
			onFrame(frame, bytes) {
				const before = heardMs;
				heardMs = clock.nowMs();
				options.onFrame({ frame, bytes, heardMs: before });
			},
			onEnd,
		});
	}

	function onEnd(reason: string) {
		const wasOpen = state === "joining" || state === "live";
		socket = null;
		if (!go("ended")) return;
		const nowMs = clock.nowMs();
		complain(reason, nowMs);
		if (wasOpen) options.onDown(heardMs);
		const lastMinute = connectedAtMs.filter((ms) => nowMs - ms < MINUTE_MS);
		const connectsLastMinute = lastMinute.length;
		const delayMs = reconnectDelayMs({ attempt, connectsLastMinute, random });
		attempt++;
		cancelRetry = timers.after(delayMs, () => go("retry") && connect());
	}

	/**
	 * Logs once for each outage: a server that answers and hangs up again and again is one outage.
	 */
	function complain(reason: string, nowMs: number) {
		const wasSteady = liveSinceMs !== null && nowMs - liveSinceMs >= STEADY_MS;
		if (logged !== "nothing" && !wasSteady) return;
		log.warn("the provider's stream ended; it is opened again", { endpoint, reason });
		logged = "lost";
	}
}

/**
 * Returns the state after an event; null where the event has no meaning, as an answer on an ended
 * socket.
 */
export function nextSocketState(state: SocketState, event: SocketEvent): SocketState | null {
	return nextState(NEXT, state, event);
}

/**
 * Returns how long to wait before the socket is opened again, in ms: the table's value, up to a
 * quarter less or more, so that processes which lost the server together do not come back together.
 */
export function reconnectDelayMs(options: {
	/** Attempts since the server last answered. */
	attempt: number;
	connectsLastMinute: number;
	random: () => number;
}): number {
	const { attempt, connectsLastMinute, random } = options;
	const isStorm = connectsLastMinute >= CONNECTS_PER_MINUTE_MAX;
	const delayMs = isStorm ? LONGEST_MS : (RECONNECT_DELAYS_MS[attempt] ?? LONGEST_MS);
	return delayMs * (0.75 + random() / 2);
}

/** Registers the metrics of the stream; one set is shared by all streams of a service. */
export function createStreamMetrics(metrics: Metrics): StreamMetrics {
	const frames = metrics.counter({
		name: "provider_stream_frames_total",
		help: "Frames of the provider's stream, by what became of them",
		labels: ["outcome"],
	});
	const ended = metrics.counter({
		name: "provider_stream_sockets_ended_total",
		help: "Sockets of the provider's stream that were open and ended",
	});
	const live = metrics.gauge({
		name: "provider_stream_live",
		help: "1 while the provider's stream is live in this process",
	});
	const topics = metrics.gauge({
		name: "provider_stream_topics",
		help: "Collections whose events arrive over the provider's stream",
	});
	const queue = metrics.gauge({
		name: "provider_stream_queue_pushes",
		help: "Pushes of the provider's stream that wait to be handled",
	});
	return {
		count: (outcome, pushes = 1) => frames.inc({ outcome }, pushes),
		observe({ isLive, joined }) {
			live.set({}, isLive ? 1 : 0);
			topics.set({}, joined);
		},
		waiting: (pushes) => queue.set({}, pushes),
		socketEnded: () => ended.inc({}),
	};
}

/**
 * Shares the state through the database, and by its clock alone. Where no state is stored the
 * stream is not `off`, which would mean disabled: a process is about to listen.
 */
export function createStreamStatus(db: Queryable): StreamStatus {
	let known: ProviderStreamState = "connecting";
	return {
		state: () => known,
		async tell(state) {
			await db.execute(
				`insert into provider.stream_status as kept (state, told_at) values ($1, now())
				on conflict (one) do update set state = excluded.state, told_at = excluded.told_at`,
				[state],
			);
		},
		async learn() {
			const [row] = await db.query<{ state: string }>(
				`select state from provider.stream_status
				where told_at > now() - $1 * interval '1 millisecond'`,
				[STATUS_BELIEVED_MS],
			);
			known = row && isState(row.state) && row.state !== "off" ? row.state : "connecting";
		},
	};
}

/** Keeps a process that never listens up to date about the one that does, until the signal. */
export async function followStreamStatus(options: {
	status: Pick<StreamStatus, "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { status, signal, everyMs = LEASE_EVERY_MS } = options;
	while (!signal.aborted) {
		// Without the database the last known state stays; routes that need the database fail anyway.
		await status.learn().catch(() => {});
		await sleep(everyMs, signal);
	}
}

function isState(text: string): text is ProviderStreamState {
	return STATES.has(text);
}
