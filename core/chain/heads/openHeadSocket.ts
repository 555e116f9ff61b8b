// Opens a WebSocket that delivers a chain's new heads and logs.

import { z } from "zod";
import { type Head, type LogListener, parseHead } from "#core/chain/heads/Head.ts";

/** Called for each call over a socket, and for each received message (`eth_subscription`). */
export type SocketCallListener = (call: { method: string; bytes: number; host: string }) => void;

export type HeadSocketOptions = {
	url: string;
	chainId: number;
	silenceMaxMs: number;
	onHead(head: Head): void;
	/** Listeners to logs over this socket; a node that refuses these is used for heads only. */
	listeners?: readonly LogListener[] | undefined;
	onSocketCall?: SocketCallListener | undefined;
	/** Called once; no other callback of this socket follows. */
	onEnd(reason: string): void;
};

const CHAIN_ID_REQUEST = 1;
const SUBSCRIBE_REQUEST = 2;
/** And the ids after it: one for each filter. */
const LOGS_REQUEST = 3;

/**
 * A pushed message has no `result`, and an `id` that is missing or null. In zod 4 a bare
 * `z.unknown()` refuses a missing key: without `optional` every head would be dropped.
 */
const messageSchema = z.object({
	id: z.unknown().optional(),
	result: z.unknown().optional(),
	error: z.unknown().optional(),
	params: z
		.object({ subscription: z.unknown().optional(), result: z.unknown().optional() })
		.optional(),
});

/**
 * Opens one `newHeads` subscription on one socket, and one for each filter of the listeners;
 * returns a function that closes it silently. Its messages count only after this socket has
 * confirmed our chain id: it may lead elsewhere than the HTTP endpoint beside it.
 */
export function openHeadSocket(options: HeadSocketOptions): () => void {
	const { chainId, silenceMaxMs, onHead, onEnd } = options;
	const { host } = new URL(options.url);
	const wanted = (options.listeners ?? []).flatMap((listener) => {
		return listener.filters.map((filter) => ({ listener, filter }));
	});
	/** Maps the id that the node gave a subscription to its listener. */
	const listening = new Map<unknown, LogListener>();
	let trusted = false;
	const socket = new WebSocket(options.url);
	const silence = setTimeout(() => end("it is silent"), silenceMaxMs);
	socket.onopen = () => {
		send(CHAIN_ID_REQUEST, "eth_chainId", []);
		send(SUBSCRIBE_REQUEST, "eth_subscribe", ["newHeads"]);
		for (const [at, { filter }] of wanted.entries()) {
			send(LOGS_REQUEST + at, "eth_subscribe", ["logs", filter]);
		}
	};
	socket.onmessage = (event) => receive(String(event.data));
	socket.onclose = () => end("it closed");
	return close;

	function send(id: number, method: string, params: readonly unknown[]) {
		options.onSocketCall?.({ method, bytes: 0, host });
		socket.send(request(id, method, params));
	}

	function receive(text: string) {
		const message = parseMessage(text);
		if (message?.params) {
			options.onSocketCall?.({ method: "eth_subscription", bytes: text.length, host });
		}
		if (!message) return;
		if (message.id === CHAIN_ID_REQUEST) {
			trusted = typeof message.result === "string" && Number(message.result) === chainId;
			if (!trusted) end(`it serves chain ${String(message.result).slice(0, 20)}`);
			return;
		}
		if (message.id === SUBSCRIBE_REQUEST && message.error) return end("it refused to subscribe");
		const subscribed = typeof message.id === "number" && wanted[message.id - LOGS_REQUEST];
		if (subscribed) {
			if (message.result) listening.set(message.result, subscribed.listener);
			return;
		}
		const listener = message.params && listening.get(message.params.subscription);
		if (listener) return trusted ? listener.onLog(message.params?.result) : undefined;
		const head = parseHead(message.params?.result);
		if (!head || !trusted) return;
		silence.refresh();
		onHead(head);
	}

	function close() {
		clearTimeout(silence);
		socket.onopen = socket.onmessage = socket.onclose = null;
		// Specific to Bun: `close` waits for the other side, which may be gone.
		if ("terminate" in socket && typeof socket.terminate === "function") socket.terminate();
		else socket.close();
	}

	function end(reason: string) {
		close();
		onEnd(reason);
	}
}

function request(id: number, method: string, params: readonly unknown[]): string {
	return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function parseMessage(text: string) {
	try {
		return messageSchema.safeParse(JSON.parse(text)).data ?? null;
	} catch {
		return null;
	}
}
