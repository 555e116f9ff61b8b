import { expect, test } from "bun:test";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { gasPriceOf } from "#plugins/market-index/quote/gasPriceOf.ts";
import { base, ethereum } from "#plugins/market-index/testing/marketFixture.ts";

const answering = (answer: () => Promise<unknown>) => {
	const rpc = { call: answer } as unknown as Rpc;
	return gasPriceOf([{ chain: ethereum, rpcFor: () => rpc }])(ethereum);
};

test("the chain's gas price, and null for whatever else it says", async () => {
	expect(await answering(async () => "0x3b9aca00")).toBe(10n ** 9n);
	for (const odd of [null, 7, "0x", "7", `0x${"f".repeat(40)}`, {}]) {
		expect(await answering(async () => odd)).toBeNull();
	}
	expect(await answering(async () => Promise.reject(new Error("away")))).toBeNull();
});

test("a chain that is not indexed has no gas price", async () => {
	expect(await gasPriceOf([])(base)).toBeNull();
});
