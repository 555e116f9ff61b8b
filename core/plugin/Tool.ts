import type { z } from "zod";

/** Who speaks to a tool, and how sure it is that the words are their own. */
export type Caller = {
	/** Through what: `agent` is the command route, chat and the terminal. Caps differ. */
	channel: "agent" | "mcp" | "social";
	/** Whose wallets may be used; null for somebody who is not signed in. */
	profileId: string | null;
	/**
	 * `author`: this person typed this very text. `session`: a program that holds their session
	 * speaks for them. Only an author's words execute anything.
	 */
	authority: "none" | "session" | "author";
};

/**
 * What a tool does at most. `read` changes nothing. `prepare` records an intent that always asks
 * its owner by a link. `execute` may move money, or take back what does, at once.
 */
export type ToolEffect = "read" | "prepare" | "execute";

export type ToolContext = {
	caller: Caller;
	/** The same key asks for the same action: it is done once. Null: each call is its own. */
	idempotencyKey: string | null;
	signal: AbortSignal;
};

/** What a tool found: its output, or a question where the words fit several things. */
export type ToolAnswer<Output> =
	| { kind: "done"; output: Output }
	| {
			kind: "choose";
			/** One sentence, such as `Which "kiln" do you mean?` */
			question: string;
			/** The slot that is not clear; each choice is a value of it that is. */
			slot: string;
			choices: readonly { value: string; label: string }[];
	  };

/** Something to open: a page of ours at which its owner confirms or signs. */
export type ToolLink = { rel: "confirm" | "sign" | "cancel" | "open"; url: string };

/** One thing the agent can do, for the command route, chat, MCP and the social channel alike. */
export type Tool<Input = unknown, Output = unknown> = {
	/** Lower-case words joined by `_`, a verb first: `read_floor`. No two tools have one name. */
	name: string;
	title: string;
	/** Says to a program, or a person, what it does, in which units, and what it leaves alone. */
	description: string;
	/** What an operator calls the group it belongs to: `market`, `wallets`, `token_economics`. */
	capability: string;
	effect: ToolEffect;
	/** `everybody`: also without a session. */
	access: "everybody" | "profile";
	input: z.ZodType<Input>;
	output: z.ZodType<Output>;
	/** Throws Faults. It never gets anything but what `input` let through. */
	run(input: Input, context: ToolContext): Promise<ToolAnswer<Output>>;
	/**
	 * Renders the answer as one line of at most 160 characters, without its age, which the agent
	 * adds. Names from outside come as they are: the agent makes them harmless.
	 */
	line(output: Output): string;
	/** The time of the oldest figure in the answer, in ms; null where nothing in it ages. */
	asOfMs(output: Output): number | null;
	links?(output: Output): readonly ToolLink[];
};

// biome-ignore lint/suspicious/noExplicitAny: a list of tools erases what each is typed by.
export type AnyTool = Tool<any, any>;

/** Gives a tool the types of its schemas; the value is returned as it is. */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
	return tool;
}
