// Keeps one socket to the provider open, and opens it again after each loss.

import type { Clock } from "#core/clock.ts";
import type { Log } from "#core/log.ts";
import { nextState, type StateTable } from "#core/states.ts";
import { MINUTE_MS } from "#core/time.ts";
import {
	CONNECTS_PER_MINUTE_MAX,
	type PhoenixFrame,
	RECONNECT_DELAYS_MS,
	STEADY_MS,
	type Timers,
} from "#plugins/provider/stream/model.ts";
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

const NEXT: StateTable<SocketState, SocketEvent> = {
	off: { start: "connecting" },
	connecting: { opened: "joining", ended: "waiting", stop: "off" },
	joining: { replied: "live", ended: "waiting", stop: "off" },
	live: { replied: "live", ended: "waiting", stop: "off" },
	waiting: { retry: "connecting", stop: "off" },
};

const LONGEST_MS = RECONNECT_DELAYS_MS[RECONNECT_DELAYS_MS.length - 1] ?? 0;

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
