export type RpcCounts = {
	/** HTTP requests. */
	requests: number;
	/** JSON-RPC calls in them. */
	calls: number;
	/** Of the answers' bodies. */
	bytes: number;
	methods: Record<string, number>;
};

export type CountingProxy = { url: string; counts(): RpcCounts; stop(): Promise<void> };

/** Stands before a node and counts what is asked of it. It costs time: never in a timed run. */
export function startCountingProxy(nodeUrl: string): CountingProxy {
	const counts: RpcCounts = { requests: 0, calls: 0, bytes: 0, methods: {} };
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		maxRequestBodySize: 64 * 1024 * 1024,
		idleTimeout: 60,
		async fetch(request) {
			const body = await request.text();
			const headers = { "content-type": "application/json" };
			const response = await fetch(nodeUrl, { method: "POST", headers, body });
			const answer = await response.arrayBuffer();
			const calls: { method: string }[] = [JSON.parse(body)].flat();
			counts.requests++;
			counts.calls += calls.length;
			counts.bytes += answer.byteLength;
			for (const { method } of calls) counts.methods[method] = (counts.methods[method] ?? 0) + 1;
			return new Response(answer, { status: response.status, headers });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		counts: () => ({ ...counts, methods: { ...counts.methods } }),
		stop: () => server.stop(true),
	};
}
