import { expect, test } from "bun:test";
import { SHARED_CALLS_MAX, shareRpc } from "#core/chain/reads/shareRpc.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";

// Guarantee: a shared request gives each caller its own answer, and none from before its question.

type Request = { calls: readonly RpcCall[]; answer(): void; fail(): void };

/** Makes a node that answers when the test says so, and records its requests. */
function nodeOf() {
	const requests: Request[] = [];
	const settle: Rpc["settle"] = (calls) => {
		const { promise, resolve, reject } = Promise.withResolvers<RpcOutcome[]>();
		const outcomeOf = ({ method, params }: RpcCall): RpcOutcome =>
			method === "refused"
				? { kind: "fault", fault: rpcFault.refused({ detail: "no" }) }
				: { kind: "result", result: `${method} ${params.join()}` };
		requests.push({
			calls,
			answer: () => resolve(calls.map(outcomeOf)),
			fail: () => reject(rpcFault.transport({ detail: "away" })),
		});
		return promise;
	};
	const never = async () => Promise.reject(new Error("nobody asks so"));
	const stats = () => ({ requests: 0, calls: 0, bytes: 0 });
	const rpc = shareRpc({ settle, call: never, batch: never, distrust() {}, stats });
	return { rpc, requests };
}

const call = (method: string, ...params: string[]) => ({ method, params });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("calls that arrive while others wait share one request, and equal calls are sent once", async () => {
	const { rpc, requests } = nodeOf();
	const first = [rpc.call(call("a", "1")), rpc.call(call("a", "2"))];
	expect(requests).toHaveLength(2);
	const later = [
		rpc.settle([call("head"), call("b", "1")]),
		rpc.settle([call("b", "2"), call("head"), call("refused")]),
	];
	expect(requests).toHaveLength(2);
	for (const { answer } of requests.slice(0, 2)) answer();
	expect(await Promise.all(first)).toEqual(["a 1", "a 2"]);
	await turn();
	expect(requests[2]?.calls).toEqual([
		call("head"),
		call("b", "1"),
		call("b", "2"),
		call("refused"),
	]);
	requests[2]?.answer();
	const [one, two] = await Promise.all(later);
	expect(one?.map((outcome) => outcome.kind === "result" && outcome.result)).toEqual([
		"head ",
		"b 1",
	]);
	expect(two?.map(({ kind }) => kind)).toEqual(["result", "result", "fault"]);
	// A later question reads the head again.
	void rpc.settle([call("head")]);
	expect(requests).toHaveLength(4);
});

test("when a shared request fails, each caller asks alone, and a refusal affects only its caller", async () => {
	const { rpc, requests } = nodeOf();
	const busy = [rpc.call(call("a")), rpc.call(call("a"))];
	const later = [rpc.call(call("b")), rpc.call(call("refused"))];
	for (const { answer } of requests.slice(0, 2)) answer();
	await Promise.all(busy);
	await turn();
	requests[2]?.fail();
	await turn();
	expect(requests.slice(3).map(({ calls }) => calls)).toEqual([[call("b")], [call("refused")]]);
	for (const { answer } of requests.slice(3)) answer();
	const [one, two] = await Promise.allSettled(later);
	expect(one).toMatchObject({ status: "fulfilled", value: "b " });
	expect(two).toMatchObject({ status: "rejected", reason: { code: "rpc_refused" } });
});

test("an aborted caller stops waiting, and the others still get their answers", async () => {
	const { rpc, requests } = nodeOf();
	const busy = [rpc.call(call("a")), rpc.call(call("a"))];
	const stop = new AbortController();
	const off = rpc.call(call("b"), { signal: stop.signal });
	const stays = rpc.call(call("c"), { signal: new AbortController().signal });
	for (const { answer } of requests.slice(0, 2)) answer();
	await Promise.all(busy);
	await turn();
	stop.abort();
	expect(await off.catch((fault) => fault.code)).toBe("rpc_transport");
	requests[2]?.answer();
	expect(await stays).toBe("c ");
});

test("a request holds a limited number of calls, and a caller with more has its own request", async () => {
	const { rpc, requests } = nodeOf();
	const many = (name: string, count: number) =>
		rpc.settle(Array.from({ length: count }, (_, n) => call(name, String(n))));
	const asked = [many("a", 1), many("b", 1), many("c", 60), many("d", 60), many("e", 250)];
	for (let done = 0; done < 5; done++) {
		await turn();
		requests[done]?.answer();
	}
	await Promise.all(asked);
	expect(requests.map(({ calls }) => calls.length)).toEqual([1, 1, 60, 60, 250]);
	expect(SHARED_CALLS_MAX).toBeLessThan(120);
});

test("a call with options of its own is sent unchanged", async () => {
	const { rpc, requests } = nodeOf();
	for (let n = 0; n < 3; n++) void rpc.settle([call("a")], { minBlock: 7 });
	expect(requests).toHaveLength(3);
});
