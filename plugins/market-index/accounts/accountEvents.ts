// Reads an account's events, and the collections that only its events tell of.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Database, type Tx } from "#core/db/Database.ts";
import {
	EVENT_KIND,
	type EventPlace,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";

/** Names what an account did; `moved` are transfers without a price, in either direction. */
export const ACCOUNT_TYPES = ["bought", "sold", "minted", "moved"] as const;

export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** The end of a page: the place of its last event, over all chains. */
export type AccountPlace = EventPlace & { chainId: number };

/** Holds which index entries are looked at. */
type Scan = {
	address: Address;
	types: readonly AccountType[];
	/** Leaves out events before `since`, and those at or after `until`. */
	since: Date | null;
	until: Date | null;
	after: AccountPlace | null;
	/** The most index entries that are looked at: above it a page ends, however short it is. */
	scanned: number;
};

export type AccountQuery = Scan & {
	chainIds: readonly number[];
	/** Leaves out other collections; null for all. */
	collectionId: number | null;
	limit: number;
};

export type AccountEvent = {
	event: StoredEvent;
	chainId: number;
	collection: { id: number; slug: string; name: string | null; standard: "erc721" | "erc1155" };
};

type AccountEvents = {
	/** The newest first; at most `limit`. */
	events: AccountEvent[];
	/** The place at which the next page goes on; null where everything was looked at. */
	next: AccountPlace | null;
};

type ScannedRow = EventColumns & {
	collectionId: number;
	slug: string;
	name: string | null;
	standard: "erc721" | "erc1155";
	isWanted: boolean;
	seen: number;
};

/** A collection that an account got tokens of, and whose owners are not known. */
export type UnwalkedCollection = {
	chainId: number;
	address: Address;
	slug: string;
	name: string | null;
	/** The newest event by which the account got a token of it. */
	lastAt: Date;
	/** True: a walk over its history is under way. */
	isWalking: boolean;
};

type UnwalkedRow = (UnwalkedCollection | { chainId: null }) & {
	seen: number;
	oldestAt: Date | null;
};

type UnwalkedQuery = Pick<
	AccountQuery,
	"address" | "chainIds" | "collectionId" | "scanned" | "limit"
>;

type Side = "from_address" | "to_address";

/** Which index finds the events of a type: by who gave the token, or by who got it. */
const BRANCHES: Record<AccountType, readonly { side: Side; kind: number }[]> = {
	bought: [{ side: "to_address", kind: EVENT_KIND.sale }],
	sold: [{ side: "from_address", kind: EVENT_KIND.sale }],
	minted: [{ side: "to_address", kind: EVENT_KIND.mint }],
	moved: [
		{ side: "from_address", kind: EVENT_KIND.transfer },
		{ side: "to_address", kind: EVENT_KIND.transfer },
	],
};

const PLACE = ["occurred_at", "block_number", "log_index", "sub_index", "chain_id"];
const NEWEST_FIRST = PLACE.map((column) => `${column} desc`).join(", ");
/** An event between an account and itself is found twice; that of its giver goes first. */
const MERGED = `${NEWEST_FIRST}, side`;
/** The account of the side by which a row was found: the index knows four bytes of it. */
const FOUND_BY = "case e.side when 'from_address' then e.from_address else e.to_address end";

/**
 * Returns an account's events, the newest first.
 *
 * What no index knows (chain, collection, the whole address) is compared after the newest
 * `scanned` rows were chosen: whatever an account did, so much is read and no more. So a page may
 * be short, or empty, and have a next one all the same.
 */
export async function readAccountEvents(
	db: Pick<Database, "transaction">,
	query: AccountQuery,
): Promise<AccountEvents> {
	const { text, values } = accountStatement(query);
	const rows = await inIndexOrder(db, (tx) => tx.query<ScannedRow>(text, values));
	const wanted = rows.filter(({ isWanted }) => isWanted);
	const events = wanted.slice(0, query.limit).map(accountEventOf);
	const end = wanted.length > query.limit ? wanted[query.limit - 1] : rows.at(-1);
	const hasMore = wanted.length > query.limit || end?.seen === query.scanned;
	return { events, next: hasMore && end ? placeOf(end) : null };
}

/** Returns the statement, apart from its caller so that a test can check its plan. */
export function accountStatement(query: AccountQuery) {
	const binder = createBinder();
	const account = binder.bind(bytesOf(query.address), "bytea");
	const branches = query.types.flatMap((type) => BRANCHES[type]);
	const given = branches.filter(({ side }) => side === "from_address").map(({ kind }) => kind);
	const wanted = [
		`e.chain_id = any(${binder.bind(query.chainIds, "int8[]")})`,
		"not c.excluded",
		`${FOUND_BY} = ${account}`,
	];
	if (query.collectionId !== null) {
		wanted.push(`e.collection_id = ${binder.bind(query.collectionId, "int4")}`);
	}
	if (given.length > 0) {
		// Such an event was found by its giver as well, and is told once.
		wanted.push(`not (e.side = 'to_address' and e.from_address = ${account}
			and e.kind in (${given.join(", ")}))`);
	}
	const text = `with ${scannedSql(binder, { ...query, branches, account })}
		select ${EVENT_COLUMNS}, c.id as "collectionId", c.slug, c.name, c.standard, e.seen,
			is_wanted as "isWanted"
		from scanned as e
		left join market_index.collection as c on c.id = e.collection_id
		cross join lateral (
			select coalesce(${wanted.join("\n\t\t\t\tand ")}, false) as is_wanted
		) as judged
		where is_wanted or e.seen = ${binder.bind(query.scanned, "int8")}
		order by e.seen limit ${binder.bind(query.limit + 2, "int8")}`;
	return { text, values: binder.values };
}

/**
 * Returns collections that an account's newest events brought tokens of, and whose walk is not
 * over: it may hold some. `searchedFrom`: the oldest event that was looked at, if there are more.
 */
export async function readUnwalkedCollections(
	db: Pick<Database, "transaction">,
	query: UnwalkedQuery,
): Promise<{ collections: UnwalkedCollection[]; searchedFrom: Date | null }> {
	const { text, values } = unwalkedStatement(query);
	const rows = await inIndexOrder(db, (tx) => tx.query<UnwalkedRow>(text, values));
	const [first] = rows;
	const searchedFrom = first && first.seen >= query.scanned ? first.oldestAt : null;
	const collections = rows.flatMap(({ seen: _, oldestAt: __, ...row }) =>
		row.chainId === null ? [] : [row],
	);
	return { collections, searchedFrom };
}

/** Returns the statement, apart from its caller so that a test can check its plan. */
export function unwalkedStatement(query: UnwalkedQuery) {
	const binder = createBinder();
	const account = binder.bind(bytesOf(query.address), "bytea");
	const branches = ACCOUNT_TYPES.flatMap((type) => BRANCHES[type]).filter(
		({ side }) => side === "to_address",
	);
	const scan = { ...query, branches, account, since: null, until: null, after: null };
	const conditions = [
		`c.chain_id = any(${binder.bind(query.chainIds, "int8[]")})`,
		"not c.excluded",
		"not coalesce(o.next_block > o.end_block and o.minted > 0, false)",
	];
	if (query.collectionId !== null) {
		conditions.push(`c.id = ${binder.bind(query.collectionId, "int4")}`);
	}
	const text = `with ${scannedSql(binder, scan)}
		select got.*, reach.seen, reach.oldest_at as "oldestAt"
		from (
			select count(*)::int4 as seen, min(occurred_at) as oldest_at from scanned
		) as reach
		left join lateral (
			select c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address, c.slug,
				c.name, max(e.occurred_at) as "lastAt", bool_or(o.collection_id is not null) as "isWalking"
			from scanned as e
			join market_index.collection as c on c.id = e.collection_id
			left join market_index.ownership as o on o.collection_id = c.id
			where e.to_address = ${account} and (e.accepted or e.kind <> ${EVENT_KIND.sale})
				and ${conditions.join(" and ")}
			group by c.id
			order by max(e.occurred_at) desc, c.id limit ${binder.bind(query.limit, "int8")}
		) as got on true`;
	return { text, values: binder.values };
}

/**
 * Runs a read of accounts' events with one plan for all accounts, which follows the indexes' order
 * and stops at its limit. An average account has few events: for it PostgreSQL would rather sort
 * all of them, and did so for one with a hundred thousand.
 */
function inIndexOrder<Result>(
	db: Pick<Database, "transaction">,
	read: (tx: Tx) => Promise<Result>,
): Promise<Result> {
	return db.transaction(async (tx) => {
		// In one round trip.
		const set = tx.execute(
			`select set_config('enable_sort', 'off', true),
				set_config('plan_cache_mode', 'force_generic_plan', true)`,
		);
		const [rows] = await Promise.all([read(tx), set]);
		return rows;
	});
}

/**
 * Returns the CTE `scanned`: an account's newest index entries, merged and numbered.
 *
 * One branch a side and kind, each in the order of `event_by_giver` or `event_by_taker` (hash of
 * the address, kind, time). Kinds are said in SQL and not bound: givers' index leaves out mints,
 * which nobody gave.
 */
function scannedSql(
	binder: Binder,
	scan: Omit<Scan, "types"> & {
		branches: readonly { side: Side; kind: number }[];
		/** The bound address. */
		account: string;
	},
): string {
	const { since, until, after, account } = scan;
	const scanned = binder.bind(scan.scanned, "int8");
	const conditions: string[] = [];
	if (since) conditions.push(`occurred_at >= ${binder.bind(since, "timestamptz")}`);
	if (until) conditions.push(`occurred_at < ${binder.bind(until, "timestamptz")}`);
	if (after) {
		const at = binder.bind(new Date(after.occurredAtMs), "timestamptz");
		const place = [
			at,
			binder.bind(after.blockNumber, "int8"),
			binder.bind(after.logIndex, "int4"),
			binder.bind(after.subIndex, "int4"),
			binder.bind(after.chainId, "int8"),
		];
		conditions.push(`occurred_at <= ${at}`, `(${PLACE.join(", ")}) < (${place.join(", ")})`);
	}
	const selects = scan.branches.map(({ side, kind }) => {
		const own = [`hashbytea(${side}) = hashbytea(${account})`, `kind = ${kind}`, ...conditions];
		return `(select *, '${side}' as side from market_index.event
				where ${own.join(" and ")} order by ${NEWEST_FIRST} limit ${scanned})`;
	});
	return `scanned as materialized (
			select *, row_number() over (order by ${MERGED}) as seen
			from (
				select * from (${selects.join(" union all ")}) as found
				order by ${MERGED} limit ${scanned}
			) as newest
		)`;
}

function accountEventOf(row: ScannedRow): AccountEvent {
	const { collectionId: id, slug, name, standard, isWanted: _, seen: __, ...event } = row;
	return { event: eventOf(event), chainId: row.chainId, collection: { id, slug, name, standard } };
}

function placeOf(row: ScannedRow): AccountPlace {
	const { occurredAt, blockNumber, logIndex, subIndex, chainId } = row;
	return { occurredAtMs: occurredAt.getTime(), blockNumber, logIndex, subIndex, chainId };
}
