import { expect, test } from "bun:test";
import { padHex, toHex } from "viem";
import { bloomHas } from "#core/chain/bloom/bloomHas.ts";
import { bloomOf } from "#test/sim/chain/bloomOf.ts";

test("[ING-14] a simulated block's bloom has each of its logs' words, and hardly any other", () => {
	const address = padHex("0xaa", { size: 20 });
	const topics = [1, 2, 3].map((value) => toHex(value, { size: 32 }));
	const bloom = bloomOf([{ address, topics }]);
	for (const word of [address, ...topics]) expect(bloomHas(bloom, word)).toBe(true);
	const others = Array.from({ length: 200 }, (_, at) => toHex(1_000 + at, { size: 32 }));
	expect(others.filter((word) => bloomHas(bloom, word)).length).toBeLessThan(5);
	expect(bloomOf([])).toBe(`0x${"0".repeat(512)}`);
});
