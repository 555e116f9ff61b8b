import { expect, test } from "bun:test";
import fc from "fast-check";
import { arrayAt } from "#core/chain/abi/arrayAt.ts";
import { readUint } from "#core/chain/abi/readUint.ts";

const word = (value: bigint) => value.toString(16).padStart(64, "0");
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

/** Returns the numbers of the list that the first word points to. */
function listIn(hex: string): bigint[] | null {
	const data = Buffer.from(hex, "hex");
	const list = arrayAt({ data, head: 0, itemBytes: 32 });
	if (list === null) return null;
	return Array.from({ length: list.count }, (_, at) => readUint(data, list.firstByte + at * 32));
}

test("a list is read whole or not at all, wherever it lies", () => {
	fc.assert(
		fc.property(fc.array(uint256, { maxLength: 9 }), fc.nat({ max: 70 }), (values, gap) => {
			const list = word(BigInt(values.length)) + values.map(word).join("");
			const hex = `${word(BigInt(32 + gap))}${"ff".repeat(gap)}${list}`;
			expect(listIn(hex)).toEqual(values);
			expect(listIn(hex.slice(0, -2))).toBeNull();
		}),
	);
});

test("an offset or a length that lies is refused before anything is read", () => {
	for (const lie of [2n ** 256n - 1n, 2n ** 255n, 2n ** 53n, 2n ** 48n, 2n ** 48n - 1n, 2n]) {
		expect(listIn(`${word(32n)}${word(lie)}${word(7n)}`)).toBeNull();
		if (lie > 2n) expect(listIn(`${word(lie)}${word(0n)}`)).toBeNull();
	}
	expect(listIn("")).toBeNull();
});
