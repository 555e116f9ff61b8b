import { expect, test } from "bun:test";
import { z } from "zod";
import { mutantsOfSchema } from "#test/harness/mutantsOfSchema.ts";

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

test("only what the schema reads of a sample is spoiled, with each value that the schema lists", () => {
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

test("an id is only given forms that no id has", () => {
	const { mutants } = mutantsOfSchema(schema, sample);
	for (const { path, value } of mutants) {
		if (path === "id") expect(schema.safeParse(value).success).toBe(false);
	}
});
