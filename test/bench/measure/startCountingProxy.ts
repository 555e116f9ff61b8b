import { callsOf, type NodeLimits, takesPerSecond } from "#test/bench/measure/nodeLimits.ts";

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
