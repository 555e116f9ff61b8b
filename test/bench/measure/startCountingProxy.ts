// Starts a proxy before a node that counts calls, delays and limits them.

import type { ServerWebSocket } from "bun";

/** A node's delay and limits; what is left out has none. */
export type NodeLimits = {
	/** Milliseconds of a round trip. */
	delayMs?: number;
	/** HTTP requests; more are refused with a 429. */
	requestsPerSecond?: number;
	/** JSON-RPC calls, each of a batch counted, as providers bill them. */
	callsPerSecond?: number;
};

export type RpcCounts = {
	/** HTTP requests. */
	requests: number;
	/** JSON-RPC calls in them. */
	calls: number;
	/** Bytes of the answers' bodies. */
	bytes: number;
	/** Requests that a limit refused; they are in no other count but `requests`. */
	refused: number;
	methods: Record<string, number>;
};

export type CountingProxy = { url: string; counts(): RpcCounts; stop(): Promise<void> };

type Far = { node: WebSocket | null; waiting: string[] };

/**
 * Starts a proxy before a node that counts calls, and applies the delay and limits of `limits`:
 * one's own node has neither delay nor bill. It costs time: never in a run against none.
 */
export function startCountingProxy(nodeUrl: string, limits: NodeLimits = {}): CountingProxy {
	const counts: RpcCounts = { requests: 0, calls: 0, bytes: 0, refused: 0, methods: {} };
	const takesRequest = takesPerSecond(limits.requestsPerSecond);
	const takesCalls = takesPerSecond(limits.callsPerSecond);
	const headers = { "content-type": "application/json" };
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		maxRequestBodySize: 64 * 1024 * 1024,
		idleTimeout: 60,
		async fetch(request) {
			const body = await request.text();
			const calls = callsOf(body);
			counts.requests++;
			const isTaken = takesRequest(1) && takesCalls(calls.length);
			if (limits.delayMs) await Bun.sleep(limits.delayMs);
			if (!isTaken) {
				counts.refused++;
				const error = { code: 429, message: "Too Many Requests" };
				const refusal = JSON.stringify({ jsonrpc: "2.0", id: null, error });
				return new Response(refusal, { status: 429, headers: { ...headers, "retry-after": "1" } });
			}
			counts.calls += calls.length;
			for (const { method } of calls) counts.methods[method] = (counts.methods[method] ?? 0) + 1;
			const response = await fetch(nodeUrl, { method: "POST", headers, body });
			const answer = await response.arrayBuffer();
			counts.bytes += answer.byteLength;
			return new Response(answer, { status: response.status, headers });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		counts: () => ({ ...counts, methods: { ...counts.methods } }),
		stop: () => server.stop(true),
	};
}

/**
 * Returns a function that says whether so many may pass now. One second's worth may come at once,
 * and more than that in one batch only when nothing was taken for a second.
 */
export function takesPerSecond(
	perSecond = Number.POSITIVE_INFINITY,
	nowMs: () => number = () => performance.now(),
): (count: number) => boolean {
	let left = perSecond;
	let atMs = nowMs();
	return (count) => {
		if (perSecond === Number.POSITIVE_INFINITY) return true;
		const ms = nowMs();
		left = Math.min(perSecond, left + ((ms - atMs) / 1_000) * perSecond);
		atMs = ms;
		if (left < Math.min(count, perSecond)) return false;
		left -= count;
		return true;
	};
}

/** Parses the calls of a request's body, which our own service wrote. */
export function callsOf(body: string): { method: string }[] {
	return [JSON.parse(body)].flat();
}

/**
 * Starts a proxy before a node's WebSocket that passes each message on half a round trip later, in
 * both directions and in order.
 */
export function startDelayingSocket(nodeUrl: string, delayMs: number) {
	const later = (act: () => void) => setTimeout(act, delayMs / 2);
	const server = Bun.serve<Far, never>({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request, server) {
			const data: Far = { node: null, waiting: [] };
			return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
		},
		websocket: {
			open: (client) => void open(client),
			message(client, text) {
				later(() => {
					const { node, waiting } = client.data;
					if (node?.readyState === WebSocket.OPEN) node.send(String(text));
					else waiting.push(String(text));
				});
			},
			close: (client) => client.data.node?.close(),
		},
	});
	return {
		url: `ws://127.0.0.1:${server.port}`,
		stop: () => server.stop(true),
	};

	function open(client: ServerWebSocket<Far>) {
		const node = new WebSocket(nodeUrl);
		client.data.node = node;
		node.onopen = () => {
			for (const text of client.data.waiting.splice(0)) node.send(text);
		};
		node.onmessage = ({ data }) => void later(() => client.send(String(data)));
		node.onclose = () => client.close();
	}
}
