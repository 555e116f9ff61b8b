// Reads and writes entries of the treasury ledger, and the token's newest transfers.

import { type Address, bytesOf, type Hex, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import type { EntryEvent, EntryType, TransferEvent } from "#plugins/tokenomics/ledgerEvents.ts";
import type { OfToken } from "#plugins/tokenomics/sql/holders.ts";

/** The place of a `SplitSet`; zeros: none was seen, and the default holds. */
export type SplitPlace = { block: number; logIndex: number };

/**
 * An event as it is written down. `split`: what was in force for revenue, and what each bucket was
 * short of after it (see `shareOut`).
 */
export type NewEntry = {
	event: EntryEvent;
	atMs: number;
	split: (SplitPlace & { carried: readonly bigint[] }) | null;
};

/** An entry of the treasury ledger. What its type does not have is null. */
export type Entry = {
	chainId: number;
	transactionHash: Hex;
	logIndex: number;
	contract: Address;
	block: number;
	at: Date;
	entryType: EntryType;
	source: Hex | null;
	currency: Address | null;
	party: Address | null;
	bucket: number | null;
	/** In base units of `currency`. */
	amount: string | null;
	/** In base units of the token. */
	burned: string | null;
	pool: Address | null;
	bps: readonly number[] | null;
};

export type EntryFilter = {
	chainId: number;
	entryType: EntryType | null;
	currency: Address | null;
};

const HEX = ["transactionHash", "contract", "source", "currency", "party", "pool"] as const;
type EntryRow = Omit<Entry, (typeof HEX)[number]> & Record<(typeof HEX)[number], Uint8Array | null>;

const SOURCE_BYTES = 32;
const ENTRIES_PER_STATEMENT_MAX = 1_000;
const TRANSFERS_PER_STATEMENT_MAX = 2_000;

const COLUMNS = `chain_id as "chainId", transaction_hash as "transactionHash",
	log_index as "logIndex", contract, block, at, entry_type as "entryType", source, currency, party,
	bucket, amount::text as amount, burned::text as burned, pool, bps`;

/** Writes and reads ledger entries: each is written with its block's cursor, and never changed. */
export const entries = {
	async insert(tx: Tx, chainId: number, rows: readonly NewEntry[]): Promise<void> {
		for (let from = 0; from < rows.length; from += ENTRIES_PER_STATEMENT_MAX) {
			await insertSome(tx, chainId, rows.slice(from, from + ENTRIES_PER_STATEMENT_MAX));
		}
	},

	/**
	 * Reads one page of entries, the newest first, by one of three indexes. Filters that are not
	 * given are left out of the statement: with them PostgreSQL would read all other entries too.
	 */
	async page(
		db: Queryable,
		filter: EntryFilter & { before: SplitPlace | null; limit: number },
	): Promise<Entry[]> {
		const { chainId, entryType, currency, before, limit } = filter;
		const values: SqlValue[] = [chainId, limit];
		const given = (value: SqlValue) => `$${values.push(value)}`;
		const wanted = ["chain_id = $1"];
		if (entryType !== null) wanted.push(`entry_type = ${given(entryType)}`);
		if (currency !== null) wanted.push(`currency = ${given(bytesOf(currency))}`);
		if (before !== null) {
			const place = [given(before.block), given(before.logIndex)];
			wanted.push(`(block, log_index) < (${place.join()})`);
		}
		const rows = await db.query<EntryRow>(
			`select ${COLUMNS} from tokenomics.entry where ${wanted.join(" and ")}
			order by block desc, log_index desc limit $2`,
			values,
		);
		return rows.map(entryOf);
	},

	/** Reads the newest burn of a burner; null where there was none. By `entry_by_type`. */
	async newestBurn(
		db: Queryable,
		{ chainId, contract }: { chainId: number; contract: Address },
	): Promise<Entry | null> {
		const [row] = await db.query<EntryRow>(
			`select ${COLUMNS} from tokenomics.entry
			where chain_id = $1 and entry_type = 'buyback_burned' and contract = $2
			order by block desc, log_index desc limit 1`,
			[chainId, bytesOf(contract)],
		);
		return row ? entryOf(row) : null;
	},

	/** Reads the newest split of each source of a router, by its place. By `entry_by_type`. */
	async splits(
		db: Queryable,
		chainId: number,
		contract: Address,
	): Promise<(SplitPlace & { source: Hex; bps: readonly number[] })[]> {
		const rows = await db.query<SplitPlace & { source: Uint8Array; bps: number[] }>(
			`select distinct on (source) source, bps, block, log_index as "logIndex"
			from tokenomics.entry
			where chain_id = $1 and entry_type = 'split_set' and contract = $2
			order by source, block desc, log_index desc`,
			[chainId, bytesOf(contract)],
		);
		return rows.map((row) => ({ ...row, source: hexOf(row.source) }));
	},

	/** Reads the default split in force; null where none was seen. By `entry_by_type`. */
	async defaultSplit(
		db: Queryable,
		chainId: number,
		contract: Address,
	): Promise<readonly number[] | null> {
		const [row] = await db.query<{ bps: number[] }>(
			`select bps from tokenomics.entry
			where chain_id = $1 and entry_type = 'split_set' and contract = $2 and source = $3
			order by block desc, log_index desc limit 1`,
			[chainId, bytesOf(contract), new Uint8Array(SOURCE_BYTES)],
		);
		return row?.bps ?? null;
	},

	/** Reads the payee of each bucket of a router. By `entry_by_type`. */
	async payees(
		db: Queryable,
		chainId: number,
		contract: Address,
	): Promise<{ bucket: number; party: Address }[]> {
		const rows = await db.query<{ bucket: number; party: Uint8Array }>(
			`select distinct on (bucket) bucket, party from tokenomics.entry
			where chain_id = $1 and entry_type = 'payee_set' and contract = $2
			order by bucket, block desc, log_index desc`,
			[chainId, bytesOf(contract)],
		);
		return rows.map(({ bucket, party }) => ({ bucket, party: hexOf(party) }));
	},

	/** Deletes a contract's events above a block. By `entry_by_place`. */
	async deleteAbove(tx: Tx, chainId: number, above: { contract: Address; block: number }) {
		await tx.execute(
			"delete from tokenomics.entry where chain_id = $1 and block > $3 and contract = $2",
			[chainId, bytesOf(above.contract), above.block],
		);
	},
};

/** Transfers since the last agreement, to be undone where there is none the next time. */
export const transfers = {
	async insert(tx: Tx, of: OfToken, rows: readonly TransferEvent[]): Promise<void> {
		for (let from = 0; from < rows.length; from += TRANSFERS_PER_STATEMENT_MAX) {
			const some = rows.slice(from, from + TRANSFERS_PER_STATEMENT_MAX);
			await tx.execute(
				`insert into tokenomics.transfer
					(chain_id, token, block, log_index, from_address, to_address, amount)
				select $1, $2, b, l, f, t, a
				from unnest($3::int8[], $4::int4[], $5::bytea[], $6::bytea[], $7::numeric[])
					as rows (b, l, f, t, a)`,
				[
					...[of.chainId, bytesOf(of.token), some.map(({ block }) => block)],
					...[some.map(({ logIndex }) => logIndex), some.map((one) => bytesOf(one.from))],
					...[some.map(({ to }) => bytesOf(to)), some.map(({ amount }) => String(amount))],
				],
			);
		}
	},

	/** Reads a page of those above a block, in their order, behind a place. By the primary key. */
	async above(
		tx: Tx,
		{ chainId, token }: OfToken,
		{ block, logIndex, limit }: { block: number; logIndex: number; limit: number },
	): Promise<Pick<TransferEvent, "block" | "logIndex" | "from" | "to" | "amount">[]> {
		const rows = await tx.query<{
			block: number;
			logIndex: number;
			from: Uint8Array;
			to: Uint8Array;
			amount: string;
		}>(
			`select block, log_index as "logIndex", from_address as "from", to_address as "to",
				amount::text as amount from tokenomics.transfer
			where chain_id = $1 and token = $2 and (block, log_index) > ($3, $4)
			order by block, log_index limit $5`,
			[chainId, bytesOf(token), block, logIndex, limit],
		);
		return rows.map(({ from, to, amount, ...place }) => {
			return { ...place, from: hexOf(from), to: hexOf(to), amount: BigInt(amount) };
		});
	},

	async deleteAbove(tx: Tx, { chainId, token }: OfToken, block: number): Promise<void> {
		await tx.execute(
			"delete from tokenomics.transfer where chain_id = $1 and token = $2 and block > $3",
			[chainId, bytesOf(token), block],
		);
	},

	/**
	 * Deletes transfers up to a block at which ledger and chain agreed; nothing below it is undone
	 * singly.
	 */
	async deleteUpTo(tx: Tx, { chainId, token }: OfToken, block: number): Promise<void> {
		await tx.execute(
			"delete from tokenomics.transfer where chain_id = $1 and token = $2 and block <= $3",
			[chainId, bytesOf(token), block],
		);
	},
};

async function insertSome(tx: Tx, chainId: number, rows: readonly NewEntry[]): Promise<void> {
	const column = <Value>(of: (row: NewEntry) => Value) => rows.map(of);
	const member = (event: EntryEvent, name: string): unknown =>
		Object.hasOwn(event, name) ? event[name as keyof EntryEvent] : null;
	const bytes = (name: string) =>
		column(({ event }) => {
			const value = member(event, name);
			return typeof value === "string" ? bytesOf(`0x${value.slice(2)}`) : null;
		});
	const text = (name: string) =>
		column(({ event }) => {
			const value = member(event, name);
			return value === null ? null : String(value);
		});
	await tx.execute(
		`insert into tokenomics.entry (chain_id, transaction_hash, log_index, contract, block, at,
			entry_type, source, currency, party, bucket, amount, burned, pool, bps, split_block,
			split_index, carried)
		select $1, t, l, c, b, a, e, s, y, p, u, n, d, o, string_to_array(i, ',')::int4[], f, g,
			string_to_array(r, ',')::int4[]
		from unnest($2::bytea[], $3::int4[], $4::bytea[], $5::int8[], $6::timestamptz[], $7::text[],
			$8::bytea[], $9::bytea[], $10::bytea[], $11::int2[], $12::numeric[], $13::numeric[],
			$14::bytea[], $15::text[], $16::int8[], $17::int4[], $18::text[])
			as rows (t, l, c, b, a, e, s, y, p, u, n, d, o, i, f, g, r)`,
		[
			...[chainId, bytes("transactionHash"), column(({ event }) => event.logIndex)],
			...[bytes("contract"), column(({ event }) => event.block)],
			...[column(({ atMs }) => new Date(atMs)), column(({ event }) => event.kind)],
			...[bytes("source"), bytes("currency"), bytes("party"), text("bucket")],
			...[text("amount"), text("burned"), bytes("pool"), text("bps")],
			...[column(({ split }) => split?.block ?? null)],
			column(({ split }) => split?.logIndex ?? null),
			column(({ split }) => split?.carried.join() ?? null),
		],
	);
}

function entryOf(row: EntryRow): Entry {
	const hex = (name: (typeof HEX)[number]) => {
		const value = row[name];
		return value === null ? null : hexOf(value);
	};
	return {
		...row,
		transactionHash: hex("transactionHash") ?? "0x",
		contract: hex("contract") ?? "0x",
		...{ source: hex("source"), currency: hex("currency"), party: hex("party") },
		pool: hex("pool"),
	};
}
