// Calculates what the index must hold, from the list of events alone.

import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { SimBlock } from "#test/sim/chain/createSimChain.ts";
import { cast, type Fact } from "#test/sim/chain/deals.ts";

/** A fact with its place in the chain and its worth. */
export type ExpectedEvent = Fact & {
	blockNumber: number;
	blockHash: Hex;
	transactionHash: Hex;
	logIndex: number;
	atMs: number;
	/** In wei; null for a coin without a rate. */
	totalNative: bigint | null;
};

/** A table's rows as text, each under its key, ready to be compared. */
export type Rows = Map<string, Record<string, string | null>>;
export type State = Record<"events" | "collections" | "minutes" | "hours" | "days", Rows>;

type Row = { key: string } & Record<string, string | null>;

const BUCKETS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::int8::text`;

/**
 * What the index must hold, from the list of events alone: filter, sort, add up. Not a line of the
 * product is used.
 */
export function expectedRows(events: readonly ExpectedEvent[]): State {
	const counted = events.filter(({ accepted }) => accepted);
	const bucketsOf = (ms: number) => {
		const groups = Map.groupBy(counted, ({ contract, atMs }) => {
			return `${contract} ${Math.floor(atMs / ms) * ms}`;
		});
		return new Map([...groups].map(([key, inside]) => [key, bucketRow(inside)]));
	};
	const contracts = Map.groupBy(events, ({ contract }) => contract);
	return {
		events: new Map(events.map((event) => [keyOf(event), eventRow(event)])),
		collections: new Map([...contracts].map(([contract, of]) => [contract, collectionRow(of)])),
		minutes: bucketsOf(BUCKETS.minutes),
		hours: bucketsOf(BUCKETS.hours),
		days: bucketsOf(BUCKETS.days),
	};
}

/** Every mint and sale of a chain, in order, as those who made it up know it. */
export function expectedEvents(blocks: readonly SimBlock[], scanFrom: number): ExpectedEvent[] {
	return blocks
		.slice(scanFrom)
		.flatMap((block) => {
			let logsBefore = 0;
			return block.transactions.flatMap(({ hash, facts, logs }) => {
				const first = logsBefore;
				logsBefore += logs.length;
				return facts.map(
					(fact): ExpectedEvent => ({
						...fact,
						blockNumber: block.number,
						blockHash: block.hash,
						transactionHash: hash,
						logIndex: first + fact.logOffset,
						atMs: block.timestampS * 1_000,
						totalNative: nativeOf(fact),
					}),
				);
			});
		})
		.sort(byPlace);
}

/** Everything that the index holds of one chain; surrogate ids and clock times of ours left out. */
export async function readRows(db: Queryable, chainId: number): Promise<State> {
	const [events, collections, minutes, hours, days] = await Promise.all([
		readEvents(db, chainId),
		readCollections(db, chainId),
		readBuckets(db, chainId, "rollup_minute"),
		readBuckets(db, chainId, "rollup_hour"),
		readBuckets(db, chainId, "rollup_day"),
	]);
	return { events, collections, minutes, hours, days };
}

function bucketRow(inside: readonly ExpectedEvent[]) {
	const sales = inside.filter(({ kind }) => kind === "sale");
	const priced = sales.filter(({ totalNative }) => totalNative !== null);
	const prices = priced.map((sale) => unitOf(sale) ?? 0n);
	const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const [first] = priced;
	const last = priced.at(-1);
	return {
		sales: String(sales.length),
		priced: String(priced.length),
		units: textOf(sum(priced.map(({ quantity }) => quantity))),
		mints: String(inside.length - sales.length),
		volume: textOf(sum(priced.map(({ totalNative }) => totalNative ?? 0n))),
		open: textOf(prices[0]),
		high: textOf(sorted.at(-1)),
		low: textOf(sorted[0]),
		close: textOf(prices.at(-1)),
		open_position: first ? positionText(first) : null,
		close_position: last ? positionText(last) : null,
	};
}

function unitOf({ totalNative, quantity }: ExpectedEvent): bigint | null {
	return totalNative === null ? null : totalNative / quantity;
}

function textOf(value: bigint | null | undefined): string | null {
	return value === null || value === undefined ? null : String(value);
}

function sum(values: readonly bigint[]): bigint {
	return values.reduce((all, value) => all + value, 0n);
}

/** Block, log and item in one number, as the table's comment says: 33, 20 and 10 bits. */
function positionText({ blockNumber, logIndex, subIndex }: ExpectedEvent): string {
	return String(BigInt(blockNumber) * 2n ** 30n + BigInt(logIndex) * 2n ** 10n + BigInt(subIndex));
}

function keyOf({ blockNumber, logIndex, subIndex }: ExpectedEvent): string {
	return `${blockNumber}.${logIndex}.${subIndex}`;
}

function eventRow(event: ExpectedEvent) {
	return {
		at: String(event.atMs),
		contract: event.contract,
		kind: event.kind === "sale" ? "1" : "2",
		accepted: String(event.accepted),
		verified: "true",
		block_hash: event.blockHash,
		transaction_hash: event.transactionHash,
		from: event.from,
		to: event.to,
		token_id: String(event.tokenId),
		quantity: String(event.quantity),
		currency: event.currency,
		total_raw: String(event.totalRaw),
		total_native: textOf(event.totalNative),
		venue: event.venue,
		reason: event.reason,
		payload: null,
	};
}

function collectionRow(of: readonly ExpectedEvent[]) {
	const mints = of.filter(({ kind, accepted }) => kind === "mint" && accepted);
	const sales = of.filter(({ kind, accepted }) => kind === "sale" && accepted);
	const mint = mints.at(-1);
	const sale = sales.at(-1);
	return {
		standard: of[0]?.standard ?? null,
		slug: of[0]?.contract ?? null,
		minted_units: textOf(sum(mints.map(({ quantity }) => quantity))),
		mints: String(mints.length),
		first_mint_at: mint ? String(Math.min(...mints.map(({ atMs }) => atMs))) : null,
		last_mint_at: mint ? String(Math.max(...mints.map(({ atMs }) => atMs))) : null,
		last_mint_position: mint ? positionText(mint) : null,
		last_mint_total_raw: mint ? String(mint.totalRaw) : null,
		last_mint_quantity: mint ? String(mint.quantity) : null,
		sales: String(sales.length),
		volume_native: textOf(sum(sales.map(({ totalNative }) => totalNative ?? 0n))),
		last_sale_at: sale ? String(sale.atMs) : null,
		last_sale_position: sale ? positionText(sale) : null,
		last_sale_token_id: sale ? String(sale.tokenId) : null,
		last_sale_unit_native: sale ? textOf(unitOf(sale)) : null,
		last_sale_transaction: sale?.transactionHash ?? null,
	};
}

function nativeOf({ currency, totalRaw }: Fact): bigint | null {
	if (totalRaw === 0n) return 0n;
	return currency === ZERO_ADDRESS || currency === cast.weth ? totalRaw : null;
}

function byPlace(a: ExpectedEvent, b: ExpectedEvent): number {
	return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex;
}

async function readEvents(db: Queryable, chainId: number): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select block_number || '.' || log_index || '.' || sub_index as key,
				${ms("occurred_at")} as at,
				coalesce(${hex("c.address")}, 'an unknown collection') as contract,
				kind::text, accepted::text, onchain_verified::text as verified,
				${hex("block_hash")} as block_hash, ${hex("transaction_hash")} as transaction_hash,
				${hex("from_address")} as from, ${hex("to_address")} as to, token_id::text,
				quantity::text, ${hex("currency")} as currency, total_raw::text, total_native::text,
				venue, reason, payload::text
			from market_index.event as e
			left join market_index.collection as c on c.id = e.collection_id and c.chain_id = e.chain_id
			where e.chain_id = $1 order by block_number, log_index, sub_index`,
			[chainId],
		),
	);
}

function keyed(rows: readonly Row[]): Rows {
	const found: Rows = new Map();
	for (const { key, ...row } of rows) {
		// A second row under one key is a duplicate, and must not hide behind the first.
		let name = key;
		while (found.has(name)) name += " again";
		found.set(name, row);
	}
	return found;
}

async function readCollections(db: Queryable, chainId: number): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select ${hex("address")} as key, standard, slug, minted_units::text, mints::text,
				${ms("first_mint_at")} as first_mint_at, ${ms("last_mint_at")} as last_mint_at,
				last_mint_position::text, last_mint_total_raw::text, last_mint_quantity::text,
				sales::text, volume_native::text, ${ms("last_sale_at")} as last_sale_at,
				last_sale_position::text, last_sale_token_id::text, last_sale_unit_native::text,
				${hex("last_sale_transaction")} as last_sale_transaction
			from market_index.collection where chain_id = $1
			order by address`,
			[chainId],
		),
	);
}

async function readBuckets(db: Queryable, chainId: number, table: string): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select ${hex("address")} || ' ' || ${ms("bucket")} as key, r.sales::text, priced::text,
				units::text, r.mints::text, volume::text, open::text, high::text, low::text, close::text,
				open_position::text, close_position::text
			from market_index.${table} as r join market_index.collection as c on c.id = collection_id
			where r.chain_id = $1 order by address, bucket`,
			[chainId],
		),
	);
}
