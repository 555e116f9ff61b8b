import { expect, test } from "bun:test";
import { z } from "zod";
import { jsonSchema, refuseMisfits } from "#agent/refuseMisfits.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Command } from "#core/plugin/Command.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";

const tool = (more: Partial<AnyTool>): AnyTool => ({
	...defineTool({
		name: "read_floor",
		title: "Floor",
		description: "",
		capability: "market",
		effect: "read",
		access: "everybody",
		input: z.strictObject({}),
		output: z.strictObject({}),
		run: async () => ({ kind: "done", output: {} }),
		line: () => "",
		asOfMs: () => null,
	}),
	...more,
});
const command = (more: Partial<Command>): Command => ({
	name: "floor",
	forms: ["floor"],
	slots: {},
	tool: "read_floor",
	summary: "",
	examples: [],
	...more,
});

function problems(tools: readonly AnyTool[], commands: readonly Command[] = []): string {
	try {
		refuseMisfits(tools, commands);
		return "none";
	} catch (error) {
		return error instanceof Fault ? error.publicDetail : String(error);
	}
}

test("what fits passes", () => {
	const send = tool({ name: "send", effect: "execute", access: "profile" });
	const prepare = tool({ name: "prepare_send", effect: "prepare", access: "profile" });
	const sends = command({ name: "send", tool: "send", prepares: "prepare_send" });
	expect(problems([tool({}), send, prepare], [command({}), sends])).toBe("none");
});

test("a schema with a name is written as the object that it is", () => {
	const named = z.object({ id: z.string() }).meta({ id: "NamedForThisTest" });
	expect(problems([tool({ output: named })])).toBe("none");
	expect(jsonSchema(named)).toMatchObject({ type: "object", required: ["id"] });
	const inside = jsonSchema(z.object({ one: named }));
	expect(inside).toMatchObject({ properties: { one: { $ref: "#/$defs/NamedForThisTest" } } });
});

test("everything that does not fit is said at once", () => {
	const said = problems(
		[
			tool({}),
			tool({ name: "Read Floor" }),
			tool({ name: "send", effect: "execute" }),
			tool({ name: "odd", input: z.string(), output: z.bigint() }),
			tool({ name: "odd" }),
		],
		[
			command({}),
			command({ name: "gone", tool: "nothing" }),
			command({ name: "send", tool: "send", prepares: "read_floor" }),
			command({ name: "send", tool: "send", prepares: "send" }),
		],
	);
	for (const part of [
		'"Read Floor" is no name of a tool',
		'the tool "send" changes something for whoever is not signed in',
		'the input of the tool "odd" is no object',
		'the output of the tool "odd" cannot be written as JSON Schema',
		'two tools are called "odd"',
		'two commands are called "send"',
		'the command "gone" runs "nothing", which is no tool',
		'the command "send" prepares by "read_floor", which does not prepare',
		'the command "send" prepares by "send", which does not prepare',
	]) {
		expect(said).toContain(part);
	}
});
