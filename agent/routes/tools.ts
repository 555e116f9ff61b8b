import { Elysia } from "elysia";
import { z } from "zod";
import { shapeOf } from "#agent/grammar/createGrammar.ts";
import { jsonSchema } from "#agent/refuseMisfits.ts";
import type { AgentContext } from "#agent/routes/agentContext.ts";
import { field } from "#core/http/openapi/field.ts";
import type { Command } from "#core/plugin/Command.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";

const schemaMember = (description: string) =>
	z.record(z.string(), z.unknown()).meta({ description, examples: [{ type: "object" }] });

const toolSchema = z
	.object({
		name: field.text("Its name, also over MCP.", "read_floor"),
		title: field.text("Its name for people.", "Floor price"),
		description: field.text("What it does, and in which units.", "Reads the lowest listing."),
		capability: field.text("The group it belongs to.", "market"),
		effect: z.enum(["read", "prepare", "execute"]).meta({
			description:
				"What it does at most: `read` changes nothing, `prepare` records what then asks its owner, " +
				"`execute` may move money, and runs only for a command that its author typed.",
		}),
		access: z
			.enum(["everybody", "profile"])
			.meta({ description: "Whether it needs somebody who is signed in (`profile`)." }),
		commands: z.array(z.string()).meta({
			description: "Commands that run it, as they are typed.",
			examples: [["floor <collection> [on <chain>]"]],
		}),
		inputSchema: schemaMember("What it takes, as JSON Schema."),
		outputSchema: schemaMember("What it answers, as JSON Schema."),
	})
	.meta({ id: "AgentTool", description: "One thing that the agent can do." });

const answerSchema = z
	.object({ tools: z.array(toolSchema).meta({ description: "All of them, by name." }) })
	.meta({ id: "AgentTools", description: "What the agent can do." });

/** Lists the tools and commands of the agent. */
export function tools({ agent }: AgentContext) {
	let listed: z.output<typeof answerSchema> | null = null;
	return new Elysia().get(
		"/tools",
		() => {
			// The same for all callers until the process ends.
			listed ??= { tools: list(agent().tools, agent().commands) };
			return listed;
		},
		{
			response: { 200: answerSchema },
			detail: {
				operationId: "listAgentTools",
				tags: ["agent"],
				summary: "Lists what the agent can do",
				description:
					"The tools of all plugins with their schemas. `read` and `prepare` tools are also served " +
					"over MCP at `/v1/agent/mcp`.",
			},
		},
	);
}

function list(all: readonly AnyTool[], commands: readonly Command[]) {
	return all
		.toSorted((one, other) => (one.name < other.name ? -1 : 1))
		.map(({ name, title, description, capability, effect, access, input, output }) => ({
			name,
			title,
			description,
			capability,
			effect,
			access,
			commands: commands
				.filter(({ tool, prepares }) => tool === name || prepares === name)
				.map((one) => shapeOf(one)),
			inputSchema: jsonSchema(input, "input"),
			outputSchema: jsonSchema(output),
		}));
}
