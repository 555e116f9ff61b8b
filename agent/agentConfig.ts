// Declares the variables and limits of the agent: the longest text, the model and its time-outs.

import { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";

/**
 * The longest line of a reply, in characters; `MAX_REPLY_LENGTH` may shorten it, never lengthen it.
 */
export const LINE_LENGTH_MAX = 200;

/** The longest time that a tool may take. */
export const TOOL_TIMEOUT_MS = 10_000;

/**
 * Limits the pause within an answer: a model's time, then a tool's, and some seconds of our own.
 */
export const ANSWER_IDLE_SECONDS = 60;

/** The longest text of a request. The grammar refuses much shorter ones, with a clear reason. */
export const TEXT_CHARS_MAX = 10_000;

/** The most suggestions in a reply: choices of a question, or similar commands. */
export const SUGGESTIONS_MAX = 10;

/** The most messages, and parts of one, in a chat request. Only the last text is read. */
export const MESSAGES_MAX = 1_000;
export const PARTS_MAX = 1_000;

/** The longest id of a message, which is the default of its `idempotency-key`. */
export const MESSAGE_ID_CHARS_MAX = 200;

/** Limits the lookup of names, and how long a book that did not answer is left alone. */
export const NAMES_TIMEOUT_MS = 500;
export const NAMES_AWAY_MS = 5_000;

// Shared with the runtime: `bun run svc ask` finds the service by them, and MCP checks its host.
const { HOST, PORT, PUBLIC_URL } = coreConfig.shape;

/** The agent's part of the configuration. */
export const agentConfig = z.object({
	HOST,
	PORT,
	PUBLIC_URL,
	MAX_REPLY_LENGTH: z
		.int()
		.min(80)
		.max(25_000)
		.default(250)
		.describe(
			`Longest reply of the agent, in characters as X counts them; its line has at most ` +
				`${LINE_LENGTH_MAX} of them.`,
		),
	AGENT_MODEL: z
		.string()
		.regex(/^[\x21-\x7e]{1,200}$/)
		.optional()
		.meta({ expects: "a model's name without blanks" })
		.describe(
			"The language model that reads what is no strict command. Unset: such text is answered with help.",
		),
	OPENAI_BASE_URL: z
		.url({ protocol: /^https?$/ })
		.transform((url) => url.replace(/\/+$/, ""))
		.default("https://api.openai.com/v1")
		.meta({ expects: "a URL that begins with https:// or http://" })
		.describe("Where AGENT_MODEL is: any endpoint with OpenAI's /chat/completions."),
	OPENAI_API_KEY: z
		.string()
		.regex(/^[\x21-\x7e]{1,512}$/)
		.optional()
		.meta({ secret: true, expects: "a key without blanks" })
		.describe("The key of OPENAI_BASE_URL, to which alone it is sent. Local endpoints need none."),
	AGENT_MODEL_TIMEOUT_MS: z
		.int()
		.min(100)
		.max(30_000)
		.default(8_000)
		.describe("How long the language model may take; then the answer is help."),
	AGENT_MODEL_DAILY_TOKENS_MAX: z
		.int()
		.min(0)
		.max(10_000_000_000)
		.default(8_000_000)
		.describe(
			"Tokens that the language model may take in 24 hours, by all processes together, a 24th of them " +
				"in any one; at most half by who is not signed in. 0: no model.",
		),
});

export type AgentConfig = z.output<typeof agentConfig>;
