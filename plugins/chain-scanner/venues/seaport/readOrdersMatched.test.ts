import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "viem";
import { readOrdersMatched } from "#plugins/chain-scanner/venues/seaport/readOrdersMatched.ts";
import { seaportLogs } from "#test/harness/seaportLogs.ts";

const hash = fc
	.uint8Array({ minLength: 32, maxLength: 32 })
	.map((bytes): Hex => `0x${bytes.toHex()}`);

test("[ING-12] the order hashes of a match are read in their order", () => {
	fc.assert(
		fc.property(fc.array(hash, { maxLength: 20 }), (orderHashes) => {
			const reading = readOrdersMatched(seaportLogs.matched(orderHashes));
			expect(reading).toEqual({ kind: "matched", orderHashes });
		}),
	);
});

test("[ING-12] a cut list of order hashes is named, whatever its length claims", () => {
	const { data } = seaportLogs.matched([`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]);
	for (let length = 0; length < data.length; length++) {
		expect(readOrdersMatched({ data: data.slice(0, length) as Hex }).kind).toBe("undecoded");
	}
	for (const lie of ["f".repeat(64), `8${"0".repeat(63)}`, "0".repeat(63).concat("3")]) {
		const lying = `0x${data.slice(2, 66)}${lie}${data.slice(130)}` as Hex;
		expect(readOrdersMatched({ data: lying }).kind).toBe("undecoded");
	}
});
