import { expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { callContract } from "#plugins/market-index/metadata/callContract.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

const CATS = contractOf(1);
const never = new AbortController().signal;

function answering(answer: () => unknown) {
	const asked: RpcCall[] = [];
	const rpc: Pick<Rpc, "call"> = {
		async call(call) {
			asked.push(call);
			return answer();
		},
	};
	return {
		asked,
		call: () => callContract(rpc as Rpc, { contract: CATS, data: "0x06fdde03" }, never),
	};
}

test("a contract is called at the newest block, and may burn 5 million gas and no more", async () => {
	const { asked, call } = answering(() => "0x01");
	expect(await call()).toBe("0x01");
	const params = [{ to: CATS, data: "0x06fdde03", gas: "0x4c4b40" }, "latest"];
	expect(asked).toEqual([{ method: "eth_call", params }]);
	expect(Number("0x4c4b40")).toBe(5_000_000);
});

test("whatever is no bytes is no answer", async () => {
	for (const answer of ["0x", "", "0x1", "0xzz", "abcd", null, undefined, 7, ["0x01"], {}]) {
		expect(await answering(() => answer).call()).toBeNull();
	}
});

test("128 KiB are read, and more is an attack", async () => {
	const bytes = (count: number) => `0x${"61".repeat(count)}`;
	expect(await answering(() => bytes(131_072)).call()).toHaveLength(262_146);
	expect(await answering(() => bytes(131_073)).call()).toBeNull();
	expect(await answering(() => bytes(2_000_000)).call()).toBeNull();
});

test("a contract that reverts has no answer, also where its text speaks of limits", async () => {
	for (const refused of [rpcFault.refused(), rpcFault.range()]) {
		const { call } = answering(() => {
			throw refused;
		});
		expect(await call()).toBeNull();
	}
});

test("silence, a node of another chain and our own mistakes are no word about the contract", async () => {
	for (const error of [rpcFault.transport(), rpcFault.wrongChain(), new TypeError("ours")]) {
		const { call } = answering(() => {
			throw error;
		});
		await expect(call()).rejects.toBe(error);
	}
});
