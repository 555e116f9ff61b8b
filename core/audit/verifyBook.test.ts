import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { compareLeaves } from "#core/audit/verifyBook.ts";

const source = { keyBytes: 4, nameOf: (key: Buffer) => String(key.readUInt32BE()) };
const keyOf = (id: number) => {
	const key = Buffer.alloc(4);
	key.writeUInt32BE(id);
	return key;
};
const hashOf = (text: string) => createHash("sha256").update(text).digest();

type Rows = ReadonlyMap<number, string>;
const inOrder = (rows: Rows) => [...rows].sort(([one], [other]) => one - other);
const leavesOf = (rows: Rows) =>
	Buffer.concat(inOrder(rows).flatMap(([id, text]) => [keyOf(id), hashOf(text)]));
const rowsOf = (rows: Rows, isLast = true) =>
	inOrder(rows).map(([id, text]) => ({ key: keyOf(id), hash: hashOf(text), atMs: 1, isLast }));

const anyRows = fc
	.array(fc.tuple(fc.nat(20), fc.constantFrom("a", "b")), { maxLength: 15 })
	.map((pairs): Rows => new Map(pairs));

test("exactly the rows that differ from the sealed ones are reported, each as missing, changed or added", () => {
	fc.assert(
		fc.property(anyRows, anyRows, (sealed, now) => {
			const found = compareLeaves(source, {
				leaves: leavesOf(sealed),
				rows: rowsOf(now),
				lateBeforeMs: 0,
			});
			const ids = [...new Set([...sealed.keys(), ...now.keys()])].sort((a, b) => a - b);
			const expected = ids.flatMap((id) => {
				if (sealed.get(id) === now.get(id)) return [];
				const flaw = !now.has(id) ? "missing" : sealed.has(id) ? "changed" : "added";
				return [{ row: String(id), flaw }];
			});
			expect(found).toEqual(expected as typeof found);
		}),
	);
});

test("a row that a later batch seals again may have changed, but may not be missing", () => {
	const given = { leaves: leavesOf(new Map([[1, "a"]])), lateBeforeMs: 0 };
	expect(compareLeaves(source, { ...given, rows: rowsOf(new Map([[1, "b"]]), false) })).toEqual([]);
	expect(compareLeaves(source, { ...given, rows: [] })).toEqual([{ row: "1", flaw: "missing" }]);
});

test("a row whose time is before the proved end of open transactions is reported as late", () => {
	const rows = new Map([[1, "a"]]);
	const given = { leaves: leavesOf(rows), rows: rowsOf(rows) };
	expect(compareLeaves(source, { ...given, lateBeforeMs: 2 })).toEqual([
		{ row: "1", flaw: "late" },
	]);
	expect(compareLeaves(source, { ...given, lateBeforeMs: 1 })).toEqual([]);
});
