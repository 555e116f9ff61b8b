import { expect, test } from "bun:test";
import { SHARED_REQUESTS_AT_ONCE, shareRpc } from "#core/chain/reads/shareRpc.ts";
import { type Rpc, type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";

// Guarantee: only the caller of a slow question waits for it.

const call = (method: string): RpcCall => ({ method, params: [] });

/** Makes a node that answers a request at the speed of its slowest call: at once, or never. */
function nodeOf() {
	const settle: Rpc["settle"] = (calls, { signal } = {}) => {
		const { promise, reject } = Promise.withResolvers<never>();
		signal?.addEventListener("abort", () => reject(rpcFault.transport({ detail: "given up" })));
		const isSlow = calls.some(({ method }) => method === "slow");
		if (isSlow) return promise;
		return Promise.resolve(calls.map(({ method }) => ({ kind: "result", result: method })));
	};
	const never = async () => Promise.reject(new Error("nobody asks so"));
	const stats = () => ({ requests: 0, calls: 0, bytes: 0 });
	return shareRpc({ settle, call: never, batch: never, distrust() {}, stats }, { answerMs: 5 });
}

test("a call that shares a request with an unanswered call still gets its answer", async () => {
	const rpc = nodeOf();
	const ending = new AbortController();
	const { signal } = ending;
	// As many separate requests as run at once: later questions share the next one.
	const first = Array.from({ length: SHARED_REQUESTS_AT_ONCE }, () => rpc.call(call("first")));
	const slow = rpc.call(call("slow"), { signal });
	const others = ["one", "two", "three"].map((method) => rpc.call(call(method)));
	expect(await Promise.all(first)).toEqual(first.map(() => "first"));
	expect(await Promise.all(others)).toEqual(["one", "two", "three"]);
	expect(await rpc.call(call("later"))).toBe("later");
	ending.abort();
	expect(await slow.catch((error: { code: string }) => error.code)).toBe("rpc_transport");
});
