// Calculates the expected tokens, ranks, traits and activity.

import { ZERO } from "#test/conformance/provider/world/growCollection.ts";
import { coins } from "#test/conformance/provider/world/World.ts";
import {
	type Check,
	differences,
	type Expected,
	notAFigure,
} from "#test/e2e/oracle/differences.ts";
import { asksOf, newestOf, type ToldOrder, unitOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { priceOf, timeOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { figuresOf } from "#test/e2e/oracle/expected/figuresOf.ts";
import { dollarsOf, ether } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/model.ts";

/** Attributes of a token by trait, as OpenRarity reads them. */
type Attributes = Map<string, string>;

/** A trait's value, and the tokens with it; null if only their number was told. */
type Counted = { type: string; value: string; count: number; ids: Set<string> | null };

const COUNT = "meta_trait:trait_count";
const NONE = ["none", ""];
/** The relative tolerance of Python's `math.isclose`: two scores so near are equal. */
const CLOSE = 1e-9;
/** A few unreadable tokens do not keep the others without a rank; more do. */
const READ_SHARE = 0.95;

const plain = (text: string) => stripped(text).toLowerCase();

const weighed = (share: number) => share * Math.log2(share);

const name = notAFigure("what it is called, and how it looks");
const state = notAFigure("a state, or a time at which the service did something");

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** Returns one token as the answer must show it, in the words of its source. */
export function assetOf(view: View, tokenId: string, nowMs: number): Expected {
	const told = view.told.tokens.get(`${view.address} ${tokenId}`);
	const owner = view.owners?.ofToken.get(tokenId) ?? null;
	const word = (text: unknown): Expected => (told ? ((text ?? null) as Expected) : null);
	return {
		chain: view.chain,
		contractAddress: view.address,
		tokenId,
		standard: told ? told.token_standard : state,
		name: word(told?.name),
		description: word(told?.description),
		imageUrl: word(told?.image_url),
		animationUrl: null,
		traits: told ? told.traits.map(traitOf) : null,
		rank: ranksOf(view, nowMs)?.get(tokenId) ?? null,
		// The contracts have no metadata of their own.
		tokenUri: null,
		tokenUriHash: null,
		source: told ? "provider" : null,
		fetchedAt: state,
		owner: owner === ZERO ? null : owner,
		collection: { slug: name, name, imageUrl: name, revealState: state },
		...{ slug: name, explorerUrl: name, bookReadAt: state },
		listing: cheapestOf(view, tokenId),
	};
}

/** Checks that a token's listing is one of its cheapest; before the book was read there is none. */
function cheapestOf(view: View, tokenId: string): Check {
	return (actual) => {
		if (actual === null) return undefined;
		const asks = (asksOf(view) ?? []).filter((ask) => ask.tokenId === tokenId);
		const named = asks.find(({ hash }) => hash === actual.orderHash);
		const price = named && unitOf(named);
		const isCheapest =
			named !== undefined && asks.every((ask) => price == null || (unitOf(ask) ?? price) >= price);
		return isCheapest ? undefined : `${actual.orderHash} is not the cheapest listing`;
	};
}

/**
 * Returns OpenRarity's rank of each token, by its published definition: information content over
 * the collection's entropy, after the number of attributes that no other token has. Null if there
 * are no ranks: units of an ERC-1155 are no single tokens, identical tokens have no order, and in a
 * part of the supply the rarest are not known.
 */
export function ranksOf(view: View, nowMs: number): Map<string, number> | null {
	const { tokens } = view.told;
	const supply = figuresOf(view, nowMs)["totalSupply"]?.value ?? null;
	const told = [...tokens.values()].filter(({ contract }) => contract === view.address);
	const isPart = supply !== null && told.length < READ_SHARE * supply;
	const isUnits = told.some(({ token_standard: standard }) => standard !== "erc721");
	if (told.length === 0 || isPart || isUnits) return null;
	const all = told.map(({ identifier, traits }) => ({ id: identifier, has: attributesOf(traits) }));
	if (new Set(all.map(({ has }) => JSON.stringify([...has].sort()))).size === 1) return null;
	return rankTokens(all);
}

/** Returns attributes that are texts: a number or a date is no attribute. */
export function attributesOf(traits: readonly any[]): Attributes {
	const texts = traits.filter(({ display_type: kind }) => !["number", "date"].includes(kind));
	const has = new Map(
		texts.map(({ trait_type: type, value }) => [plain(type), plain(value)] as const),
	);
	const count = [...has.values()].filter((value) => !NONE.includes(value)).length;
	return has.set(COUNT, String(count));
}

/** Ranks the tokens of a complete list. */
export function rankTokens(all: readonly { id: string; has: Attributes }[]): Map<string, number> {
	const supply = all.length;
	const types = [...new Set(all.flatMap(({ has }) => [...has.keys()]))];
	const counts = new Map(
		types.map((type) => {
			const values = all.map(({ has }) => has.get(type) ?? null);
			return [type, Map.groupBy(values, (value) => value)] as const;
		}),
	);
	const share = (type: string, value: string | null) =>
		(counts.get(type)?.get(value)?.length ?? 0) / supply;
	const entropy = types.reduce((sum, type) => {
		const values = [...(counts.get(type)?.keys() ?? [])];
		return sum - values.reduce((part, value) => part + weighed(share(type, value)), 0);
	}, 0);
	const scored = all.map(({ id, has }) => {
		const content = types.reduce(
			(sum, type) => sum - Math.log2(share(type, has.get(type) ?? null)),
			0,
		);
		const unique = [...has].filter(([type, value]) => share(type, value) * supply === 1).length;
		return { id, unique, score: content / (entropy === 0 ? 1 : entropy) };
	});
	scored.sort((a, b) => b.unique - a.unique || b.score - a.score);
	const ranks = new Map<string, number>();
	for (const [at, { id, score }] of scored.entries()) {
		const before = scored[at - 1];
		const shared = before && isClose(before.score, score) ? ranks.get(before.id) : undefined;
		ranks.set(id, shared ?? at + 1);
	}
	return ranks;
}

/** Returns a row of activity, a mint of discover and a frame of the stream. */
export function eventOf(fact: Fact, chain: string): Record<string, Expected> {
	const { kind, accepted, block, total, quantity } = fact;
	const words = fact.words && withoutEdges(fact.words);
	return {
		id: notAFigure("a name of the event"),
		chain,
		contractAddress: fact.contract,
		eventType: kind,
		accepted,
		reason: accepted ? null : reasonOf(fact),
		onchainVerified: block !== null,
		transactionHash: fact.transaction,
		blockNumber: block,
		logIndex: (actual) => ((actual === null) === (block === null) ? undefined : `${actual}`),
		tokenId: fact.tokenId,
		quantity: quantity.toString(),
		// Also for a mint that was told as a transfer to oneself.
		from: kind === "mint" ? ZERO : fact.from,
		to: fact.to,
		venue: notAFigure("the name of a marketplace"),
		priceNative: priceOf(fact),
		priceUsd: dollarsOf(fact),
		amountRaw: total === null ? null : (total / quantity).toString(),
		totalRaw: total === null ? null : total.toString(),
		settlementCurrency: currencyOf(fact),
		occurredAt: timeOf(fact),
		imageUrl: words ? (words.nft.image_url ?? null) : notAFigure("the token's own picture"),
		traits: words ? (actual) => same(actual, words.nft.traits) : notAFigure("the token's own"),
		providerPayload: words ? (actual) => same(actual, words) : null,
	};
}

/**
 * Checks the collection's traits value by value; null if no source told any. Floors follow a book
 * half a minute later: until then they are all the provider's.
 */
export function traitsOf(view: View): Check {
	return (actual) => {
		const wrong = [true, false].map((isByBook) =>
			differences(actual, traitsBy(view, { isByBook })),
		);
		const [least = []] = wrong.sort((a, b) => a.length - b.length);
		return least.length === 0 ? undefined : least.join("; ");
	};
}

/**
 * Strips a text as Python's `strip` does: JavaScript's takes U+FEFF and leaves U+001C to U+001F and
 * U+0085.
 */
function stripped(text: string): string {
	const edge =
		"[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
	return text.replace(new RegExp(`^${edge}|${edge}$`, "g"), "");
}

function traitOf({ trait_type: type, value, display_type: kind }: any): Expected {
	const text = stripped(String(value));
	return { trait_type: stripped(type), value: text, ...(kind && { display_type: kind }) };
}

function isClose(a: number, b: number): boolean {
	return Math.abs(a - b) <= CLOSE * Math.max(Math.abs(a), Math.abs(b));
}

/**
 * Returns the provider's words as they are stored: texts of traits without the space around them.
 */
function withoutEdges(words: any): any {
	const traits = words.nft.traits.map((trait: any) => {
		return typeof trait.value === "string" ? { ...trait, value: stripped(trait.value) } : trait;
	});
	return { ...words, nft: { ...words.nft, traits } };
}

function reasonOf({ from, to }: Fact): string {
	return from === to ? "self_trade" : "zero_price";
}

/** Checks the currency. A payment of zero may have any currency. */
function currencyOf({ total, currency, words }: Fact): Expected {
	if (total === null) return null;
	const isIn = ({ address }: { address: string }) => address === currency;
	const coin = Object.values(coins).find(isIn);
	return (actual) => {
		if (total === 0n && actual === null) return undefined;
		if (actual?.address !== currency) return `${JSON.stringify(actual)}, and not ${currency}`;
		// Until its contract was read, or the provider told them, a token has neither symbol nor
		// decimals.
		const isNative = currency === coins.eth.address;
		const { symbol, decimals } = words?.payment ?? coin ?? {};
		const isNamed = actual.symbol === symbol && actual.decimals === decimals;
		const isUnnamed = !isNative && actual.symbol === null && actual.decimals === null;
		return isNamed || isUnnamed ? undefined : `${JSON.stringify(actual)} of ${symbol} ${decimals}`;
	};
}

function same(actual: unknown, expected: unknown): string | undefined {
	return Bun.deepEquals(actual, expected) ? undefined : `${JSON.stringify(actual)?.slice(0, 300)}`;
}

function traitsBy(view: View, { isByBook }: { isByBook: boolean }): Expected[] | null {
	const counted = countedOf(view);
	if (!counted) return null;
	// Without read listings a book has no floor.
	const asks = isByBook && view.told.allListings.length > 0 ? asksOf(view) : null;
	return counted
		.sort((a, b) => order(a.type, b.type) || order(a.value, b.value))
		.map(({ type, value, count, ids }) => {
			const floorNative = asks && ids ? bestOf(asks, ids) : toldFloorOf(view, type, value);
			return { type, value, count, floorNative };
		});
}

/** Counts traits by the tokens' own words, else takes the provider's counts. */
function countedOf({ told, address }: View): Counted[] | null {
	const tokens = [...told.tokens.values()].filter(({ contract }) => contract === address);
	const counted = new Map<string, Counted>();
	for (const { identifier, traits } of tokens) {
		for (const { trait_type, value: text } of traits) {
			const [type, value] = [stripped(trait_type), stripped(String(text))];
			const key = JSON.stringify([type, value]);
			const own = counted.get(key) ?? { type, value, count: 0, ids: new Set() };
			own.count++;
			own.ids?.add(identifier);
			counted.set(key, own);
		}
	}
	if (counted.size > 0) return [...counted.values()];
	const counts = newestOf(told.traits)?.answer.counts;
	if (!counts) return null;
	return Object.entries<Record<string, number>>(counts).flatMap(([type, values]) =>
		Object.entries(values).map(([value, count]) => ({ type, value, count, ids: null })),
	);
}

/** Returns the cheapest of the tokens with the value, among prices known in ether. */
function bestOf(asks: readonly ToldOrder[], ids: Set<string>): number | null {
	const units = asks.flatMap((ask) => (ids.has(ask.tokenId ?? "") ? (unitOf(ask) ?? []) : []));
	const [best] = units.sort((a, b) => (a < b ? -1 : 1));
	return best === undefined ? null : ether(best);
}

function toldFloorOf({ told, rates }: View, type: string, value: string): number | null {
	const { answer, atMs } = newestOf(told.traitFloors) ?? { answer: { floors: [] }, atMs: 0 };
	const rows: any[] = answer.floors;
	const prices = rows.flatMap(({ trait_type, value: of, floor_price, payment_token_symbol }) => {
		const isIt = trait_type === type && of === value;
		return isIt ? (rates.etherOfSymbol(payment_token_symbol, floor_price, atMs) ?? []) : [];
	});
	return prices.length === 0 ? null : Math.min(...prices);
}
