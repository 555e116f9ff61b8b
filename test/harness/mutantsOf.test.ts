import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { leavesOf, mutantsOf, mutantsOfSchema } from "#test/harness/mutantsOf.ts";

describe("mutantsOf", () => {
	const value = { id: 1n, list: [{ to: "0xab" }, { to: "0xcd" }], none: [], flag: true, text: "x" };

	test("every leaf, member, order and length is changed once, and each mutant differs from the value", () => {
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

	test("the leaves are named without their positions in lists", () => {
		expect([...leavesOf(value)].sort()).toEqual(["flag", "id", "list[].to", "none", "text"]);
	});
});

describe("mutantsOfSchema", () => {
	const schema = z.object({
		id: z
			.string()
			.regex(/^\w{1,20}$/)
			.meta({ isOpaque: true }),
		side: z.enum(["in", "out"]),
		note: z.string().optional(),
		list: z.array(
			z.discriminatedUnion("type", [
				z.object({ type: z.literal("a"), fee: z.int() }),
				z.object({ type: z.literal("b"), hooks: z.string() }),
			]),
		),
	});
	const sample = { id: "abc", side: "in", list: [{ type: "a", fee: 5, hooks: "0x" }], unread: 1 };

	test("only the members that the schema reads are changed, with each value that it lists", () => {
		const { read, mutants, has, lacks } = mutantsOfSchema(schema, sample);
		expect(read as unknown).toEqual({ id: "abc", side: "in", list: [{ type: "a", fee: 5 }] });
		const done = new Set(mutants.map(({ path, how }) => `${path} ${how}`));
		for (const wanted of [
			'side is "out"',
			'list[0].type is "b"',
			"list[0].fee is 6",
			"list[0].fee left out",
			"list empty",
			'note is "1"',
			"id left out",
			"id is null",
			'id is ""',
		]) {
			expect(done).toContain(wanted);
		}
		expect([...has].sort()).toEqual(["id", "list[].fee", "list[].type", "side"]);
		expect([...lacks]).toEqual(["note"]);
	});

	test("an id is only replaced by forms that no id has", () => {
		const { mutants } = mutantsOfSchema(schema, sample);
		for (const { path, value } of mutants) {
			if (path === "id") expect(schema.safeParse(value).success).toBe(false);
		}
	});
});
