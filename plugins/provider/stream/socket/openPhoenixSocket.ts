import { decodeFrame } from "#plugins/provider/stream/frame/decodeFrame.ts";
import { encodeFrame } from "#plugins/provider/stream/frame/encodeFrame.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import {
	HEARTBEAT_MS,
	OPEN_TIMEOUT_MS,
	UNANSWERED_MAX,
	UNREADABLE_IN_A_ROW_MAX,
} from "#plugins/provider/stream/limits.ts";
import { createInbox } from "#plugins/provider/stream/socket/createInbox.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

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

function openOrNull({ openSocket, url }: PhoenixSocketOptions): WebSocket | null {
	try {
		return openSocket(url);
	} catch {
		return null;
	}
}
