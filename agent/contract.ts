import { agentConfig } from "#agent/agentConfig.ts";
import { renderLine, replyLength } from "#agent/reply/renderLine.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";
import type { Caller, ToolLink } from "#core/plugin/Tool.ts";

/** The agent's reply, the same through every channel. */
export type Reply = {
	/** `done`, or why not: `choose` asks a question, `help` means that no command reads the text. */
	kind: "done" | "choose" | "help" | "refused";
	/** One line of at most 200 characters, with the age of its figures. */
	line: string;
	/** The strict command that was run, in its printed form; null where none was understood. */
	command: string | null;
	/** True where a model wrote that command, or words stood around it: at most prepared. */
	isProposal: boolean;
	/** The name of the tool that ran; null where none did. */
	tool: string | null;
	/** The tool's output, valid by its output schema; null where none ran. */
	data: unknown;
	/** ISO time of the oldest figure; null where nothing in the answer gets old. */
	asOf: string | null;
	links: readonly ToolLink[];
	/** Complete commands to send instead: the choices of a question, or similar commands. */
	suggestions: readonly { label: string; command: string }[];
	/** A stable code for programs if `kind` is `help` or `refused`; null otherwise. */
	code: string | null;
};

export type Asked = {
	/** The text as the user typed it. */
	text: string;
	caller: Caller;
	/** Repeats with the same key and text execute an action once. */
	idempotencyKey: string | null;
	/**
	 * Identifies a caller who is not signed in (an address, an account); guests share the model's
	 * budget.
	 */
	guest?: string;
	/** Asks no language model where the grammar does not read the text. */
	isWithoutModel?: boolean;
	/**
	 * The command of the last answer, as its client sends it: it fills in what a follow-up question
	 * leaves out (`and in the last hour?`). It only ever changes which open question is answered.
	 */
	subject?: string;
	/** Leaves the age of figures out of the line, and room for it; the channel adds it at sending. */
	isAgeless?: boolean;
	signal: AbortSignal;
};

/** Answers texts: strict commands first; a language model only for texts that no command reads. */
export type Agent = {
	handle(asked: Asked): Promise<Reply>;
};

export const AgentKey = serviceKey<Agent>()("agent");

/** The setting for the longest reply, in characters, shared with other plugins. */
export const MAX_REPLY_LENGTH = agentConfig.shape.MAX_REPLY_LENGTH;

/** Renders a line for channels that add words of their own: made harmless, cut between words. */
export const lineOf = renderLine;

/** Counts the length of such a line, in code points and as X counts. */
export const lengthOf = replyLength;
