import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
export type RpcProxy = {
	url: string;
	/** While true every request is answered with 503. */
	fail(on: boolean): void;
	/** Answers `eth_getLogs` `count` more times, then with status 503, until `fail` is called. */
	answerLogs(count: number): void;
	/** Holds all requests until the returned function is called. */
	hold(): () => void;
	/** Answers `eth_chainId` with another id; null ends that. */
	pretendChain(id: number | null): void;
	/** Waits until this many requests failed since the proxy began to fail. */
	failures(count: number): Promise<void>;
	/** Waits until a method was called this often. */
	calls(method: string, count: number): Promise<void>;
	stop(): void;
};

const ASK_EVERY_MS = 5;

/** Starts a proxy in front of a JSON-RPC server that can fail as endpoints do. */
export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
	let failing = false;
	let failed = 0;
	let logsLeft = Number.POSITIVE_INFINITY;
	let chainId: number | null = null;
	let held = Promise.resolve();
	const called = new Map<string, number>();
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const text = await request.text();
			const calls: { method: string }[] = [JSON.parse(text)].flat();
			for (const { method } of calls) called.set(method, (called.get(method) ?? 0) + 1);
			const asksLogs = calls.some(({ method }) => method === "eth_getLogs");
			if (failing || (asksLogs && --logsLeft < 0)) {
				failed++;
				return new Response("upstream is away", { status: 503 });
			}
			await held;
			const answer = await fetch(upstream, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: text,
			});
			const [call] = calls;
			if (chainId === null || call?.method !== "eth_chainId") return answer;
			const lie = { ...((await answer.json()) as object), result: `0x${chainId.toString(16)}` };
			return Response.json(lie);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		fail(on) {
			failing = on;
			failed = 0;
			logsLeft = Number.POSITIVE_INFINITY;
		},
		answerLogs(count) {
			logsLeft = count;
			failed = 0;
		},
		hold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			held = promise;
			return resolve;
		},
		pretendChain(id) {
			chainId = id;
		},
		failures: (count) => until(() => failed >= count),
		calls: (method, count) => until(() => (called.get(method) ?? 0) >= count),
		stop: () => void server.stop(true),
	};
}

async function until(holds: () => boolean): Promise<void> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	while (performance.now() < giveUpAt) {
		if (holds()) return;
		await Bun.sleep(ASK_EVERY_MS);
	}
	throw new Error("what was waited for did not happen");
}
