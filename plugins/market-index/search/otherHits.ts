// Finds what is no collection: an account, a transaction, a token, and who has an ENS name.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf, type Hex, isAddress, isWord } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { chainOfRow, explorerLink } from "#plugins/market-index/display.ts";
import { ensName, type LookUps } from "#plugins/market-index/metadata/lookUps.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import type { SearchMatch, SearchUnknown } from "#plugins/market-index/schemas/search.ts";
import { readToken } from "#plugins/market-index/tokens/sql/tokens.ts";

export type OtherHits = { matches: SearchMatch[]; unknown: SearchUnknown[] };

/** What a text can mean besides words of a collection's name. */
export type Form =
	| { kind: "account"; address: Address }
	| { kind: "transaction"; hash: Hex }
	| { kind: "name"; name: string }
	| { kind: "token"; words: string; tokenId: bigint }
	| { kind: "words" };

type Context = Pick<RouteContext, "core" | "lookUps"> & {
	/** Returns the first collections that words find, by id. */
	collectionsOf(words: string, limit: number): Promise<readonly number[]>;
};

/** Collections in which a token with the number is looked for, the most traded first. */
const COLLECTIONS_MAX = 5;

const TOKEN = /^(.*\S)(?:\s+#?|#)(\d{1,78})$/su;
const UINT256_END = 2n ** 256n;

const NOTHING: OtherHits = { matches: [], unknown: [] };

/** Says what a query may mean: an address, a transaction, an ENS name, a token, or only words. */
export function formOf(text: string): Form {
	const plain = text.trim();
	const lower = plain.toLowerCase();
	if (isAddress(lower)) return { kind: "account", address: lower };
	if (isWord(lower)) return { kind: "transaction", hash: lower };
	const name = ensName(plain);
	if (name !== null) return { kind: "name", name };
	const [, words, digits] = TOKEN.exec(plain) ?? [];
	if (words === undefined || digits === undefined) return { kind: "words" };
	const tokenId = BigInt(digits);
	return tokenId < UINT256_END ? { kind: "token", words, tokenId } : { kind: "words" };
}

/**
 * Returns what a query means besides collections. What could not be asked is named in `unknown`,
 * with the reason: that nothing was found there is not known.
 */
export async function findOthers(
	context: Context,
	form: Form,
	chains: readonly Chain[],
): Promise<OtherHits> {
	switch (form.kind) {
		case "account":
			return { ...NOTHING, matches: [accountMatch(form.address, null)] };
		case "transaction":
			return findTransaction(context, form.hash, chains);
		case "name":
			return findName(context.lookUps, form.name);
		case "token":
			return { ...NOTHING, matches: await findTokens(context, form, chains) };
		case "words":
			return NOTHING;
	}
}

async function findTransaction(
	{ core, lookUps }: Context,
	hash: Hex,
	chains: readonly Chain[],
): Promise<OtherHits> {
	const found = await Promise.all(
		chains.map(async (chain): Promise<OtherHits> => {
			const seen = await lookUps.transaction(chain, hash);
			if (seen.kind === "none") return NOTHING;
			const what = "transaction" as const;
			if (seen.kind === "unknown") {
				return { ...NOTHING, unknown: [{ what, chain: chain.slug, reason: seen.reason }] };
			}
			const { blockNumber, isReverted } = seen;
			const events = await countEvents(core.db, { chainId: chain.id, blockNumber, hash });
			const match: SearchMatch = {
				...EMPTY,
				...{
					kind: what,
					chain: chain.slug,
					transactionHash: hash,
					blockNumber,
					isReverted,
					events,
				},
				explorerUrl: explorerLink(chain, { transaction: hash }),
			};
			return { ...NOTHING, matches: [match] };
		}),
	);
	return {
		matches: found.flatMap(({ matches }) => matches),
		unknown: found.flatMap(({ unknown }) => unknown),
	};
}

async function findName(lookUps: LookUps, name: string): Promise<OtherHits> {
	const told = await lookUps.name(name);
	if (told.kind === "none") return NOTHING;
	if (told.kind === "unknown") {
		return { ...NOTHING, unknown: [{ what: "name", chain: "ethereum", reason: told.reason }] };
	}
	return { ...NOTHING, matches: [accountMatch(told.address, name)] };
}

/** Finds the tokens with a number in the collections that the rest of the text finds. */
async function findTokens(
	{ core, collectionsOf }: Context,
	{ words, tokenId }: Extract<Form, { kind: "token" }>,
	chains: readonly Chain[],
): Promise<SearchMatch[]> {
	const ids = await collectionsOf(words, COLLECTIONS_MAX);
	const own = await readPlaces(core.db, ids);
	const tokens = await Promise.all(
		ids.map(async (id): Promise<SearchMatch[]> => {
			const [place, token] = [own.get(id), await readToken(core.db, id, tokenId)];
			if (!place || !token?.isKnown) return [];
			const chain = chainOfRow(chains, place);
			const { tokenId: idText, name, imageUrl } = token;
			return [
				{
					...EMPTY,
					...{ kind: "token", chain: chain.slug, address: place.address, slug: token.slug },
					...{ tokenId: idText, name: name ?? token.collectionName, imageUrl },
					explorerUrl: explorerLink(chain, { contract: place.address, tokenId: idText }),
				},
			];
		}),
	);
	return tokens.flat();
}

async function readPlaces(db: Queryable, ids: readonly number[]) {
	const rows = await db.query<{ id: number; chainId: number; address: Address }>(
		`select id, chain_id as "chainId", '0x' || encode(address, 'hex') as address
		from market_index.collection where id = any($1::int4[])`,
		[ids],
	);
	return new Map(rows.map((row) => [row.id, row]));
}

/** Counts the events of a transaction, by the unique index (chain, block, …). */
async function countEvents(
	db: Queryable,
	given: { chainId: number; blockNumber: number; hash: Hex },
): Promise<number> {
	const [row] = await db.query<{ count: number }>(
		`select count(*)::int4 as count from market_index.event
		where chain_id = $1 and block_number = $2 and transaction_hash = $3`,
		[given.chainId, given.blockNumber, bytesOf(given.hash)],
	);
	return row?.count ?? 0;
}

const EMPTY = {
	...{ chain: null, address: null, ensName: null, transactionHash: null, blockNumber: null },
	...{ isReverted: null, events: null, slug: null, tokenId: null, name: null, imageUrl: null },
	explorerUrl: null,
} satisfies Omit<SearchMatch, "kind">;

function accountMatch(address: Address, name: string | null): SearchMatch {
	return { ...EMPTY, kind: "account", address, ensName: name };
}
