// Starts a node over HTTP and WebSocket whose answers a test decides.

import type { ServerWebSocket } from "bun";

export type FakeCall = { id: number; method: string; params: unknown[] };

/** Returns the node's answer to one HTTP request; undefined: it never answers. */
export type FakeAnswer = (body: FakeCall | FakeCall[]) => Response | undefined;

export type FakeNode = {
	url: string;
	wsUrl: string;
	/** Every HTTP request's body, oldest first. */
	requests: (FakeCall | FakeCall[])[];
	answer: FakeAnswer;
	/** Returns the socket's answer to a message; undefined: none. */
	socketAnswer: (call: FakeCall) => string | undefined;
	/** Sends a head to every open socket. */
	announce(block: number): void;
	/** Sends a message of a subscription to every open socket. */
	push(subscription: string, result: unknown): void;
	/** Closes every open socket. */
	hangUp(): void;
	/** Returns the number of sockets opened so far. */
	opened(): number;
	stop(): Promise<void>;
};

/** Starts a node whose faults the test sets. */
export function fakeNode({ chainId = 31_337 } = {}): FakeNode {
	const sockets = new Set<ServerWebSocket>();
	const waiting = new Set<(response: Response) => void>();
	let opened = 0;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request, server) {
			if (server.upgrade(request)) return undefined;
			const body: FakeCall | FakeCall[] = JSON.parse(await request.text());
			node.requests.push(body);
			const response = node.answer(body);
			if (response) return response;
			return new Promise<Response>((resolve) => waiting.add(resolve));
		},
		websocket: {
			open(socket) {
				opened++;
				sockets.add(socket);
			},
			message(socket, text) {
				const answer = node.socketAnswer(JSON.parse(String(text)));
				if (answer !== undefined) socket.send(answer);
			},
			close: (socket) => void sockets.delete(socket),
		},
	});
	const node: FakeNode = {
		url: `http://127.0.0.1:${server.port}`,
		wsUrl: `ws://127.0.0.1:${server.port}`,
		requests: [],
		answer: (body) =>
			answering(({ method }) => (method === "eth_chainId" ? hex(chainId) : "0x1"))(body),
		socketAnswer: ({ id, method }) =>
			result(id, method === "eth_chainId" ? hex(chainId) : "0xsubscription"),
		announce: (block) => node.push("0xsubscription", fakeHeader(block)),
		push(subscription, result) {
			const params = { subscription, result };
			const text = JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params });
			for (const socket of sockets) socket.send(text);
		},
		hangUp() {
			for (const socket of sockets) socket.terminate();
		},
		opened: () => opened,
		async stop() {
			for (const answer of waiting) answer(new Response(null, { status: 503 }));
			await server.stop(true);
		},
	};
	return node;
}

/** Makes a node's answers that give each call its own result, as an honest node would. */
export function answering(resultOf: (call: FakeCall) => unknown): FakeAnswer {
	return (body) => {
		const one = (call: FakeCall) => ({ jsonrpc: "2.0", id: call.id, result: resultOf(call) });
		return Response.json(Array.isArray(body) ? body.map(one) : one(body));
	};
}

export function fakeHeader(block: number) {
	const hash = `0x${block.toString(16).padStart(64, "0")}`;
	const parentHash = `0x${(block - 1).toString(16).padStart(64, "0")}`;
	return { number: hex(block), hash, parentHash, timestamp: hex(1_700_000_000 + block) };
}

export function hex(value: number): string {
	return `0x${value.toString(16)}`;
}

function result(id: number, value: unknown): string {
	return JSON.stringify({ jsonrpc: "2.0", id, result: value });
}
