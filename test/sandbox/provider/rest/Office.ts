// Holds what the provider's routes share: look-ups, pages and refusals.

import { type Address, isAddress } from "viem";
import { z } from "zod";
import type { Signatures } from "../book/fulfilment.ts";
import type { MetadataCache } from "../chain/readContract.ts";
import type { Collection, Market, Trait } from "../market/Market.ts";

/** What every route needs. */
export type Office = {
	market(): Market;
	metadata: MetadataCache;
	signatures: Signatures;
	/** The emulator's URL, for the links in its answers. */
	publicUrl: string;
	usdPerEther: number;
};

export type Asked = {
	office: Office;
	/** Decoded path segments, in the order of the path's `:` names. */
	params: string[];
	query: URLSearchParams;
	/** Parsed JSON of a POST; null where there was none. */
	body: unknown;
};

/** A path with `:name` segments, and its answer with status 200; a Refusal is any other answer. */
export type Route = {
	method: "GET" | "POST";
	path: string;
	answer(asked: Asked): unknown;
};

export type Paging<Item> = {
	query: URLSearchParams;
	/** `next` in some families, `cursor` or `after` in others; the answer always calls it `next`. */
	cursorName: "next" | "cursor" | "after";
	limitDefault: number;
	limitMax: number;
	/**
	 * Returns an item's position: pages continue after the last one shown, even if the list has
	 * changed.
	 */
	position(item: Item): readonly number[];
};

/** The provider's spelling of chain 31337; the real one has no test chains. */
export const CHAIN = "anvil";
export const CHAIN_ID = 31_337;

/** An answer other than 200: the status and the text in `errors`. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

/** Other chains that the provider knows; they are empty here. */
const OTHER_CHAINS = new Set(
	"ethereum optimism unichain polygon monad shape flow hyperevm sei soneium ronin abstract megaeth robinhood somnia b3 base ape_chain arbitrum avalanche gunzilla ink animechain bera_chain blast zora solana".split(
		" ",
	),
);

const Position = z.array(z.number()).max(4);

const Filter = z.array(z.object({ traitType: z.string(), value: z.string() })).max(50);

export function collectionBySlug(office: Office, slug: string | undefined): Collection {
	const found = office.market().collections.get(slug ?? "");
	if (!found) throw new Refusal(404, `Collection ${slug} not found`);
	return found;
}

export function collectionByContract(
	office: Office,
	at: { chain: string | undefined; address: string | undefined },
): Collection {
	checkChain(at.chain);
	const found = office.market().byAddress.get(addressOf(at.address));
	if (!found || at.chain !== CHAIN) throw new Refusal(404, `Contract ${at.address} not found`);
	return found;
}

export function tokenOf(collection: Collection, identifier: string | undefined): bigint {
	const id = /^\d{1,78}$/.test(identifier ?? "") ? BigInt(identifier ?? "") : null;
	if (id === null || !collection.holders.has(id)) {
		throw new Refusal(404, `Nft ${identifier} not found`);
	}
	return id;
}

export function addressOf(text: string | undefined): Address {
	if (!text || !isAddress(text, { strict: false })) throw new Refusal(400, "Invalid address");
	return `0x${text.slice(2).toLowerCase()}`;
}

export function checkChain(chain: string | undefined): void {
	if (chain !== CHAIN && !OTHER_CHAINS.has(chain ?? "")) {
		throw new Refusal(400, `Invalid chain: ${chain}`);
	}
}

/**
 * Returns whether a `chain` or `chains` parameter includes this chain. Unknown names are ignored,
 * unless there is no other.
 */
export function hasOurChain(query: URLSearchParams): boolean {
	const asked = [...query.getAll("chains"), ...query.getAll("chain")]
		.flatMap((text) => text.split(","))
		.filter((name) => name !== "");
	if (asked.length === 0 || asked.includes(CHAIN)) return true;
	if (!asked.some((name) => OTHER_CHAINS.has(name))) {
		throw new Refusal(400, `Invalid chain: ${asked.join()}`);
	}
	return false;
}

/** Returns one of these words, or the default for none. */
export function choiceOf<Choice extends string>(
	query: URLSearchParams,
	name: string,
	choices: readonly [Choice, ...Choice[]],
): Choice {
	const text = query.get(name);
	if (text === null) return choices[0];
	const found = choices.find((choice) => choice === text);
	if (found === undefined) throw new Refusal(400, `Invalid ${name}: ${text}`);
	return found;
}

/** Returns one page of a list that is sorted by its items' positions, the lowest first. */
export function pageOf<Item>(
	items: readonly Item[],
	paging: Paging<Item>,
): { items: Item[]; next?: string } {
	const limit = limitOf(paging.query, paging);
	const cursor = paging.query.get(paging.cursorName);
	const after = cursor ? readCursor(cursor) : null;
	const rest = after
		? items.filter((item) => compare(paging.position(item), after) > 0)
		: items.slice(0, limit + 1);
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	if (rest.length <= limit || last === undefined) return { items: shown };
	return { items: shown, next: writeCursor(paging.position(last)) };
}

/**
 * Returns the page size; refuses one outside the bounds, as the document's minimum and maximum
 * require.
 */
export function limitOf(
	query: URLSearchParams,
	{ limitDefault, limitMax }: { limitDefault: number; limitMax: number },
): number {
	const text = query.get("limit");
	if (text === null) return limitDefault;
	const limit = Number(text);
	if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
		throw new Refusal(400, `limit must be between 1 and ${limitMax}`);
	}
	return limit;
}

export function writeCursor(position: readonly number[]): string {
	return Buffer.from(JSON.stringify(position)).toString("base64url");
}

export function readCursor(cursor: string): readonly number[] {
	try {
		return Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
	} catch {
		throw new Refusal(400, "Invalid cursor");
	}
}

/** Reads the `traits` parameter: a token must have all of them. Null where it is absent. */
export function traitFilter(
	query: URLSearchParams,
): ((traits: readonly Trait[]) => boolean) | null {
	const text = query.get("traits");
	if (text === null) return null;
	let wanted: z.infer<typeof Filter>;
	try {
		wanted = Filter.parse(JSON.parse(text));
	} catch {
		throw new Refusal(400, "Invalid traits");
	}
	return (traits) =>
		wanted.every(({ traitType, value }) =>
			traits.some((trait) => trait.type === traitType && trait.value === value),
		);
}

function compare(a: readonly number[], b: readonly number[]): number {
	for (const [n, value] of a.entries()) {
		const other = b[n] ?? 0;
		if (value !== other) return value < other ? -1 : 1;
	}
	return 0;
}
