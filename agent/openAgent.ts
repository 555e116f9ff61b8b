// Builds the agent from the tools and commands of all plugins, and refuses misfits.

import { z } from "zod";
import { type AgentConfig, LINE_LENGTH_MAX } from "#agent/agentConfig.ts";
import type { Agent } from "#agent/contract.ts";
import { createAgent, createNameFinder } from "#agent/createAgent.ts";
import { agentFault } from "#agent/faults.ts";
import { createGrammar, type Grammar } from "#agent/grammar/Grammar.ts";
import { createHelp } from "#agent/help.ts";
import { callModel, createModelReader, type ReadByModel } from "#agent/model/createModelReader.ts";
import type { QualifierRules } from "#agent/model/isFaithful.ts";
import { readLooseOrder } from "#agent/model/isOwnOrder.ts";
import { createRunTool, type RunTool } from "#agent/runTool.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { CallerOf, Collected } from "#core/plugin/Plugin.ts";
import type { AnyTool, Command } from "#core/plugin/Tool.ts";

/** The agent after all plugins are set up; its routes use it. */
export type OpenedAgent = Agent & {
	tools: readonly AnyTool[];
	commands: readonly Command[];
	runTool: RunTool;
	callerOf: CallerOf;
};

export type OpenAgentOptions = {
	collected: Collected;
	core: Pick<Core, "clock" | "log" | "budget" | "metrics" | "chains">;
	config: AgentConfig;
	ending: AbortSignal;
};

const TOOL_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** The limit of the strictest known client of the Model Context Protocol. */
const TOOL_NAME_LENGTH_MAX = 60;

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/;

/**
 * Builds the agent from the tools and commands of all plugins. Throws a Fault that names every
 * misfit.
 */
export function openAgent({ collected, core, config, ending }: OpenAgentOptions): OpenedAgent {
	const { clock, log } = core;
	const help = createHelp(collected.commands, collected.tools);
	const tools = [...collected.tools, help.tool];
	const commands = [...collected.commands, help.command];
	refuseMisfits(tools, commands);
	const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
	const isStrict = ({ tool }: Command) => effects.get(tool) !== "read";
	const grammar = createGrammar(commands, { isStrict, chains: core.chains });
	const runTool = createRunTool({ clock, log, ending });
	const handle = createAgent({
		clock,
		log,
		grammar,
		findNames: createNameFinder(collected.names, { clock, log }),
		tools,
		runTool,
		readLooseOrder: (text) =>
			readLooseOrder(text, { grammar, rules: { isStrict, chains: core.chains } }),
		readByModel: modelOf(grammar, { core, config, isStrict }),
		lengthMax: Math.min(LINE_LENGTH_MAX, config.MAX_REPLY_LENGTH),
	});
	return { handle, tools, commands, runTool, callerOf: collected.callerOf };
}

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

function modelOf(
	grammar: Grammar,
	{
		core,
		config,
		isStrict,
	}: Pick<OpenAgentOptions, "core" | "config"> & Pick<QualifierRules, "isStrict">,
): ReadByModel | null {
	const { AGENT_MODEL: model, AGENT_MODEL_DAILY_TOKENS_MAX: dailyTokensMax } = config;
	if (model === undefined || dailyTokensMax === 0) return null;
	const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey = null } = config;
	// Endpoints of a private network have no certificate; the operator decides about the key.
	if (apiKey !== null && baseUrl.startsWith("http://") && !LOOPBACK.test(baseUrl)) {
		core.log.warn("OPENAI_API_KEY is sent over plain HTTP", { url: baseUrl });
	}
	return createModelReader({
		grammar,
		rules: { isStrict, chains: core.chains },
		clock: core.clock,
		call: callModel({ baseUrl, apiKey, model }),
		budget: core.budget,
		log: core.log,
		readings: core.metrics.counter({
			name: "agent_model_readings_total",
			help: "Texts that a language model was to read, by what came of it.",
			labels: ["outcome"],
		}),
		timeoutMs: config.AGENT_MODEL_TIMEOUT_MS,
		dailyTokensMax,
	});
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
