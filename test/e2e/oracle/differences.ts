import type { Hex } from "viem";
import type { Owners } from "#test/e2e/oracle/createViews.ts";
import type { Rates } from "#test/e2e/oracle/expected/worthOf.ts";

/** One event as its source told it: the chain's logs, or an answer of the provider. */
export type UnpricedFact = {
	kind: "sale" | "mint" | "transfer";
	contract: Hex;
	tokenId: string;
	quantity: bigint;
	from: Hex;
	to: Hex;
	atMs: number;
	/** Base units of `currency` for all units; null if no source told a price. */
	total: bigint | null;
	currency: Hex | null;
	accepted: boolean;
	transaction: Hex | null;
	/** Null where only the provider told it. */
	block: number | null;
	/** The provider's own words; null if it did not tell of the event. */
	words: any;
	/** Position among the events of its second: the later has the larger number. */
	place: number;
};

export type Fact = UnpricedFact & {
	/** Wei for all units; null if no source told a price, or its currency had no rate. */
	worth: bigint | null;
	/** Dollars for one ether at its time; null if no feed had a rate. */
	etherDollars: number | null;
};

/** An answer of the provider, with its time. */
export type Told<Answer = any> = { atMs: number; answer: Answer };

/** The provider's answers about one slug, each list with the newest last. */
export type ToldSlug = {
	pages: Told[];
	stats: Told[];
	listings: Told[];
	allListings: Told[];
	offers: Told[];
	drops: Told[];
	traits: Told[];
	traitFloors: Told[];
	/** By contract and id, in the provider's words. */
	tokens: Map<string, any>;
	/** Answers to requests for its events. */
	eventAnswers: Told[];
};

/**
 * All that can be known of one contract: what the product was told, and what happened on the chain.
 */
export type View = {
	chain: string;
	address: Hex;
	/** The provider's slug; null if it has none. */
	slug: string | null;
	/**
	 * False where the provider's slug has several contracts: its figures are then of no single one.
	 */
	isSole: boolean;
	/** What the lanes read and the provider answered, the oldest first. */
	known: readonly Fact[];
	/** All that happened, whether or not it can be known. */
	truth: readonly Fact[];
	told: ToldSlug;
	rates: Rates;
	/** From the chain at its head; null if the service did not walk it. */
	owners: Owners | null;
	/** When the lanes of its chain began; null if the chain is not read. */
	lanesFromMs: number | null;
	/** The time of the newest block; null if the chain is not read. */
	lanesUntilMs: number | null;
};

/** Returns what is wrong with a value; undefined if nothing is. */
export type Check = (actual: any) => string | undefined;

/** What an answer must be, member by member. No member of the answer may be left out. */
export type Expected =
	| Check
	| string
	| number
	| boolean
	| null
	| readonly Expected[]
	| { readonly [name: string]: Expected };

/** Relative tolerance: amounts of money are shown with the digits of a double. */
const RELATIVE = 1e-9;

/**
 * Returns every difference between an answer and what it must be, each with its path.
 *
 * An unexpected member is a difference as well: a new field of a route fails until its expected
 * value, or why it is no figure, is stated here.
 */
export function differences(actual: unknown, expected: Expected, at = ""): string[] {
	if (typeof expected === "function") {
		const wrong = expected(actual);
		return wrong === undefined ? [] : [`${at}: ${wrong}`];
	}
	if (typeof expected === "number") return isNear(actual, expected) ? [] : [differs()];
	if (typeof expected !== "object" || expected === null) {
		return Object.is(actual, expected) ? [] : [differs()];
	}
	if (Array.isArray(expected)) {
		if (!Array.isArray(actual)) return [`${at}: no list but ${short(actual)}`];
		const wrong = actual.length === expected.length ? [] : [countOf(actual, expected)];
		return [...wrong, ...expected.flatMap((one, i) => differences(actual[i], one, `${at}[${i}]`))];
	}
	if (typeof actual !== "object" || actual === null) return [differs()];
	const members = expected as Record<string, Expected>;
	const given = actual as Record<string, unknown>;
	const unexpected = Object.keys(given).filter((name) => !Object.hasOwn(members, name));
	return [
		...unexpected.map((name) => `${at}.${name}: nobody compares this member`),
		...Object.entries(members).flatMap(([name, one]) =>
			differences(given[name], one, `${at}.${name}`),
		),
	];

	function differs(): string {
		return `${at}: ${short(actual)}, and not ${short(expected)}`;
	}

	function countOf(all: unknown[], wanted: readonly unknown[]): string {
		return `${at}: ${all.length} rows, and not ${wanted.length}`;
	}
}

export function isNear(actual: unknown, expected: number): boolean {
	if (typeof actual !== "number") return false;
	return Math.abs(actual - expected) <= RELATIVE * Math.max(1, Math.abs(expected));
}

/** Accepts any value of a member, with the reason why it is no figure. */
export function notAFigure(_why: string): Check {
	return (actual) => (actual === undefined ? "the member is missing" : undefined);
}

function short(value: unknown): string {
	return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
