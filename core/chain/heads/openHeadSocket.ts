import { z } from "zod";
import type { Head } from "#core/chain/heads/Head.ts";
import type { LogListener } from "#core/chain/heads/LogListener.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";

/** Called for each call over a socket, and for each message that came (`eth_subscription`). */
export type SocketCallListener = (call: { method: string; bytes: number; host: string }) => void;

export type HeadSocketOptions = {
	url: string;
	chainId: number;
	silenceMaxMs: number;
	onHead(head: Head): void;
	/** Who is told logs over this socket; a node that refuses that is a node for heads. */
	listeners?: readonly LogListener[] | undefined;
	onSocketCall?: SocketCallListener | undefined;
	/** Once, and nothing is heard of this socket afterwards. */
	onEnd(reason: string): void;
};

const CHAIN_ID_REQUEST = 1;
const SUBSCRIBE_REQUEST = 2;
/** And those behind it: one for each filter. */
const LOGS_REQUEST = 3;

/**
 * What the node sends by itself has no `result`, and an `id` that is missing or null. In zod 4 a
 * bare `z.unknown()` refuses a missing key: without `optional` every head would be dropped.
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
 * One `newHeads` subscription on one socket, and one for each filter of those who listen to logs;
 * answers how to end it without a word. What it says counts
 * only after this very socket said that it serves our chain: it may lead elsewhere than the HTTP
 * endpoint beside it.
 */
export function openHeadSocket(options: HeadSocketOptions): () => void {
	const { chainId, silenceMaxMs, onHead, onEnd } = options;
	const { host } = new URL(options.url);
	const wanted = (options.listeners ?? []).flatMap((listener) => {
		return listener.filters.map((filter) => ({ listener, filter }));
	});
	/** By the name that the node gave the subscription. */
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
		// Bun's own word: `close` waits for the other side, which may be gone.
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
