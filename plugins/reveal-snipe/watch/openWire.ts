import { z } from "zod";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";

type WireOptions<About> = {
	url: string;
	onOpen(): void;
	/**
	 * Called with the answer to a request; `result` is undefined where the node answered an error.
	 */
	onAnswer(about: About, result: unknown): void;
	/** Called with a message that the node pushed. */
	onPush(result: unknown): void;
	/** Called once; no other callback of this socket follows. */
	onEnd(reason: string): void;
	onSocketCall?: SocketCallListener | undefined;
};

type Wire<About> = {
	ask(about: About, method: string, params: readonly unknown[]): void;
	/** Requests without an answer yet. */
	waiting(): About[];
	/** Closes the socket, and reports the reason. */
	end(reason: string): void;
	/** Closes the socket without a report. */
	close(): void;
};

const messageSchema = z.object({
	id: z.unknown().optional(),
	result: z.unknown().optional(),
	params: z.object({ result: z.unknown().optional() }).optional(),
});

/** Opens JSON-RPC over one WebSocket; each answer is matched with its request. */
export function openWire<About>(options: WireOptions<About>): Wire<About> {
	const socket = new WebSocket(options.url);
	const { host } = new URL(options.url);
	const asked = new Map<unknown, About>();
	let nextId = 1;
	let isOver = false;
	socket.onopen = options.onOpen;
	socket.onclose = () => end("it closed");
	socket.onmessage = (event) => receive(String(event.data));

	function receive(text: string) {
		const message = parse(text);
		if (!message) return;
		if (message.params) {
			options.onSocketCall?.({ method: "eth_subscription", bytes: text.length, host });
			return options.onPush(message.params.result);
		}
		const about = asked.get(message.id);
		if (about === undefined) return;
		asked.delete(message.id);
		options.onAnswer(about, message.result);
	}

	function close() {
		isOver = true;
		socket.onopen = socket.onclose = socket.onmessage = null;
		// Specific to Bun: `close` waits for the other side, which may be gone.
		if ("terminate" in socket && typeof socket.terminate === "function") socket.terminate();
		else socket.close();
	}

	function end(reason: string) {
		if (isOver) return;
		close();
		options.onEnd(reason);
	}

	return {
		ask(about, method, params) {
			if (isOver || socket.readyState !== WebSocket.OPEN) return;
			options.onSocketCall?.({ method, bytes: 0, host });
			asked.set(nextId, about);
			socket.send(JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params }));
		},
		waiting: () => [...asked.values()],
		end,
		close,
	};
}

function parse(text: string) {
	try {
		return messageSchema.safeParse(JSON.parse(text)).data ?? null;
	} catch {
		return null;
	}
}
