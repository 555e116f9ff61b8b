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
	/** Has the key in it: it goes nowhere but into the factory. */
	url: string;
	openSocket(url: string): WebSocket;
	timers: Timers;
	/** A reference that no request before had. */
	newRef(): string;
	onOpen(): void;
	/** The server answered something that this very socket asked. */
	onReply(): void;
	onFrame(frame: PhoenixFrame, bytes: number): void;
	onUnreadable(reason: string): void;
	/** Once, and nothing is heard of this socket afterwards. */
	onEnd(reason: string): void;
};

export type PhoenixSocket = {
	send(frame: PhoenixFrame): void;
	/** Ends it without a word. */
	close(): void;
};

/**
 * One socket, from its first byte to its end. A heartbeat goes out as soon as it is open, and each
 * must be answered before the next: a connection that is half open never closes by itself.
 *
 * What the socket says of its own errors is dropped: Bun puts the whole URL into the sentence, and
 * the key is in the URL. What a server gives as its reason for closing could hold it too.
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
		// Not at once: the caller does not hold what this function answers yet.
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
	// Behind what it had sent: that was heard.
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
		// Bun's own word: `close` waits for the other side, which may be gone.
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
