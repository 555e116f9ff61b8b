import { expect, test } from "bun:test";
import { keccak256, serializeTransaction } from "viem";
import { offerOf } from "#plugins/wallets/cancel/offerOf.ts";

const TO = `0x${"b".repeat(40)}` as const;
const WORD = `0x${"77".repeat(32)}` as const;
const signed = serializeTransaction(
	{
		...{ type: "eip1559", chainId: 1, nonce: 5, gas: 21_000n, to: TO, value: 1n },
		...{ maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
	},
	{ r: WORD, s: WORD, yParity: 1 },
);
const hash = keccak256(signed);
const shown = {
	...{ type: "0x2", chainId: "0x1", hash, nonce: "0x5", gas: "0x5208", to: TO, value: "0x1" },
	...{ input: "0x", r: WORD, s: WORD, yParity: "0x1" },
	...{ maxFeePerGas: "0x1e", maxPriorityFeePerGas: "0x2", gasPrice: "0x1e" },
};
const fees = { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n };

test("bytes that have the hash prove what they offer, and their nonce", () => {
	expect(offerOf(shown, hash)).toEqual({ fees, provenNonce: 5 });
});

test("what a node changed of them is its word alone", () => {
	for (const lie of [{ nonce: "0x6" }, { maxFeePerGas: "0x1d" }, { accessList: [{}] }]) {
		expect(offerOf({ ...shown, ...lie }, hash)?.provenNonce).toBeNull();
	}
});

test("a transaction of the old kind offers its whole price as tip", () => {
	const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...old } = { ...shown, type: "0x0" };
	expect(offerOf(old, hash)).toEqual({
		...{ fees: { maxFeePerGas: 30n, maxPriorityFeePerGas: 30n }, provenNonce: null },
	});
});

test("what is not of the hash, or no price at all, offers nothing", () => {
	const other = `0x${"11".repeat(32)}` as const;
	expect(offerOf(shown, other)).toBeNull();
	const price = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
	for (const gasPrice of ["0x", "-0x1", 1, null, "1.5", `0x${(2n ** 64n).toString(16)}`]) {
		expect(offerOf({ ...shown, ...price, gasPrice }, hash)).toBeNull();
	}
	for (const nonsense of [null, undefined, "x", [], {}]) expect(offerOf(nonsense, hash)).toBeNull();
});
