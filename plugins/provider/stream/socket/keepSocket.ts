import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { CONNECTS_PER_MINUTE_MAX, STEADY_MS } from "#plugins/provider/stream/limits.ts";
import {
	nextSocketState,
	type SocketEvent,
	type SocketState,
} from "#plugins/provider/stream/socket/nextSocketState.ts";
import {
	openPhoenixSocket,
	type PhoenixSocket,
} from "#plugins/provider/stream/socket/openPhoenixSocket.ts";
import { reconnectDelayMs } from "#plugins/provider/stream/socket/reconnectDelayMs.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

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
	let told: "nothing" | "lost" | "back" = "nothing";

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
				if (!go("replied") || told !== "lost") return;
				log.info("the provider's stream is back", { endpoint });
				told = "back";
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
		if (told !== "nothing" && !wasSteady) return;
		log.warn("the provider's stream ended; it is opened again", { endpoint, reason });
		told = "lost";
	}
}
