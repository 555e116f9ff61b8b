import { z } from "zod";
import { agentFault } from "#agent/faults.ts";
import type { Command } from "#core/plugin/Command.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";

const TOOL_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** The limit of the strictest known client of the Model Context Protocol. */
const TOOL_NAME_LENGTH_MAX = 60;

/**
 * Throws one Fault that lists all mismatches between the tools and the commands of all plugins: an
 * unknown name, a command that would prepare by executing, a tool that moves value without a
 * profile, a schema that cannot be given to a client.
 */
export function refuseMisfits(tools: readonly AnyTool[], commands: readonly Command[]): void {
	const problems = [...tools.flatMap(toolProblems), ...commandProblems(commands, tools)];
	for (const name of twice([...tools.map((one) => one.name)])) {
		problems.push(`two tools are called "${name}"`);
	}
	for (const name of twice([...commands.map((one) => one.name)])) {
		problems.push(`two commands are called "${name}"`);
	}
	if (problems.length === 0) return;
	throw agentFault.toolsInvalid({ public: `Tools and commands: ${problems.join("; ")}.` });
}

function toolProblems({ name, effect, access, input, output }: AnyTool): string[] {
	const problems: string[] = [];
	if (!TOOL_NAME.test(name) || name.length > TOOL_NAME_LENGTH_MAX) {
		problems.push(`"${name}" is no name of a tool`);
	}
	if (effect !== "read" && access !== "profile") {
		problems.push(`the tool "${name}" changes something for whoever is not signed in`);
	}
	const schemas = { input: () => jsonSchema(input, "input"), output: () => jsonSchema(output) };
	for (const [what, make] of Object.entries(schemas)) {
		const reason = flawOf(make);
		if (reason) problems.push(`the ${what} of the tool "${name}" ${reason}`);
	}
	return problems;
}

/** Returns a tool's input or output schema as JSON Schema. */
export function jsonSchema(
	schema: z.ZodType,
	io: "input" | "output" = "output",
): Record<string, unknown> {
	return z.toJSONSchema(unnamed(schema), { io });
}

/**
 * Returns the schema without its own name. A named schema is written as a reference, but clients
 * require an object as a tool's output. Names inside of it stay.
 */
export function unnamed<Schema extends z.ZodType>(schema: Schema): Schema {
	return schema.clone(schema.def);
}

function flawOf(make: () => Record<string, unknown>): string | null {
	try {
		return make()["type"] === "object" ? null : "is no object";
	} catch {
		return "cannot be written as JSON Schema";
	}
}

function commandProblems(commands: readonly Command[], tools: readonly AnyTool[]): string[] {
	const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
	return commands.flatMap(({ name, tool, prepares }) => {
		const problems: string[] = [];
		if (!effects.has(tool)) problems.push(`the command "${name}" runs "${tool}", which is no tool`);
		if (prepares !== undefined && effects.get(prepares) !== "prepare") {
			problems.push(`the command "${name}" prepares by "${prepares}", which does not prepare`);
		}
		return problems;
	});
}

function twice(names: readonly string[]): string[] {
	return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
