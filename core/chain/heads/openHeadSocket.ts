import { z } from "zod";
import type { Head } from "#core/chain/heads/Head.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";

export type HeadSocketOptions = {
	url: string;
	chainId: number;
	silenceMaxMs: number;
	onHead(head: Head): void;
	/** Once, and nothing is heard of this socket afterwards. */
	onEnd(reason: string): void;
};

const CHAIN_ID_REQUEST = 1;
const SUBSCRIBE_REQUEST = 2;

/**
 * What the node sends by itself has no `result`, and an `id` that is missing or null. In zod 4 a
 * bare `z.unknown()` refuses a missing key: without `optional` every head would be dropped.
 */
const messageSchema = z.object({
	id: z.unknown().optional(),
	result: z.unknown().optional(),
	error: z.unknown().optional(),
	params: z.object({ result: z.unknown().optional() }).optional(),
});

/**
 * One `newHeads` subscription on one socket; answers how to end it without a word. Heads count
 * only after this very socket said that it serves our chain: it may lead elsewhere than the HTTP
 * endpoint beside it.
 */
export function openHeadSocket(options: HeadSocketOptions): () => void {
	const { chainId, silenceMaxMs, onHead, onEnd } = options;
	let trusted = false;
	const socket = new WebSocket(options.url);
	const silence = setTimeout(() => end("it is silent"), silenceMaxMs);
	socket.onopen = () => {
		socket.send(request(CHAIN_ID_REQUEST, "eth_chainId", []));
		socket.send(request(SUBSCRIBE_REQUEST, "eth_subscribe", ["newHeads"]));
	};
	socket.onmessage = (event) => receive(String(event.data));
	socket.onclose = () => end("it closed");
	return close;

	function receive(text: string) {
		const message = parseMessage(text);
		if (!message) return;
		if (message.id === CHAIN_ID_REQUEST) {
			trusted = typeof message.result === "string" && Number(message.result) === chainId;
			if (!trusted) end(`it serves chain ${String(message.result).slice(0, 20)}`);
			return;
		}
		if (message.id === SUBSCRIBE_REQUEST && message.error) return end("it refused to subscribe");
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
