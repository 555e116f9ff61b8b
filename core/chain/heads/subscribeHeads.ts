import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import type { Log } from "#core/log/Log.ts";

export type HeadSubscriptionOptions = {
	chain: Chain;
	headUrls: readonly string[];
	log: Log;
	onHead(head: Head): void;
	onLost(): void;
	signal: AbortSignal;
};

const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 10_000;
const CHAIN_ID_REQUEST = 1;
const SUBSCRIBE_REQUEST = 2;

const messageSchema = z.object({
	id: z.number().optional(),
	result: z.unknown(),
	params: z.object({ result: z.unknown() }).optional(),
});

/** Keeps a `newHeads` subscription alive on one of the endpoints until the signal aborts. */
export function subscribeHeads(options: HeadSubscriptionOptions): void {
	const { chain, headUrls, log, signal } = options;
	let attempt = 0;
	let socket: WebSocket | null = null;
	/** Heads count only after this socket said that it serves our chain. */
	let trusted = false;
	let timer: ReturnType<typeof setTimeout> | undefined;

	signal.addEventListener("abort", () => {
		clearTimeout(timer);
		socket?.close();
	});
	connect();

	function connect() {
		const url = headUrls[attempt % headUrls.length];
		if (signal.aborted || url === undefined) return;
		const opened = new WebSocket(url);
		socket = opened;
		trusted = false;
		opened.onopen = () => {
			// The chain is checked on this socket too: it may lead elsewhere than the HTTP endpoint.
			opened.send(request(CHAIN_ID_REQUEST, "eth_chainId", []));
			opened.send(request(SUBSCRIBE_REQUEST, "eth_subscribe", ["newHeads"]));
		};
		opened.onmessage = (event) => receive(opened, String(event.data));
		opened.onclose = () => lost();
		opened.onerror = () => {};
	}

	function lost() {
		options.onLost();
		if (signal.aborted) return;
		if (attempt === 0) log.warn("the head socket closed; polling until it is back");
		const delayMs = Math.min(RECONNECT_MIN_MS * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);
		attempt++;
		timer = setTimeout(connect, delayMs);
	}

	function receive(from: WebSocket, text: string) {
		const message = parseMessage(text);
		if (!message) return;
		if (message.id === CHAIN_ID_REQUEST) {
			trusted = Number(message.result) === chain.id;
			if (trusted) return;
			log.error("a head socket serves another chain", { got: message.result });
			from.close();
			return;
		}
		const head = parseHead(message.params?.result);
		if (!head || !trusted || from !== socket || signal.aborted) return;
		if (attempt > 0) log.info("the head socket is back", { head: head.number });
		attempt = 0;
		options.onHead(head);
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
