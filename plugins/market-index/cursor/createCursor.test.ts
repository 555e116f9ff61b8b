import { expect, test } from "bun:test";
import fc from "fast-check";
import { CURSOR_PART, createCursor } from "#plugins/market-index/cursor/createCursor.ts";

const list = createCursor("a1", [CURSOR_PART.countOrNone, CURSOR_PART.address]);
const other = createCursor("b1", [CURSOR_PART.countOrNone, CURSOR_PART.address]);
const address = `0x${"ab".repeat(20)}`;

test("a cursor comes back as the parts that it was made of", () => {
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (count) => {
			const parts = [String(count), address];
			expect(list.decode(list.encode(parts))).toEqual(parts);
		}),
	);
	expect(list.decode(list.encode(["none", address]))).toEqual(["none", address]);
});

test("another list's cursor, a longer one, and any other text is refused", () => {
	const good = list.encode(["7", address]);
	const bad = [other.encode(["7", address]), `${good}=`, `${good}A`, "", "7", good.slice(1)];
	bad.push(list.encode(["07", address]), list.encode(["-1", address]), list.encode(["7", "0x1"]));
	for (const cursor of bad) expect(() => list.decode(cursor)).toThrow("cursor");
	fc.assert(
		fc.property(fc.string(), (text) => {
			expect(() => list.decode(text)).toThrow("cursor");
		}),
	);
});
