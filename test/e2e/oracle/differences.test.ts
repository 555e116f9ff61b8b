import { expect, test } from "bun:test";
import { differences } from "#test/e2e/oracle/differences.ts";

test("a member that is not compared counts as a difference, at any place", () => {
	const expected = { rows: [{ price: 1.5 }], name: () => undefined };
	expect(differences({ rows: [{ price: 1.5 }], name: "x" }, expected)).toEqual([]);
	expect(differences({ rows: [{ price: 1.5, fresh: 7 }], name: "x" }, expected)).toEqual([
		".rows[0].fresh: nobody compares this member",
	]);
});

test("a wrong number, a missing member and a missing row are differences; zero is not null", () => {
	expect(differences({ a: 1 }, { a: 2 })).toHaveLength(1);
	expect(differences({ a: 0 }, { a: null })).toHaveLength(1);
	expect(differences({ a: null }, { a: 0 })).toHaveLength(1);
	expect(differences({}, { a: null })).toHaveLength(1);
	expect(differences([], [1])).toHaveLength(2);
	expect(differences({ a: 0.1 + 0.2 }, { a: 0.3 })).toEqual([]);
});
