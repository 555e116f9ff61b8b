import { agentConfig } from "#agent/agentConfig.ts";
import { renderLine } from "#agent/reply/renderLine.ts";
import { replyLength } from "#agent/reply/replyLength.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";
import type { Caller, ToolLink } from "#core/plugin/Tool.ts";

/** What the agent answers, the same through every channel. */
export type Reply = {
	/** `done`, or why not: a question with choices, text that no command reads, a refusal. */
	kind: "done" | "choose" | "help" | "refused";
	/** One line of at most 200 characters, with the age of its figures. */
	line: string;
	/** The strict command that was run, as it is printed; null where none was understood. */
	command: string | null;
	/** True where a language model wrote that command: nothing was executed, at most proposed. */
	isProposal: boolean;
	/** The name of the tool that ran; null where none did. */
	tool: string | null;
	/** The tool's output, of its schema; null where none ran. */
	data: unknown;
	/** ISO time of the oldest figure; null where nothing in the answer ages. */
	asOf: string | null;
	links: readonly ToolLink[];
	/** Whole commands to send instead: the choices of a question, or commands that are near. */
	suggestions: readonly { label: string; command: string }[];
	/** A stable code for programs where `kind` is `help` or `refused`; null otherwise. */
	code: string | null;
};

export type Asked = {
	/** As typed. */
	text: string;
	caller: Caller;
	/** The same key and text does the same action once. */
	idempotencyKey: string | null;
	/** Who it is from where nobody is signed in: an address, an account. Guests share the model. */
	guest?: string;
	signal: AbortSignal;
};

/** Answers text: strict commands first, a language model only for what these do not read. */
export type Agent = {
	handle(asked: Asked): Promise<Reply>;
};

export const AgentKey = serviceKey<Agent>()("agent");

/** The most that any reply has, whoever sends it. */
export const MAX_REPLY_LENGTH = agentConfig.shape.MAX_REPLY_LENGTH;

/** For channels that put words of their own around a line: harmless, and cut between words. */
export const lineOf = renderLine;

/** How long such a text is. */
export const lengthOf = replyLength;
