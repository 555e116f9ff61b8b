// Finds the collection that a text means, or asks which one is meant.

import type { Queryable } from "#core/db/Database.ts";
import type { KnownName, NameBook } from "#core/plugin/Tool.ts";
import { ethText, nameText } from "#plugins/market-index/agent/lineText.ts";
import { chainOfRow } from "#plugins/market-index/display.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { ResolveCollection } from "#plugins/market-index/model.ts";
import { chainsOf, findNamed, type RouteContext } from "#plugins/market-index/read/context.ts";
import {
	type NameChoice,
	readAlike,
	readChoices,
} from "#plugins/market-index/search/alikeNames.ts";
import type { Searcher } from "#plugins/market-index/search/createSearcher.ts";
import { ownBySlug, readNamesakes } from "#plugins/market-index/search/sql.ts";

type Resolved = Awaited<ReturnType<ResolveCollection>>;
type Question = Extract<Resolved, { kind: "choose" }>;

type Candidate = NameChoice & { chain: string };
type ResolveContext = { core: RouteContext["core"]; search: Searcher };
type Asked = { text: string; chain: string | undefined };

const CHOICES_MAX = 5;
/** The most parts of a text that are looked up as names, and the shortest. */
const PARTS_MAX = 6;
const NEAR_CHARS_MIN = 2;

const TAIL = /\s+(?:collections?|nfts?)$/i;

const WEI_PER_ETH = 1e18;

const PLAIN_SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Makes the book of names, slugs, former slugs and provider's slugs of all indexed collections. The
 * resolver says which collection one of them means.
 */
export function collectionNames({ db, indexed }: RouteContext["core"]): NameBook {
	return {
		async find(groups) {
			const chainIds = indexed.map(({ chain }) => chain.id);
			const names = await readKnownNames(db, { chainIds, names: groups });
			return new Map(names.map((name): [string, KnownName] => [name, { kind: "collection" }]));
		},
	};
}

/**
 * Returns those of the names, in lower case, that a collection has: as its name on any chain, or on
 * these chains as its slug, a former one, or the provider's, with hyphens for blanks.
 *
 * Stops at the first collection of each name, as any number of contracts can share one: `offset 0`
 * keeps PostgreSQL from reading them all once instead. By `collection_name`, the unique slugs of
 * `collection` and `former_slug`, and `sync_slug`.
 */
export async function readKnownNames(
	db: Queryable,
	query: { chainIds: readonly number[]; names: readonly string[] },
): Promise<string[]> {
	if (query.names.length === 0) return [];
	const rows = await db.query<{ name: string }>(
		`select asked.name from unnest($2::text[]) as asked (name)
		cross join lateral (select array[asked.name, replace(asked.name, ' ', '-')] as slugs) as typed
		where exists (
			select from market_index.collection as c
			where lower(c.name) = asked.name and not c.excluded offset 0
		) or exists (
			select from market_index.collection as c
			where c.chain_id = any($1::int8[]) and c.slug = any(typed.slugs) and not c.excluded offset 0
		) or exists (
			select from market_index.former_slug as f
			where f.chain_id = any($1::int8[]) and f.slug = any(typed.slugs) offset 0
		) or exists (
			select from market_index.sync as s
			where s.provider_slug = any(typed.slugs) and s.chain_id = any($1::int8[]) offset 0
		)`,
		[query.chainIds, query.names],
	);
	return rows.map(({ name }) => name);
}

/**
 * Finds the one collection that a text means, for reads, buys and plans alike: by slug, former slug
 * or address; else by its whole name in any case; else by the provider's name for it. The first of
 * these that matches decides. Where nothing matches, the same is tried without the words that
 * people put around a name: `the kiln folk collection`.
 *
 * A name is whole, or it is a question: what only resembles one (words of it, joined, misspelled,
 * its plural, a longer name that contains it) is asked back, also where one collection fits. So are
 * several matches, as any contract may have another's name. Throws `not_found` where nothing is
 * near.
 */
export function createResolver(context: ResolveContext): ResolveCollection {
	return async (given, chain) => {
		const typed = given.trim();
		for (const text of [typed, ...barerNames(typed)]) {
			const resolved = await resolveAs(context, { text, chain });
			if (resolved) return resolved;
		}
		const near = await nearest(context, { text: typed, chain });
		if (near) return near;
		const where = chain === undefined ? "" : ` on ${chain}`;
		throw marketFault.notFound({ public: `There is no collection "${typed}"${where}.` });
	};
}

/**
 * Returns the name without the words that people put around it, the least changed first: without
 * article, without `collection` after it, and without both.
 */
function barerNames(text: string): string[] {
	const headless = text.replace(/^(?:the|an?)\s+/i, "");
	const bare = headless.replace(TAIL, "");
	const names = [headless, text.replace(TAIL, ""), bare];
	return [...new Set(names)].filter((name) => name !== text && !/^(?:|the|an?)$/i.test(name));
}

/** Resolves the text as it is; null where nothing matches. */
async function resolveAs(context: ResolveContext, asked: Asked): Promise<Resolved | null> {
	const { core } = context;
	const named = await findNamed(core, asked.text, asked.chain);
	const [only] = named;
	if (only && named.length === 1) return { kind: "found", found: only };
	if (named.length > 1) {
		const ids = named.map(({ id }) => id);
		return askChain(asked, await candidatesOf(context, asked, ids));
	}
	for (const look of [namesakes, aliases]) {
		const candidates = await candidatesOf(context, asked, await look(context, asked));
		const [one] = candidates;
		if (one && candidates.length === 1) {
			const { id, chain: on, address, slug } = one;
			return { kind: "found", found: { id, chain: on, address, slug } };
		}
		if (one) return askWhich(context, asked, candidates);
	}
	return null;
}

/**
 * Asks which collection is meant by a text that only resembles names: by words that names have and
 * by their spelling; else by its other number, and by the longest part of it that is a name. Null
 * where nothing is near.
 */
async function nearest(context: ResolveContext, asked: Asked): Promise<Resolved | null> {
	const words = asked.text.split(/\s+/);
	const other = /s$/i.test(asked.text) ? asked.text.replace(/s$/i, "") : `${asked.text}s`;
	const parts = words.slice(1).flatMap((_, n) => {
		return [words.slice(0, words.length - 1 - n).join(" "), words.slice(n + 1).join(" ")];
	});
	const chainIds = chainsOf(context.core, asked.chain).map(({ id }) => id);
	const alike = asked.text.length < NEAR_CHARS_MIN ? [] : [byWords, spelled];
	const found = await Promise.all(alike.map((look) => look(context, asked)));
	const near = await candidatesOf(context, asked, found.flat());
	if (near.length > 0) return askWhich(context, asked, near);
	const texts = [other, ...parts.slice(0, PARTS_MAX)];
	for (const name of texts.filter((one) => one.length >= NEAR_CHARS_MIN)) {
		const ids = await readNamesakes(context.core.db, { chainIds, name, limit: CHOICES_MAX });
		const candidates = await candidatesOf(context, asked, ids);
		if (candidates.length > 0) return askWhich(context, asked, candidates);
	}
	return null;
}

/** Asks for the chain: the same text means one collection on each of these. */
function askChain({ text }: Asked, candidates: readonly Candidate[]): Question {
	const question = `"${text}" is a collection on several chains. Which one?`;
	const choices = candidates.slice(0, CHOICES_MAX).map((one) => {
		return { value: one.chain, label: labelOf(one, null) };
	});
	return { kind: "choose", question, slot: "chain", choices };
}

/**
 * Returns `Kiln Folk (kiln-folk on ethereum, volume 9 ETH, verified)`: who it is, and what to say.
 */
function labelOf(candidate: Candidate, value: string | null): string {
	const { chain, volume, isVerified } = candidate;
	const eth = ethText(Number(volume) / WEI_PER_ETH);
	const told = isVerified ? "verified" : "not verified";
	const place = value === null ? chain : `${value} on ${chain}`;
	return `${nameText(candidate)} (${place}, volume ${eth}, ${told})`;
}

/** Returns what is shown of these collections, on chains that are asked about; the best first. */
async function candidatesOf(
	{ core }: ResolveContext,
	{ chain }: Asked,
	ids: readonly number[],
): Promise<Candidate[]> {
	const chains = chainsOf(core, chain);
	const rows = await readChoices(core.db, { ids, limit: CHOICES_MAX });
	return rows.map((row) => ({ ...row, chain: chainOfRow(chains, row).slug }));
}

/**
 * Returns whose name it is, and whose slug with hyphens for blanks: two may have it, of two kinds.
 */
async function namesakes({ core }: ResolveContext, { text, chain }: Asked): Promise<number[]> {
	const chainIds = chainsOf(core, chain).map(({ id }) => id);
	const slug = hyphened(text);
	const named = slug === text ? [] : await findNamed(core, slug, chain);
	const ids = await readNamesakes(core.db, { chainIds, name: text, limit: CHOICES_MAX });
	return [...named.map(({ id }) => id), ...ids];
}

function hyphened(text: string): string {
	return text.replace(/ +/g, "-");
}

async function aliases({ core }: ResolveContext, { text, chain }: Asked): Promise<number[]> {
	const chainIds = chainsOf(core, chain).map(({ id }) => id);
	const known = await ownBySlug(core.db, {
		chainIds,
		slugs: [...new Set([text, hyphened(text)].map((one) => one.toLowerCase()))],
	});
	return known.flatMap(({ id, excluded }) => (excluded ? [] : [id]));
}

async function spelled({ core }: ResolveContext, { text, chain }: Asked): Promise<number[]> {
	const chainIds = chainsOf(core, chain).map(({ id }) => id);
	return readAlike(core.db, { chainIds, text });
}

async function byWords(
	{ core, search }: ResolveContext,
	{ text, chain }: Asked,
): Promise<number[]> {
	const chains = chainsOf(core, chain);
	const query = { text, chains, isOneChain: chain !== undefined, cursor: undefined };
	const { data } = await search({ ...query, limit: CHOICES_MAX });
	const found = await Promise.all(
		data.map(async ({ chain: on, contractAddress }) => {
			// A collection that only the provider knows is not in the index, so nothing can be said about
			// it.
			if (on === null || contractAddress === null) return [];
			return findNamed(core, contractAddress, on);
		}),
	);
	return found.flat().map(({ id }) => id);
}

/**
 * Asks which collection is meant. Each choice is a slug, or else the address, that means this
 * collection only, whether or not a chain is named with it. Where even an address is on several
 * chains, the chain is asked for first.
 */
async function askWhich(
	{ core }: ResolveContext,
	asked: Asked,
	candidates: readonly Candidate[],
): Promise<Question> {
	const choices: { value: string; label: string }[] = [];
	for (const one of candidates.slice(0, CHOICES_MAX)) {
		const value = await uniqueValueOf(core, one, asked.chain);
		if (value === null) return askChain(asked, onePerChain(candidates));
		choices.push({ value, label: labelOf(one, value) });
	}
	const question = `Which "${asked.text}" do you mean?`;
	return { kind: "choose", question, slot: "collection", choices };
}

async function uniqueValueOf(
	core: RouteContext["core"],
	{ id, slug, address }: Candidate,
	chain: string | undefined,
): Promise<string | null> {
	for (const value of PLAIN_SLUG.test(slug) ? [slug, address] : [address]) {
		const found = await findNamed(core, value, chain);
		if (found.length === 1 && found[0]?.id === id) return value;
	}
	return null;
}

function onePerChain(candidates: readonly Candidate[]): Candidate[] {
	return candidates.filter(
		(one, at) => candidates.findIndex(({ chain }) => chain === one.chain) === at,
	);
}
