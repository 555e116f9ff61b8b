// Defines expected errors (Faults), denials as data, and assertions of our own mistakes.

import { inspect } from "node:util";

/** Says when the same request may be tried again. */
export type FaultRetry = "never" | "later" | "now";

export type FaultOptions = {
	code: string;
	status: number;
	retry: FaultRetry;
	/** The sentence a stranger may read. */
	publicDetail: string;
	/** Details for the operator only: they go to the log, never into an answer. */
	privateDetail?: string | undefined;
	/** Operator context for the log. */
	meta?: Record<string, unknown> | undefined;
	/** Members of the problem document beside the standard ones (`issues`, `provider`, …). */
	members?: Record<string, unknown> | undefined;
	cause?: unknown;
};

/** Holds one kind of Fault as its definition states it. Several may share a code. */
export type FaultEntry = {
	code: string;
	status: number;
	retry: FaultRetry;
	/** Says in a sentence what the fault means. */
	meaning: string;
	/** What the caller can do about it; undefined where status and `retry` are enough. */
	advice: string | undefined;
	/** Where the code stands: in a problem document, or in the `errorCode` of an intent. */
	standsIn: "problem" | "intent";
};

/** Says what a code of an intent means, and what its owner can do. */
export type Reason = readonly [meaning: string, advice: string];

/** A fault's fixed part. `code` defaults to the key in snake_case. */
export type FaultDefinition = {
	status: number;
	retry: FaultRetry;
	public: string;
	/**
	 * What the caller can do about it, as a sentence for the code's page. Left out where that is only
	 * "wait and repeat", or "an operator has to act".
	 */
	advice?: string;
	code?: string;
};

export type FaultDetails = {
	/** Replaces the public sentence where the definition's is too general to act on. */
	public?: string;
	/** Details for the log only. */
	detail?: string;
	meta?: Record<string, unknown>;
	members?: Record<string, unknown>;
	cause?: unknown;
};

/**
 * Thrown for something that is expected to go wrong, and that the caller can act on.
 *
 * A Fault is the only thing thrown on purpose; any other error is our own mistake and answers 500
 * without its cause.
 */
export class Fault extends Error {
	override readonly name = "Fault";
	readonly code: string;
	readonly status: number;
	readonly retry: FaultRetry;
	readonly publicDetail: string;
	readonly privateDetail: string | undefined;
	readonly meta: Record<string, unknown>;
	readonly members: Record<string, unknown>;

	/**
	 * Makes a Fault. Its message is stored, and may contain the words of a node, contract or
	 * provider.
	 */
	constructor(given: FaultOptions) {
		const options = {
			...given,
			publicDetail: storable(given.publicDetail),
			privateDetail: given.privateDetail === undefined ? undefined : storable(given.privateDetail),
		};
		super(`${options.code}: ${options.privateDetail ?? options.publicDetail}`, {
			cause: options.cause,
		});
		this.code = options.code;
		this.status = options.status;
		this.retry = options.retry;
		this.publicDetail = options.publicDetail;
		this.privateDetail = options.privateDetail;
		this.meta = options.meta ?? {};
		this.members = options.members ?? {};
	}
}

/** Takes out of a text what PostgreSQL refuses: NUL characters, halves of surrogate pairs. */
function storable(text: string): string {
	return text.toWellFormed().replaceAll("\0", "");
}

/** Thrown by `assert`: our own mistake. It fails the request, never the process. */
export class AssertionFailed extends Error {
	override readonly name = "AssertionFailed";
}

const entries: FaultEntry[] = [];

/**
 * Every kind of Fault that a loaded module defines, for the pages that explain their codes.
 * `defineFaults` fills it, so a code cannot be missing there.
 */
export const faultCatalogue = {
	add: (entry: FaultEntry): void => void entries.push(entry),
	all: (): readonly FaultEntry[] => entries,
	/** Returns what a code of intents means; undefined for one that nobody declared. */
	meaningOf: (code: string): string | undefined =>
		entries.find((entry) => entry.standsIn === "intent" && entry.code === code)?.meaning,
	/**
	 * Returns every code that an intent can have, in alphabetical order: those of `defineReasons`,
	 * and those of Faults of other servers, which end what they are asked for.
	 */
	ofIntents(): string[] {
		const ends = ({ standsIn, status }: FaultEntry) =>
			standsIn === "intent" || OTHERS_FAILURES.has(status);
		return [...new Set(entries.filter(ends).map(({ code }) => code))].sort();
	},
};

/** Lists the statuses of Faults that another server causes: our own mistakes are 500. */
const OTHERS_FAILURES: ReadonlySet<number> = new Set([429, 502, 503]);

/** The status of the answer which shows an intent that a code ended. */
const INTENT_STATUS = 201;

/** States what must hold if this code is right. For what a stranger can cause, throw a Fault. */
export function assert(condition: unknown, because: string): asserts condition {
	if (!condition) throw new AssertionFailed(because);
}

/**
 * Declares what can go wrong in one area; each entry becomes a function that makes the Fault.
 *
 * @example
 * const marketFault = defineFaults({ notFound: { status: 404, retry: "never", public: "…" } });
 * throw marketFault.notFound({ public: `No collection "${slug}".` });
 */
export function defineFaults<const Definitions extends Record<string, FaultDefinition>>(
	definitions: Definitions,
): { [Name in keyof Definitions]: (details?: FaultDetails) => Fault } {
	const makers: Record<string, (details?: FaultDetails) => Fault> = {};
	for (const [name, definition] of Object.entries<FaultDefinition>(definitions)) {
		const { status, retry, advice, public: meaning } = definition;
		const code = definition.code ?? snakeCase(name);
		faultCatalogue.add({ code, status, retry, meaning, advice, standsIn: "problem" });
		makers[name] = (details = {}) =>
			new Fault({
				code,
				status,
				retry,
				publicDetail: details.public ?? meaning,
				privateDetail: details.detail,
				meta: details.meta,
				members: details.members,
				cause: details.cause,
			});
	}
	return makers as { [Name in keyof Definitions]: (details?: FaultDetails) => Fault };
}

/**
 * Declares codes of intents, so that each is in the OpenAPI document and has a page. A code that
 * several plugins use is declared by each: its page shows every meaning once.
 *
 * @example
 * defineReasons({ listing_gone: ["It is no longer for sale.", "Choose another listing."] });
 */
export function defineReasons(reasons: Readonly<Record<string, Reason>>): void {
	for (const [code, [meaning, advice]] of Object.entries(reasons)) {
		const told = { status: INTENT_STATUS, retry: "never", standsIn: "intent" } as const;
		faultCatalogue.add({ code, meaning, advice, ...told });
	}
}

/** Returns why something is not done, where that is an answer and nothing is thrown. */
export function deny(code: string, detail: string): { code: string; detail: string } {
	return { code, detail };
}

/** Returns the outcome of a preparation that is denied, with its reason. */
export function denied(
	code: string,
	detail: string,
): { kind: "denied"; denial: { code: string; detail: string } } {
	return { kind: "denied", denial: { code, detail } };
}

/** Ends the `default` of a switch over a union: a variant without a case no longer compiles. */
export function unreachable(variant: never): never {
	// Not JSON: a variant with an amount holds a bigint, and JSON.stringify throws on it.
	throw new AssertionFailed(`unhandled variant: ${inspect(variant, { depth: 1 })}`);
}

function snakeCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
