// Answers conversations as the AI SDK's message stream.

import type { UIMessageChunk } from "ai";
import { Elysia } from "elysia";
import { z } from "zod";
import {
	ANSWER_IDLE_SECONDS,
	MESSAGE_ID_CHARS_MAX,
	MESSAGES_MAX,
	PARTS_MAX,
	TEXT_CHARS_MAX,
} from "#agent/agentConfig.ts";
import type { Reply } from "#agent/contract.ts";
import { SUBJECT_CHARS_MAX } from "#agent/createAgent.ts";
import { type AgentContext, authoredDetail, authorOf, guestOf } from "#agent/routes/command.ts";
import { requestContexts } from "#core/http/requests.ts";
import { tellsInWords } from "#core/http/routeMarks.ts";
import type { AnyTool } from "#core/plugin/Tool.ts";

// Loose: the client sends whole conversations, with kinds of parts that we do not need.
const partSchema = z
	.looseObject({
		type: z
			.string()
			.max(200)
			.meta({ description: "Its kind; `text` is read.", examples: ["text"] }),
		text: z
			.string()
			.optional()
			.meta({
				description: "Of `text`: what was typed.",
				examples: ["floor kiln-folk"],
			}),
	})
	.meta({ id: "ChatPart", description: "A part of a message, of the AI SDK's UI messages." });

const messageSchema = z
	.looseObject({
		id: z
			.string()
			.max(1_000)
			.meta({ description: "The client's own name of it.", examples: ["m1"] }),
		role: z
			.string()
			.max(20)
			.meta({ description: "Who wrote it.", examples: ["user"] }),
		metadata: z
			.unknown()
			.optional()
			.meta({
				description:
					"What came with an answer of ours; `subject` is what a question that goes on is about.",
				examples: [{ subject: "floor kiln-folk" }],
			}),
		parts: z.array(partSchema).max(PARTS_MAX).meta({ description: "What it is made of." }),
	})
	.meta({ id: "ChatMessage", description: "One of the AI SDK's UI messages." });

const bodySchema = z
	.looseObject({
		messages: z
			.array(messageSchema)
			.max(MESSAGES_MAX)
			.meta({ description: "The conversation. Only the last message of the user decides." }),
	})
	.refine(({ messages }) => askedIn(messages) !== null, {
		path: ["messages"],
		message: `must hold a message of the user with an id of 1 to ${MESSAGE_ID_CHARS_MAX} printable characters and a text of at most ${TEXT_CHARS_MAX}`,
	})
	.meta({ id: "AgentChat", description: "A conversation, as the AI SDK's `useChat` sends it." });

/** Example for the OpenAPI document: the part that every client shows. */
const EXAMPLE =
	'data: {"type":"text-delta","id":"text-m1","delta":"Kiln Folk floor 0.51 ETH · 12 s ago"}\n\n';

type Message = z.output<typeof messageSchema>;

/** Limits the answers that are searched for a subject: refusals and help have none. */
const SUBJECTS_LOOKED_AT = 10;
const metadataSchema = z.object({ subject: z.string().min(1).max(SUBJECT_CHARS_MAX) });

/** Printable ASCII, because the id is used as `idempotency-key`. */
const MESSAGE_ID = new RegExp(`^[\\x21-\\x7e]{1,${MESSAGE_ID_CHARS_MAX}}$`);

/** Answers the last text of a conversation as the AI SDK's UI message stream. */
export function chat(context: AgentContext) {
	return (
		new Elysia()
			// Credentials are checked before the body.
			.derive(async ({ request }) => ({ caller: await authorOf(request, context) }))
			.post(
				"/chat",
				async ({ request, caller, body }) => {
					requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
					const gone = new AbortController();
					const asked = askedIn(body.messages) ?? { id: "", text: "" };
					const { createUIMessageStream, createUIMessageStreamResponse } = await import("ai");
					const stream = createUIMessageStream({
						async execute({ writer }) {
							writer.write({ type: "start" });
							const reply = await context.agent().handle({
								text: asked.text,
								...subjectIn(body.messages),
								caller,
								// A client's retry sends the same message again.
								idempotencyKey: request.headers.get("idempotency-key") ?? asked.id,
								...guestOf(request),
								signal: AbortSignal.any([request.signal, gone.signal]),
							});
							const subject = subjectOf(reply, context.agent().tools);
							for (const chunk of chunksOf(reply, asked.id, subject)) writer.write(chunk);
						},
						onError: () => "Something went wrong on our side.",
					});
					return createUIMessageStreamResponse({
						headers: { "cache-control": "no-store" },
						stream: untilCancelled(stream, () => gone.abort()),
					});
				},
				{
					body: bodySchema,
					detail: {
						...authoredDetail,
						...tellsInWords(),
						operationId: "answerChat",
						summary: "Answers a chat, for the AI SDK's useChat",
						description:
							"The same as `POST /v1/agent/command` for the last text of the user, as a UI message stream " +
							"of the AI SDK: a tool part, a text part, and a part `data-reply` with what else the reply " +
							"says. Earlier messages, and whatever else was sent, decide nothing but one thing: a question " +
							"about the market that is not whole (`and in the last hour?`) goes on from the `subject` in " +
							"the metadata of the last answer. The message's id is the `idempotency-key` unless that header " +
							"is sent. Errors are a plain sentence, which `useChat` shows; with `Accept: application/json` " +
							"they are documents as everywhere.",
						responses: {
							200: {
								description: "A UI message stream (server-sent events).",
								content: {
									"text/event-stream": { schema: { type: "string" as const }, example: EXAMPLE },
								},
							},
						},
					},
				},
			)
	);
}

/** Returns the user's last message, and nothing before or after it; null if it cannot be used. */
function askedIn(messages: readonly Message[]): { id: string; text: string } | null {
	const last = messages.findLast(({ role }) => role === "user");
	if (!last || !MESSAGE_ID.test(last.id)) return null;
	const texts = last.parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
	const text = texts.join("\n");
	return text.length === 0 || text.length > TEXT_CHARS_MAX ? null : { id: last.id, text };
}

/**
 * Returns what the last answer before the user's last message was about, as the client holds it.
 * Anything else than a short text counts as nothing.
 */
function subjectIn(messages: readonly Message[]): { subject?: string } {
	const end = messages.findLastIndex(({ role }) => role === "user");
	const answers = messages.slice(0, end).filter(({ role }) => role === "assistant");
	for (const { metadata } of answers.slice(-SUBJECTS_LOOKED_AT).toReversed()) {
		const told = metadataSchema.safeParse(metadata);
		if (told.success) return told.data;
	}
	return {};
}

/** Returns the command that questions may go on from: of an answer that is open to everybody. */
function subjectOf({ kind, command, tool }: Reply, tools: readonly AnyTool[]): string | null {
	const asked = tools.find(({ name }) => name === tool);
	const isOpen = asked?.effect === "read" && asked.access === "everybody";
	return kind === "done" && isOpen ? command : null;
}

function* chunksOf(reply: Reply, id: string, subject: string | null): Generator<UIMessageChunk> {
	const { tool, data, line, links, ...rest } = reply;
	// A choice is a question and no failure: its text has all that is needed to answer it.
	if (tool !== null && reply.kind !== "choose") {
		const toolCallId = `call-${id}`;
		const input = { command: reply.command };
		yield { type: "tool-input-available", toolCallId, toolName: tool, input };
		if (reply.kind === "done") yield { type: "tool-output-available", toolCallId, output: data };
		else yield { type: "tool-output-error", toolCallId, errorText: line };
	}
	const textId = `text-${id}`;
	yield { type: "text-start", id: textId };
	const urls = links.map(({ rel, url }) => `\n${rel}: ${url}`);
	const choices = reply.kind === "choose" ? reply.suggestions : [];
	const told = choices.map((one) => `\n${one.label}: ${one.command}`);
	yield { type: "text-delta", id: textId, delta: [line, ...told, ...urls].join("") };
	yield { type: "text-end", id: textId };
	yield { type: "data-reply", data: { ...rest, links } };
	yield { type: "finish", ...(subject === null ? {} : { messageMetadata: { subject } }) };
}

/** Passes the stream on; calls `onCancel` when its reader goes away. */
function untilCancelled<Chunk>(
	stream: ReadableStream<Chunk>,
	onCancel: () => void,
): ReadableStream<Chunk> {
	const reader = stream.getReader();
	return new ReadableStream<Chunk>({
		async pull(controller) {
			const { done, value } = await reader.read();
			if (done) controller.close();
			else controller.enqueue(value);
		},
		async cancel(reason) {
			onCancel();
			await reader.cancel(reason);
		},
	});
}
