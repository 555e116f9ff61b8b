import { Elysia } from "elysia";
import { z } from "zod";
import { ANSWER_IDLE_SECONDS, TEXT_CHARS_MAX } from "#agent/limits.ts";
import { replySchema } from "#agent/reply/replySchema.ts";
import { type AgentContext, authorOf, guestOf } from "#agent/routes/agentContext.ts";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";

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
	...canFail(httpFault.unauthorized),
};

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
