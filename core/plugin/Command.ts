/**
 * What may stand at a place in a command. All values are strings as the author typed them, after
 * normalisation: `amount` a plain decimal (`0.5`), `percent` `1` to `100` without its sign,
 * `asset` a ticker in capitals without `$` or a lower-case address, `collection` one to eight words
 * (or any text in double quotes), a slug or an address, `token` a decimal id (with `hasSign` only
 * behind a `#`: `12` could be how many), `chain` a slug or an id of a known chain (two words such
 * as `arbitrum one` are not read), `address` a lower-case address, `window` one of
 * `5m 1h 6h 24h 7d 30d`, `id` the id of an intent, `word` one of a list.
 */
export type Slot =
	| { kind: "amount" }
	| { kind: "percent" }
	| { kind: "asset" }
	| { kind: "collection" }
	| { kind: "token"; hasSign?: true }
	| { kind: "chain" }
	| { kind: "address" }
	| { kind: "window" }
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
	 * The name of the tool that runs in its place where the speaker may not execute: it prepares the
	 * same thing and asks its owner. Left out: such a speaker is refused.
	 */
	prepares?: string;
	/** Makes the tool's input of the values; left out: the values are the input. */
	input?(values: SlotValues): unknown;
	/** One line of help: what it answers or does. */
	summary: string;
	/** How a question that no form reads is known to be this one. Only for what reads. */
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
	/** The answer is of now: a length of time in the question is left out. */
	anyTime?: boolean;
	/** The answer is a price: an amount that it is compared with asks for it (`still above 2`). */
	takesPrice?: boolean;
	/** The slug of the chain that all answers are of: naming it says nothing more. */
	chain?: string;
	/** A ticker alone asks for it: `$tsla now?`. */
	ofTicker?: boolean;
	/** A name in quotes, or a known one, alone asks for it. */
	ofName?: boolean;
};
