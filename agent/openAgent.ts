import type { AgentConfig } from "#agent/agentConfig.ts";
import type { Agent } from "#agent/contract.ts";
import { createAgent } from "#agent/createAgent.ts";
import { createNameFinder } from "#agent/findNames.ts";
import { createGrammar } from "#agent/grammar/createGrammar.ts";
import type { Grammar } from "#agent/grammar/Grammar.ts";
import { createHelp } from "#agent/help.ts";
import { LINE_LENGTH_MAX } from "#agent/limits.ts";
import { callModel } from "#agent/model/callModel.ts";
import { createModelReader, type ReadByModel } from "#agent/model/createModelReader.ts";
import type { QualifierRules } from "#agent/model/keepsQualifiers.ts";
import { refuseMisfits } from "#agent/refuseMisfits.ts";
import { createRunTool, type RunTool } from "#agent/runTool.ts";
import type { Command } from "#core/plugin/Command.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { CallerOf, Collected } from "#core/plugin/Plugin.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";

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
		readByModel: modelOf(grammar, { core, config, isStrict }),
		lengthMax: Math.min(LINE_LENGTH_MAX, config.MAX_REPLY_LENGTH),
	});
	return { handle, tools, commands, runTool, callerOf: collected.callerOf };
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/;

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
