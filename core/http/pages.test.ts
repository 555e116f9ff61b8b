import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault.ts";
import { CURSOR_PART, createCursor } from "#core/http/pages.ts";

const parts = [CURSOR_PART.countOrNone, CURSOR_PART.address];
const list = createCursor("a1", parts);
const mine = list.of({ collection: "cats", type: "sale" });
const address = `0x${"ab".repeat(20)}`;

function codeOf(decode: () => unknown) {
	try {
		decode();
		return "accepted";
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		expect(error.status).toBe(422);
		expect(error.members.issues).toMatchObject([{ path: "cursor" }]);
		return error.code;
	}
}

test("a decoded cursor has the parts from which it was encoded", () => {
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (count) => {
			const values = [String(count), address];
			expect(mine.decode(mine.encode(values))).toEqual(values);
		}),
	);
	expect(mine.decode(mine.encode(["none", address]))).toEqual(["none", address]);
});

test("a cursor of another list, collection or filter is refused with cursor_mismatch", () => {
	const cursor = mine.encode(["7", address]);
	const others = [
		createCursor("b1", parts).of({ collection: "cats", type: "sale" }),
		createCursor("a2", parts).of({ collection: "cats", type: "sale" }),
		list.of({ collection: "dogs", type: "sale" }),
		list.of({ collection: "cats", type: "mint" }),
		list.of({ collection: "cats" }),
		list.of({ collection: "cats", type: "sale", more: "x" }),
		list.of({ type: "cats", collection: "sale" }),
		list.of({}),
	];
	for (const other of others) {
		expect(codeOf(() => other.decode(cursor))).toBe("cursor_mismatch");
		expect(codeOf(() => mine.decode(other.encode(["7", address])))).toBe("cursor_mismatch");
	}
});

test("the order of filters, and filters without a value, do not change a cursor", () => {
	const same = list.of({ kind: undefined, type: "sale", state: null, collection: "cats" });
	expect(same.decode(mine.encode(["7", address]))).toEqual(["7", address]);
});

test("a text that is no cursor is refused as an invalid cursor", () => {
	const good = mine.encode(["7", address]);
	const bad = [`${good}=`, `${good}A`, "", "7", good.slice(1), `${good}\n`, ` ${good}`];
	bad.push(mine.encode(["07", address]), mine.encode(["-1", address]), mine.encode(["7", "0x1"]));
	bad.push(mine.encode(["7"]), mine.encode(["7", address, "7"]));
	for (const cursor of bad) expect(codeOf(() => mine.decode(cursor))).toBe("validation_error");
	fc.assert(
		fc.property(fc.string(), (text) => {
			expect(codeOf(() => mine.decode(text))).toBe("validation_error");
		}),
	);
});
