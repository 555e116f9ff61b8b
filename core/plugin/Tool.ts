// Defines what plugins offer the agent: tools, commands and names.

import type { z } from "zod";

/**
 * What may stand at a place in a command. All values are strings as the author typed them, after
 * normalisation: `amount` a plain decimal (`0.5`; with `isDollars` only behind a `$`), `percent`
 * `1` to `100` without its sign, `asset` a ticker in capitals without `$` or a lower-case address,
 * `collection` one to eight words (or any text in double quotes), a slug or an address, `token` a
 * decimal id (with `hasSign` only behind a `#`: `12` could be how many), `chain` a slug or an id of
 * a known chain (two words such as `arbitrum one` are not read), `address` a lower-case address,
 * `window` one of `5m 1h 6h 24h 7d 30d`, `period` a length of time or a past time as
 * `core/period.ts` names it (with `isPast` not the last 24 hours, which is the present), `id` the
 * id of an intent, `word` one of a list.
 */
export type Slot =
	| { kind: "amount"; isDollars?: true }
	| { kind: "percent" }
	| { kind: "asset" }
	| { kind: "collection" }
	| { kind: "token"; hasSign?: true }
	| { kind: "chain" }
	| { kind: "address" }
	| { kind: "window" }
	| { kind: "period"; isPast?: true }
	| { kind: "id" }
	| { kind: "word"; of: readonly string[] };

/** The values of a reading's slots, by name. An optional slot that was left out is not there. */
export type SlotValues = Readonly<Record<string, string>>;

/**
 * A strict command as data: what people may type, and the tool that it asks for.
 *
 * A form is made of words, `{slot}`, alternatives `(floor|fp)` and optional parts `[on {chain}]`.
 * The first form is the one that a reading is printed in, so it has a place for every slot.
 *
 * @example forms: ["floor {collection} [on {chain}]", "(floor|fp) (of|for) {collection}"]
 */
export type Command = {
	/** Unique among all commands: `floor`. */
	name: string;
	forms: readonly string[];
	slots: Readonly<Record<string, Slot>>;
	/** The name of the tool that it runs. */
	tool: string;
	/**
	 * The name of the tool that runs instead where the caller may not execute: it prepares the action
	 * and asks the owner. Left out: such a caller is refused.
	 */
	prepares?: string;
	/** Makes the tool's input of the values; left out: the values are the input. */
	input?(values: SlotValues): unknown;
	/** One line of help: what the tool answers or does. */
	summary: string;
	/** Recognises questions that no form reads as this command. Only for tools that read. */
	topic?: Topic;
	/** Texts that a form reads, the best first; help shows them. */
	examples: readonly string[];
};

/**
 * Says how a question is known by its words, wherever they stand. Where several commands are meant,
 * the one counts whose words are more of the same, or that goes `over` the others by name.
 */
export type Topic = {
	/** Words, phrases, and phrases with others inside: `holders`, `how many … listed`. */
	words: readonly string[];
	over?: readonly string[];
	/** Words and phrases that say nothing more beside one of `words`: `current` beside `floor`. */
	beside?: readonly string[];
	/** Words that change nothing elsewhere, and ask for something else here. */
	never?: readonly string[];
	/** Limits the rows of the answer; `top 5` is read as such a question if 5 is within it. */
	lists?: number;
	/** The answer is of now: `today` in the question says nothing more. */
	anyTime?: boolean;
	/** The slug of the chain that all answers are of: naming it says nothing more. */
	chain?: string;
	/** A ticker alone asks for it: `$tsla now?`. */
	ofTicker?: boolean;
	/** `my` in front of a name says nothing more: `my azuki floor`. */
	isOwned?: boolean;
	/** A name in quotes, or a known one, alone asks for it. */
	ofName?: boolean;
	/** A name with the id of a token alone asks for it. */
	ofToken?: boolean;
};

/** Says which kind of slot takes a name. A collection's name stays as it was typed. */
export type KnownName = { kind: "collection" } | { kind: "asset"; ticker: string };

/** Maps names, in lower case with single blanks, to what they are. */
export type KnownNames = ReadonlyMap<string, KnownName>;

/**
 * Looks up the names that a plugin knows. A question holds words in any order, and only who keeps
 * the names can say that `bad idea club` is a collection and `tsla` a share.
 *
 * `find` returns those of some groups of words that are names, by an index of the database: it is
 * asked for each question that is not in printed form, with at most `NAMES_ASKED_MAX` groups.
 */
export type NameBook = { find(groups: readonly string[]): Promise<KnownNames> };

/** Holds who calls a tool, and how sure it is that the text is their own. */
export type Caller = {
	/** Through what: `agent` is the command route, chat and the terminal. Caps differ. */
	channel: "agent" | "mcp" | "social";
	/** The profile whose wallets may be used; null for a caller who is not signed in. */
	profileId: string | null;
	/**
	 * `author`: this person typed this very text. `session`: a program that holds their session
	 * speaks for them. Only an author's words execute anything.
	 */
	authority: "none" | "session" | "author";
};

/**
 * Says what a tool may do at most. `read` changes nothing. `prepare` records an intent that always
 * asks its owner by a link. `execute` may move money, or cancel what does, at once.
 */
export type ToolEffect = "read" | "prepare" | "execute";

export type ToolContext = {
	caller: Caller;
	/**
	 * Repeats with the same key ask for the same action: it is done once. Null: each call is its own.
	 */
	idempotencyKey: string | null;
	/** The text that the author typed, stored with the order; left out where nothing was typed. */
	text?: string;
	signal: AbortSignal;
};

/** Says how an order that a tool starts or cancels is followed after its answer. */
export type Order<Output> = {
	idOf(output: Output): string;
	/** Reads the order again, as it is now. It starts nothing and makes no link. Throws Faults. */
	read(id: string, context: ToolContext): Promise<Output>;
	/** Returns what ended it, with the payment's hash where there is one; null while it goes on. */
	end(output: Output): { transaction: string | null } | null;
};

/** Holds what a tool found: its output, or a question where the words fit several things. */
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

/**
 * Declares one thing the agent can do, for the command route, chat, MCP and the social channel
 * alike.
 */
export type Tool<Input = unknown, Output = unknown> = {
	/** Lower-case words joined by `_`, a verb first: `read_floor`. No two tools have one name. */
	name: string;
	title: string;
	/** Says to a program, or a person, what it does, in which units, and what it leaves alone. */
	description: string;
	/** The operator's name of its group: `market`, `wallets`, `token_economics`. */
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
	/** Left out: what it answers is not followed. */
	order?: Order<Output>;
};

// biome-ignore lint/suspicious/noExplicitAny: a list of tools erases what each is typed by.
export type AnyTool = Tool<any, any>;

/** Limits how many groups of words a book is asked for at once. */
export const NAMES_ASKED_MAX = 250;

/** Gives a tool the types of its schemas; the value is returned as it is. */
export function defineTool<Input, Output>(tool: Tool<Input, Output>): Tool<Input, Output> {
	return tool;
}
