import { figuresOf } from "#test/e2e/oracle/expected/figuresOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";

const COUNT = "meta_trait:trait_count";
const NONE = ["none", ""];
/** The relative tolerance of Python's `math.isclose`: two scores so near are equal. */
const CLOSE = 1e-9;
/** A few unreadable tokens do not keep the others without a rank; more do. */
const READ_SHARE = 0.95;

/** Attributes of a token by trait, as OpenRarity reads them. */
type Attributes = Map<string, string>;

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

const plain = (text: string) => stripped(text).toLowerCase();

/**
 * Strips a text as Python's `strip` does: JavaScript's takes U+FEFF and leaves U+001C to U+001F and
 * U+0085.
 */
export function stripped(text: string): string {
	const edge =
		"[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
	return text.replace(new RegExp(`^${edge}|${edge}$`, "g"), "");
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

const weighed = (share: number) => share * Math.log2(share);

function isClose(a: number, b: number): boolean {
	return Math.abs(a - b) <= CLOSE * Math.max(Math.abs(a), Math.abs(b));
}
