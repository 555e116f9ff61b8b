// Returns pages of what an account did, with what may be missing of them.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import {
	ACCOUNT_TYPES,
	type AccountEvent,
	type AccountPlace,
	type AccountType,
	readAccountEvents,
} from "#plugins/market-index/accounts/accountEvents.ts";
import { chainOfRow, explorerLink } from "#plugins/market-index/display.ts";
import { type Currencies, foreignCurrencies } from "#plugins/market-index/event/MarketEvent.ts";
import {
	type ChainSpans,
	heldBy,
	NO_SPANS,
	type PageRange,
	pageCoverage,
	readSpansOf,
} from "#plugins/market-index/figures/coverage.ts";
import type { IndexReads } from "#plugins/market-index/read/context.ts";
import { renderEvent, renderTraits } from "#plugins/market-index/render/event.ts";
import type { AccountCoverage, ShownAccountEvent } from "#plugins/market-index/schemas/accounts.ts";
import { readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import { type ProviderEvents, readEventSpans } from "#plugins/market-index/sql/readEvents.ts";
import type { TokenFacts } from "#plugins/market-index/tokens/sql/tokens.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type AccountReads = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

export type ActivityQuery = {
	address: Address;
	chains: readonly Chain[];
	/** Only events of this collection; null for all. */
	collectionId: number | null;
	/** Only events of this kind; null for all. */
	type: AccountType | null;
	/** Events before `since`, and at or after `until`, are left out. */
	since: Date | null;
	until: Date | null;
	after: AccountPlace | null;
	limit: number;
};

type Activity = {
	data: ShownAccountEvent[];
	coverage: AccountCoverage;
	next: AccountPlace | null;
};

export type TokenPlace = { collectionId: number; tokenId: string };

/**
 * Limits the index entries that are looked at for one page of a collection or of one chain: an
 * account's events have no index by these.
 */
const SCANNED_MAX = 1_000;

const KINDS = { bought: "sales", sold: "sales", minted: "mints", moved: "transfers" } as const;

const NOTHING: ProviderEvents = {
	eventsFrom: null,
	eventsUntil: null,
	walkFrom: null,
	walkUntil: null,
};

/** Returns a page of an account's events, the newest first. */
export async function readActivity(deps: AccountReads, query: ActivityQuery): Promise<Activity> {
	const { core, prices } = deps;
	const { chains, collectionId, type, since, until, after, limit } = query;
	const types = type === null ? ACCOUNT_TYPES : [type];
	const nowMs = core.clock.nowMs();
	// Read before the rows, so that they never claim more than those contain.
	const held = await readHeld(deps, chains, collectionId);
	const isNarrow =
		collectionId !== null || core.indexed.some(({ chain }) => !chains.includes(chain));
	const { events, next } = await readAccountEvents(core.db, {
		...{ address: query.address, types, since, until, after, collectionId, limit },
		chainIds: chains.map(({ id }) => id),
		scanned: isNarrow ? SCANNED_MAX : limit + 1,
	});
	const [currencies, facts] = await Promise.all([
		readCurrenciesOf(core.db, events),
		readFacts(core.db, events.map(placeOfToken)),
	]);
	const range = {
		fromMs: next?.occurredAtMs ?? since?.getTime() ?? null,
		untilMs: Math.min(after?.occurredAtMs ?? until?.getTime() ?? nowMs, nowMs),
	};
	return {
		data: events.map((one) => {
			const chain = chainOfRow(chains, one);
			const known = facts.get(keyOf(placeOfToken(one)));
			const context = { currencies: currencies.get(chain.id) ?? new Map(), prices };
			const event = renderEvent(chain, one.event, context);
			return {
				...event,
				imageUrl: event.imageUrl ?? known?.imageUrl ?? null,
				traits: event.traits ?? renderTraits(known?.traits ?? null),
				action: actionOf(one, query.address),
				slug: one.collection.slug,
				collectionName: one.collection.name,
				rank: known?.rank ?? null,
				explorerUrl: explorerLink(chain, { transaction: event.transactionHash }),
			};
		}),
		coverage: accountCoverage(held, { chains, types, range }),
		next,
	};
}

/** Reads for what time events of chains are held; of one collection the provider's as well. */
export async function readHeld(
	{ core, scanner }: Pick<AccountReads, "core" | "scanner">,
	chains: readonly Chain[],
	collectionId: number | null,
): Promise<{ spans: ReadonlyMap<number, ChainSpans>; provider: ProviderEvents }> {
	const [spans, provider] = await Promise.all([
		readSpansOf(scanner, chains),
		collectionId === null ? NOTHING : readEventSpans(core.db, collectionId),
	]);
	return { spans, provider };
}

/** Returns which of an account's events may be missing in a stretch of time, chain by chain. */
export function accountCoverage(
	{ spans, provider }: Awaited<ReturnType<typeof readHeld>>,
	asked: { chains: readonly Chain[]; types: readonly AccountType[]; range: PageRange },
): AccountCoverage {
	return asked.chains.map(({ id, slug }) => {
		const held = spans.get(id) ?? NO_SPANS;
		const lists = asked.types.map((type) => [type, heldBy(provider, held, KINDS[type])] as const);
		return { chain: slug, partial: pageCoverage(asked.range, Object.fromEntries(lists)) };
	});
}

/** Reads what tokens of any collections say of themselves, by `token_pkey`. */
export async function readFacts(
	db: Queryable,
	places: readonly TokenPlace[],
): Promise<ReadonlyMap<string, TokenFacts & { name: string | null }>> {
	if (places.length === 0) return new Map();
	const rows = await db.query<TokenPlace & TokenFacts & { name: string | null }>(
		`select t.collection_id as "collectionId", t.token_id as "tokenId", t.name,
			t.image_url as "imageUrl", t.traits, t.rank
		from (
			select distinct * from unnest($1::int4[], $2::numeric[]) as given (collection_id, token_id)
		) as given
		cross join lateral (
			select * from market_index.token as t
			where t.collection_id = given.collection_id and t.token_id = given.token_id limit 1
		) as t`,
		[places.map(({ collectionId }) => collectionId), places.map(({ tokenId }) => tokenId)],
	);
	return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Names a token in the answer of `readFacts`. */
export function keyOf({ collectionId, tokenId }: TokenPlace): string {
	return `${collectionId} ${tokenId}`;
}

export function placeOfToken({ collection, event }: AccountEvent): TokenPlace {
	return { collectionId: collection.id, tokenId: event.tokenId.toString() };
}

async function readCurrenciesOf(
	db: Queryable,
	events: readonly AccountEvent[],
): Promise<ReadonlyMap<number, Currencies>> {
	const byChain = Map.groupBy(events, ({ chainId }) => chainId);
	const read = [...byChain].map(async ([chainId, own]) => {
		const foreign = foreignCurrencies(own.map(({ event }) => event));
		return [chainId, await readCurrencies(db, chainId, foreign)] as const;
	});
	return new Map(await Promise.all(read));
}

function actionOf({ event }: AccountEvent, account: Address): ShownAccountEvent["action"] {
	if (event.from === event.to) return "self";
	const isGiver = event.from === account;
	if (event.kind === "mint") return "minted";
	if (event.kind === "sale") return isGiver ? "sold" : "bought";
	return isGiver ? "sent" : "received";
}
