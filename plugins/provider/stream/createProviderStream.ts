// Makes the client of the provider's stream, and runs it in one process at a time.

import { randomInt } from "node:crypto";
import type { Clock } from "#core/clock.ts";
import type { LeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import { sleep } from "#core/time.ts";
import type { ProviderStream, ProviderStreamState } from "#plugins/provider/contract.ts";
import { LEASE_EVERY_MS, TOPICS_MAX } from "#plugins/provider/limits.ts";
import { createDelivery } from "#plugins/provider/stream/delivery.ts";
import {
	createStreamMetrics,
	keepSocket,
	type SocketState,
	type StreamStatus,
} from "#plugins/provider/stream/keepSocket.ts";
import type { Timers } from "#plugins/provider/stream/model.ts";
import { topicOf } from "#plugins/provider/stream/phoenix.ts";
import { createEventReader, type KnownChains } from "#plugins/provider/stream/readEvent.ts";
import { createTopicBook, type TopicBook } from "#plugins/provider/stream/topics.ts";

/** The stream, with the switch that only this plugin has. */
export type StreamClient = ProviderStream & {
	/** Opens the stream; it is kept open, through all failures, until `stop` or the signal. */
	start(signal: AbortSignal): void;
	/**
	 * Closes it and waits for listeners under way. The followed collections are kept for the next
	 * `start`.
	 */
	stop(): Promise<void>;
};

export type ProviderStreamOptions = {
	/** `ws` or `wss`, without the key. */
	url: string;
	/** The provider's key; null where none is configured. Never in a log or an error. */
	token: string | null;
	chains: KnownChains;
	clock: Clock;
	log: Log;
	metrics: Metrics;
	timers?: Timers;
	/** Returns a number from 0 up to 1. */
	random?: () => number;
	openSocket?: (url: string) => WebSocket;
};

/** Timers of the machine. */
export const systemTimers: Timers = {
	after(ms, run) {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};

const RANDOM_STEPS = 2 ** 32;

const LEASE = "provider-stream";

/**
 * Makes the client of the provider's stream, over one socket. The provider's side is best effort:
 * nothing is sent again, and events come twice and in any order. So this side promises only that
 * all it may have missed is reported as a gap, and that no event is made up: what a frame does not
 * state for certain is read over HTTP too.
 */
export function createProviderStream(options: ProviderStreamOptions): StreamClient {
	const { clock, log, timers = systemTimers, random = systemRandom } = options;
	const metrics = createStreamMetrics(options.metrics);
	const read = createEventReader(options);
	const { count, waiting } = metrics;
	const delivery = createDelivery({ ...options, timers, count, waiting });
	const shared = { clock, timers, random, log, newRef: countingRefs() };
	let isRefusalLogged = false;
	let running = new AbortController();
	const topics = createTopicBook({
		...shared,
		send: (frame) => socket.send(frame),
		onJoined: delivery.missed,
		onRefused(slug) {
			metrics.count("refused");
			// Once for each socket: with a wrong key every collection is refused.
			if (!isRefusalLogged) log.warn("the provider's stream refuses a collection", { slug });
			isRefusalLogged = true;
		},
	});
	const socket = keepSocket({
		...shared,
		url: addressOf(options),
		openSocket: options.openSocket ?? openWebSocket,
		onOpen() {
			isRefusalLogged = false;
			topics.up();
		},
		onDown(heardMs) {
			metrics.socketEnded();
			topics.down(heardMs);
			observe();
		},
		onUnreadable: () => metrics.count("unreadable"),
		onFrame({ frame, bytes, heardMs }) {
			const verdict = topics.receive(frame, heardMs);
			if (verdict.kind !== "event") {
				if (verdict.kind === "stray" && frame.topic !== "phoenix") metrics.count("stray");
				return observe();
			}
			const reading = read(frame, verdict.slug);
			if (reading.kind === "push") delivery.push({ ...reading, bytes });
			else metrics.count(reading.why);
			if (reading.kind === "missing") delivery.missed(verdict.slug, reading.atMs);
		},
	});

	function state() {
		return stateOf(socket.state(), topics);
	}

	function observe() {
		metrics.observe({ isLive: state() === "live", joined: topics.joined() });
	}

	function halt() {
		running.abort();
		delivery.halt();
		socket.stop();
		observe();
	}

	return {
		state,
		follow(slugs) {
			const wanted = wantedTopics(slugs, log);
			topics.follow(wanted);
			delivery.keepOnly(new Set(wanted.keys()));
			observe();
		},
		onPushes: delivery.onPushes,
		onGap: delivery.onGap,
		start(signal) {
			if (signal.aborted) return;
			running = new AbortController();
			signal.addEventListener("abort", halt, { once: true, signal: running.signal });
			delivery.begin();
			socket.start();
		},
		async stop() {
			halt();
			await delivery.drained();
		},
	};
}

/**
 * Holds the stream open while this process holds the lease, until the signal: one of many workers
 * listens, and another takes over within seconds when it is gone. Without the database none
 * listens, as pushes could not be stored.
 *
 * Two may listen for a moment while the lease changes hands. A push then comes twice, which every
 * listener must accept anyway.
 */
export async function startProviderStream(options: {
	stream: StreamClient;
	leases: Pick<LeaseKeeper, "hold" | "release">;
	log: Log;
	/** Written by the listening process, read by all others. */
	status: Pick<StreamStatus, "tell" | "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { stream, leases, status, log, signal, everyMs = LEASE_EVERY_MS } = options;
	let isOurs = false;
	while (!signal.aborted) {
		const lease = await leases.hold(LEASE).catch(() => null);
		if (signal.aborted) break;
		if (lease && !isOurs) {
			log.info("this process listens to the provider's stream");
			stream.start(signal);
		}
		if (!lease && isOurs) {
			log.info("another process may listen to the provider's stream");
			await stream.stop();
		}
		isOurs = lease !== null;
		// A state that cannot be stored now is stored with the next beat.
		await (isOurs ? status.tell(stream.state()) : status.learn()).catch(() => {});
		await sleep(everyMs, signal);
	}
	await stream.stop();
	await leases.release(LEASE).catch(() => {});
}

function systemRandom(): number {
	return randomInt(RANDOM_STEPS) / RANDOM_STEPS;
}

function countingRefs(): () => string {
	let last = 0;
	return () => String(++last);
}

function addressOf({ url, token }: ProviderStreamOptions): string {
	const address = new URL(url);
	if (token !== null) address.searchParams.set("token", token);
	address.searchParams.set("vsn", "2.0.0");
	return address.href;
}

/**
 * Opens a socket without compression: a message of gigabytes would be decompressed before it could
 * be refused.
 */
function openWebSocket(url: string): WebSocket {
	// By Reflect, because the browser's types lack Bun's options.
	return Reflect.construct(WebSocket, [url, { perMessageDeflate: false }]);
}

/**
 * Returns the stream's state. It is live only if it brings events: a server that answers and
 * refuses every topic is not.
 */
function stateOf(socket: SocketState, topics: TopicBook): ProviderStreamState {
	if (socket === "off") return "off";
	const brings = topics.size() === 0 || topics.joined() > 0;
	return socket === "live" && brings ? "live" : "connecting";
}

/** Returns topics by slug, each once, at most as many as one socket should carry. */
function wantedTopics(slugs: readonly string[], log: Log): Map<string, string> {
	const wanted = new Map<string, string>();
	for (const slug of slugs) {
		const name = topicOf(slug);
		if (name !== null) wanted.set(slug, name);
		if (wanted.size === TOPICS_MAX) break;
	}
	if (wanted.size === TOPICS_MAX && slugs.length > TOPICS_MAX) {
		log.debug("more collections than the provider's stream follows", { asked: slugs.length });
	}
	return wanted;
}
