import { expect, test } from "bun:test";
import { leavesOf, mutantsOf } from "#test/harness/mutantsOf.ts";

const value = { id: 1n, list: [{ to: "0xab" }, { to: "0xcd" }], none: [], flag: true, text: "x" };

test("every leaf, member, order and length is spoiled once, and each mutant is another value", () => {
	const mutants = mutantsOf(value);
	for (const mutant of mutants) expect(Bun.deepEquals(mutant.value, value)).toBe(false);
	const done = new Set(mutants.map(({ path, how }) => `${path}: ${how}`));
	for (const wanted of [
		"id: left out",
		"id: is 2",
		"list: empty",
		"list: without 1",
		"list: twice 0",
		"list: swap 1",
		"list[1].to: is 0x00",
		"none: one more",
		"flag: is false",
		"text: is null",
	]) {
		expect(done).toContain(wanted);
	}
	expect(value.list[1]?.to).toBe("0xcd");
});

test("the leaves are named without their places in lists", () => {
	expect([...leavesOf(value)].sort()).toEqual(["flag", "id", "list[].to", "none", "text"]);
});
