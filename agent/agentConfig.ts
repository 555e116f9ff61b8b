import { z } from "zod";
import { LINE_LENGTH_MAX } from "#agent/limits.ts";
import { coreConfig } from "#core/config/coreConfig.ts";

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
		.default(5_000_000)
		.describe(
			"Tokens that the language model may take in 24 hours, by all processes together, a 24th of them " +
				"in any one; at most half by who is not signed in. 0: no model.",
		),
});

export type AgentConfig = z.output<typeof agentConfig>;
