import { expect, test } from "bun:test";
import { type Rpc, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { callViews } from "#plugins/market-index/metadata/callEach.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

const never = new AbortController().signal;
const ask = (rpc: Pick<Rpc, "settle"> & Partial<Rpc>) =>
	callViews(rpc as Rpc, [contractOf(1)], ["0x01", "0x02", "0x03"], never);

test("calls share one request, and one that reverts or returns no bytes is null alone", async () => {
	let requests = 0;
	const outcomes: RpcOutcome[] = [
		{ kind: "result", result: "0xaa" },
		{ kind: "fault", fault: rpcFault.refused() },
		{ kind: "result", result: "0x" },
	];
	const settle = async () => {
		requests++;
		return outcomes;
	};
	expect(await ask({ settle })).toEqual([["0xaa", null, null]]);
	expect(requests).toBe(1);
});

test("after a node refuses the shared request, the calls are sent one by one", async () => {
	const settle = async () => {
		throw rpcFault.refused({ detail: "batches are not allowed" });
	};
	expect(await ask({ settle, call: async () => "0xbb" })).toEqual([["0xbb", "0xbb", "0xbb"]]);
});

test("a node that does not answer is asked again later", async () => {
	const settle = async () => {
		throw rpcFault.transport();
	};
	await expect(ask({ settle })).rejects.toThrow("rpc_transport");
});

test("several contracts share the request, and each gets its own answers", async () => {
	const said = (contract: unknown, data: string) => `${String(contract)}${data.slice(2)}` as const;
	let requests = 0;
	const settle: Rpc["settle"] = async (calls) => {
		requests++;
		return calls.map(({ params: [call] }) => {
			const { to, data } = call as { to: string; data: string };
			return { kind: "result", result: said(to, data) };
		});
	};
	const contracts = [contractOf(1), contractOf(2)];
	const answers = await callViews({ settle } as Rpc, contracts, ["0x01", "0x02"], never);
	expect<unknown>(answers).toEqual(
		contracts.map((contract) => [said(contract, "0x01"), said(contract, "0x02")]),
	);
	expect(requests).toBe(1);
});
