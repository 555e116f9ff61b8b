// Answers one text over HTTP, and lists tools and commands.

import { Elysia } from "elysia";
import { z } from "zod";
import { ANSWER_IDLE_SECONDS, TEXT_CHARS_MAX } from "#agent/agentConfig.ts";
import { shapeOf } from "#agent/grammar/Grammar.ts";
import { jsonSchema, type OpenedAgent } from "#agent/openAgent.ts";
import { replySchema } from "#agent/reply/renderLine.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeReadByAnyPage, canFail, takesSlot } from "#core/http/routeMarks.ts";
import type { AnyTool, Caller, Command } from "#core/plugin/Tool.ts";

/** Holds what all routes of the agent need. */
export type AgentContext = {
	/** Returns the agent, which exists only after all plugins are set up. */
	agent(): OpenedAgent;
};

const bodySchema = z
	.strictObject({
		text: z
			.string()
			.max(TEXT_CHARS_MAX)
			.meta({ description: "What to do, as a person types it.", examples: ["floor kiln-folk"] }),
	})
	.meta({ id: "AgentCommand", description: "One text for the agent." });

/** Parts of the OpenAPI entry for routes with an authored text: credentials and idempotency. */
export const authoredDetail = {
	tags: ["agent"],
	security: [{ session: [] as string[] }, {}],
	parameters: [
		{
			name: "idempotency-key",
			in: "header" as const,
			required: false,
			description:
				"1 to 255 printable ASCII characters of your own. With it the same text moves something at " +
				"most once: send it again where no answer came.",
			schema: {
				type: "string" as const,
				minLength: 1,
				maxLength: 255,
				examples: ["order-4711-attempt"],
			},
		},
	],
	...takesSlot(),
	...canFail(httpFault.unauthorized),
};

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

/** Answers one text. */
export function command(context: AgentContext) {
	return (
		new Elysia()
			// Credentials are checked before the body.
			.derive(async ({ request }) => ({ caller: await authorOf(request, context) }))
			.post(
				"/command",
				async ({ request, caller, body: { text }, set }) => {
					set.headers["cache-control"] = "no-store";
					requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
					const reply = await context.agent().handle({
						text,
						caller,
						idempotencyKey: request.headers.get("idempotency-key"),
						...guestOf(request),
						// Any page may ask by its visitors' browsers: their questions cost no tokens.
						isWithoutModel: requestContexts.get(request)?.isForeign === true,
						signal: request.signal,
					});
					// Copies readonly lists, because the schema's type has mutable ones.
					return { ...reply, links: [...reply.links], suggestions: [...reply.suggestions] };
				},
				{
					body: bodySchema,
					response: { 200: replySchema },
					detail: {
						...authoredDetail,
						...canBeReadByAnyPage(),
						operationId: "answerCommand",
						summary: "Does what one text says",
						description:
							"Reads the text as a strict command (`help` lists them) and answers with one line and its " +
							"data. Market questions need no session. A command that moves something executes for its " +
							"signed-in author where the wallet is delegated, no confirmation is asked for and the limits " +
							"permit; otherwise it is prepared, and its link asks. What was understood and not done " +
							"answers 200 too, with `kind` `refused` and a `code`.",
					},
				},
			)
	);
}

/**
 * Returns who speaks. A person types into the command route and chat, so with their session they
 * are the author of this very text. Throws `unauthorized` (401) for wrong credentials.
 */
export async function authorOf(request: Request, { agent }: AgentContext): Promise<Caller> {
	const profileId = await agent().callerOf(request);
	const authority = profileId === null ? "none" : "author";
	return { channel: "agent", profileId, authority };
}

/** Returns the address of the request, by which guests are distinguished. */
export function guestOf(request: Request): { guest?: string } {
	const address = requestContexts.get(request)?.clientAddress;
	return address === undefined ? {} : { guest: address };
}

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
				...canBeReadByAnyPage(),
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
