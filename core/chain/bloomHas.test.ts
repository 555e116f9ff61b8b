import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { keccak256 } from "viem";
import { bloomHas } from "#core/chain/bloomHas.ts";
import type { Hex } from "#core/chain/Hex.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";

let anvil: Anvil | undefined;
afterAll(() => anvil?.stop());

/** Computes a bloom as the Yellow Paper defines it, on one bigint. */
function bloomOf(items: readonly Hex[]): Hex {
	let bits = 0n;
	for (const item of items) {
		const hash = keccak256(item);
		for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number(`0x${hash.slice(at, at + 4)}`) % 2048);
	}
	return `0x${bits.toString(16).padStart(512, "0")}`;
}

const bytes = (length: number) =>
	fc
		.uint8Array({ minLength: length, maxLength: length })
		.map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const items = fc.array(fc.oneof(bytes(20), bytes(32)), { maxLength: 40 });

test("everything that was added to a bloom is found in it, in either case of its digits", () => {
	fc.assert(
		fc.property(items, (added) => {
			const bloom = bloomOf(added);
			const upper: Hex = `0x${bloom.slice(2).toUpperCase()}`;
			for (const item of added)
				expect([bloomHas(bloom, item), bloomHas(upper, item)]).toEqual([true, true]);
		}),
	);
});

test("what is found is exactly what the definition finds", () => {
	fc.assert(
		fc.property(items, bytes(32), (added, item) => {
			const bloom = bloomOf(added);
			expect(bloomHas(bloom, item)).toBe(
				(BigInt(bloom) & BigInt(bloomOf([item]))) === BigInt(bloomOf([item])),
			);
		}),
	);
});

test("an empty bloom has nothing, a full one everything, and what is no bloom rules nothing out", () => {
	const item: Hex = `0x${"12".repeat(32)}`;
	expect(bloomHas(`0x${"0".repeat(512)}`, item)).toBe(false);
	expect(bloomHas(`0x${"f".repeat(512)}`, item)).toBe(true);
	for (const broken of ["0x", "0x00", `0x${"0".repeat(511)}`, `0x${"0".repeat(514)}`] as const) {
		expect(bloomHas(broken, item)).toBe(true);
	}
});

test("the bloom of a real block has the address and topics of its logs, and not others", async () => {
	anvil = await startAnvil({ args: ["--no-mining"] });
	const [from] = await anvil.rpc<Hex[]>("eth_accounts");
	const topic: Hex = `0x${"ab".repeat(32)}`;
	const other: Hex = `0x${"cd".repeat(32)}`;
	// PUSH32 topic, PUSH1 0, PUSH1 0, LOG1: a contract whose creation writes one log.
	const data = `0x7f${topic.slice(2)}60006000a100`;
	const hash = await anvil.rpc("eth_sendTransaction", [{ from, data }]);
	await anvil.rpc("evm_mine");
	const receipt = await anvil.rpc<{ contractAddress: Hex; blockNumber: Hex }>(
		"eth_getTransactionReceipt",
		[hash],
	);
	const { logsBloom } = await anvil.rpc<{ logsBloom: Hex }>("eth_getBlockByNumber", [
		receipt.blockNumber,
		false,
	]);
	expect(bloomHas(logsBloom, topic)).toBe(true);
	expect(bloomHas(logsBloom, receipt.contractAddress)).toBe(true);
	expect(bloomHas(logsBloom, other)).toBe(false);
	expect(logsBloom).toBe(bloomOf([topic, receipt.contractAddress]));
});
