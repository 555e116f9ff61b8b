// Speaks the Phoenix channel protocol: frames, heartbeats, and reading in small parts.

import { z } from "zod";
import {
	FRAME_BYTES_MAX,
	FRAME_DEPTH_MAX,
	FRAMES_PER_TURN_MAX,
	HEARTBEAT_MS,
	INBOX_BYTES_MAX,
	INBOX_REST_MS_MAX,
	INBOX_REST_SHARE,
	INBOX_UNHURRIED_MAX,
	OPEN_TIMEOUT_MS,
	SLUG_LENGTH_MAX,
	UNANSWERED_MAX,
	UNREADABLE_IN_A_ROW_MAX,
} from "#plugins/provider/limits.ts";
import type { PhoenixFrame, Timers } from "#plugins/provider/stream/model.ts";
import { parseWireJson } from "#plugins/provider/wire/rows.ts";

export type DecodedFrame =
	| { kind: "frame"; frame: PhoenixFrame; bytes: number }
	| { kind: "unreadable"; reason: "binary" | "too_large" | "not_a_frame" };

/** A socket's messages that are still unread. */
export type Inbox = {
	/** Hands a message on at once, or after earlier ones. */
	add(data: unknown): void;
	/** Runs a function after all earlier messages. */
	behind(run: () => void): void;
	/** Forgets waiting messages, and hands none on any more. */
	close(): void;
};

export type PhoenixSocketOptions = {
	/** Contains the key: it is passed only to `openSocket`. */
	url: string;
	openSocket(url: string): WebSocket;
	timers: Timers;
	/** Returns a reference that no earlier request had. */
	newRef(): string;
	onOpen(): void;
	/** Called when the server answers a request of this socket. */
	onReply(): void;
	onFrame(frame: PhoenixFrame, bytes: number): void;
	onUnreadable(reason: string): void;
	/** Called once; after it no other callback of this socket is called. */
	onEnd(reason: string): void;
};

export type PhoenixSocket = {
	send(frame: PhoenixFrame): void;
	/** Ends it without calling `onEnd`. */
	close(): void;
};

const ref = z
	.union([z.string().max(64), z.int().transform(String)])
	.nullish()
	.transform((value) => value ?? null);
const topic = z.string().min(1).max(512);
const event = z.string().min(1).max(128);
// Messages of the protocol itself (`phx_close`) mean the same whatever their payload is.
const payload = z.record(z.string(), z.unknown()).catch({});

/** Serializer 2.0.0. */
const arraySchema = z
	.tuple([ref, ref, topic, event, payload])
	.transform(([joinRef, ref, topic, event, payload]) => ({ joinRef, ref, topic, event, payload }));
/** Serializer 1.0.0, which an older host of the provider still uses. */
const objectSchema = z
	.object({ join_ref: ref, ref, topic, event, payload })
	.transform(({ join_ref: joinRef, ...frame }) => ({ joinRef, ...frame }));
const frameSchema = z.union([arraySchema, objectSchema]);

/**
 * Returns the topic of a collection's events; null for a text that cannot be a slug. `*` is refused
 * too: it means every collection.
 */
export function topicOf(slug: string): string | null {
	const isSlug = slug.length <= SLUG_LENGTH_MAX && /^[^\s*:\p{C}]+$/u.test(slug);
	return isSlug ? `collection:${slug}` : null;
}

/**
 * Opens one socket and watches it until its end. A heartbeat is sent as soon as it is open, and
 * each must be answered before the next: a half-open connection never closes by itself.
 *
 * Error texts of the socket are dropped: Bun includes the whole URL, which contains the key. A
 * server's reason for closing could contain it too.
 */
export function openPhoenixSocket(options: PhoenixSocketOptions): PhoenixSocket {
	const { timers, newRef } = options;
	const sent = new Set<string>();
	let pendingBeat: string | null = null;
	let unreadable = 0;
	let ended = false;
	const inbox = createInbox({ receive, full: () => end("it sends more than can be read") });
	let cancelTimer = timers.after(OPEN_TIMEOUT_MS, () => end("it did not open"));
	const socket = openOrNull(options);
	if (!socket) {
		// Not at once: the caller does not have the returned socket yet.
		cancelTimer();
		cancelTimer = timers.after(0, () => end("it cannot be opened"));
		return { send() {}, close };
	}
	socket.onopen = () => {
		beat();
		options.onOpen();
	};
	socket.onmessage = (event: MessageEvent<unknown>) => inbox.add(event.data);
	socket.onerror = () => {};
	// After the messages that it had sent: those were received.
	socket.onclose = (event: CloseEvent) => inbox.behind(() => end(`it closed with ${event.code}`));
	return { send, close };

	function send(frame: PhoenixFrame) {
		if (ended || socket?.readyState !== WebSocket.OPEN) return;
		if (frame.ref !== null) sent.add(frame.ref);
		for (const oldest of sent) {
			if (sent.size <= UNANSWERED_MAX) break;
			sent.delete(oldest);
		}
		socket.send(encodeFrame(frame));
	}

	function beat() {
		if (pendingBeat !== null) return end("a heartbeat went unanswered");
		cancelTimer();
		pendingBeat = newRef();
		send({ joinRef: null, ref: pendingBeat, topic: "phoenix", event: "heartbeat", payload: {} });
		cancelTimer = timers.after(HEARTBEAT_MS, beat);
	}

	function receive(data: unknown) {
		const decoded = decodeFrame(data);
		if (decoded.kind === "unreadable") {
			options.onUnreadable(decoded.reason);
			unreadable++;
			if (unreadable >= UNREADABLE_IN_A_ROW_MAX) end("it sends what nobody can read");
			return;
		}
		unreadable = 0;
		const { frame, bytes } = decoded;
		if (frame.event === "phx_reply" && frame.ref !== null && sent.delete(frame.ref)) {
			if (frame.ref === pendingBeat) pendingBeat = null;
			options.onReply();
		}
		if (!ended) options.onFrame(frame, bytes);
	}

	function close() {
		ended = true;
		cancelTimer();
		inbox.close();
		sent.clear();
		if (!socket) return;
		socket.onopen = socket.onmessage = socket.onclose = null;
		// Bun's own method: `close` waits for the other side, which may be gone.
		if ("terminate" in socket && typeof socket.terminate === "function") socket.terminate();
		else socket.close();
	}

	function end(reason: string) {
		if (ended) return;
		close();
		options.onEnd(reason);
	}
}

/** Reads a socket's message. Never throws, and never parses one that is too large. */
export function decodeFrame(data: unknown): DecodedFrame {
	if (typeof data !== "string") return { kind: "unreadable", reason: "binary" };
	// There are at least as many bytes as characters, so most frames need no byte count.
	const bytes = data.length > FRAME_BYTES_MAX ? data.length : Buffer.byteLength(data);
	if (bytes > FRAME_BYTES_MAX) return { kind: "unreadable", reason: "too_large" };
	const value = parseWireJson(data);
	// The parser has no depth limit; code that walks the value later would overflow the stack.
	if (isDeeper(value, FRAME_DEPTH_MAX)) return { kind: "unreadable", reason: "not_a_frame" };
	const parsed = frameSchema.safeParse(value);
	if (!parsed.success) return { kind: "unreadable", reason: "not_a_frame" };
	return { kind: "frame", frame: parsed.data, bytes };
}

/** Encodes a frame as an array, for serializer 2.0.0, the version that we ask the server for. */
export function encodeFrame(frame: PhoenixFrame): string {
	const { joinRef, ref, topic, event, payload } = frame;
	return JSON.stringify([joinRef, ref, topic, event, payload]);
}

/**
 * Makes an inbox that hands on a socket's messages in order, a few frames at a time. A flood is
 * read from the network in pieces of half a megabyte: all of a piece at once would block all other
 * work (500 frames took 45 ms). Between two parts of a flood it rests for longer than it worked: a
 * request for a page comes back to the event loop for each answer of the database, and would wait
 * for a part each time. Where very many frames wait it does not rest, with one part in each turn of
 * the event loop. Waiting messages are bounded in bytes; `full` is called once where one does not
 * fit, and later ones are left out.
 */
export function createInbox(options: {
	receive(data: unknown): void;
	full(): void;
	/** Runs a function so many milliseconds later; at 0 in the next turn of the event loop. */
	later?: (ms: number, run: () => void) => void;
	nowMs?: () => number;
}): Inbox {
	const { receive, full, later = runLater, nowMs = () => performance.now() } = options;
	const waiting: { bytes: number; run: () => void }[] = [];
	let bytes = 0;
	let left = FRAMES_PER_TURN_MAX;
	let isPlanned = false;
	let isClosed = false;
	let isFull = false;

	function plan(restMs: number): void {
		if (isPlanned) return;
		isPlanned = true;
		later(restMs, () => {
			isPlanned = false;
			left = FRAMES_PER_TURN_MAX;
			const beganMs = nowMs();
			while (left > 0) {
				const next = waiting.shift();
				if (!next) break;
				bytes -= next.bytes;
				left--;
				next.run();
			}
			if (waiting.length > 0) plan(restAfter(nowMs() - beganMs));
		});
	}

	function restAfter(workedMs: number): number {
		if (waiting.length > INBOX_UNHURRIED_MAX) return 0;
		return Math.min(workedMs * INBOX_REST_SHARE, INBOX_REST_MS_MAX);
	}

	function put(size: number, run: () => void): void {
		if (isClosed) return;
		plan(0);
		if (waiting.length === 0 && left > 0) {
			left--;
			run();
		} else {
			waiting.push({ bytes: size, run });
			bytes += size;
		}
	}

	return {
		add(data) {
			const size = typeof data === "string" ? data.length : 0;
			if (isFull) return;
			isFull = bytes + size > INBOX_BYTES_MAX;
			if (isFull) full();
			else put(size, () => receive(data));
		},
		behind: (run) => put(0, run),
		close() {
			isClosed = true;
			waiting.length = 0;
			bytes = 0;
		},
	};
}

function openOrNull({ openSocket, url }: PhoenixSocketOptions): WebSocket | null {
	try {
		return openSocket(url);
	} catch {
		return null;
	}
}

function isDeeper(value: unknown, depthMax: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depthMax === 0) return true;
	return Object.values(value).some((inner) => isDeeper(inner, depthMax - 1));
}

function runLater(ms: number, run: () => void): void {
	if (ms > 0) setTimeout(run, ms);
	else setImmediate(run);
}
