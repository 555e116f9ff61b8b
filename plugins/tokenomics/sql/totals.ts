// Reads and writes the sums of the ledger.

import { type Address, bytesOf, type Hex, hexOf, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { SplitPlace } from "#plugins/tokenomics/sql/entries.ts";

/**
 * What a row adds up. `revenue_received` is by currency and split, which is what shares are of;
 * `revenue` by currency alone; `earned`, `share_paid` and `carried` (what a bucket is short of its
 * exact share, in ten thousandths of a unit; negative: ahead) by currency and bucket;
 * `buyback_burned` by what was paid with. Of the token: `minted`, `burned`, `burner_burned` (what
 * a burner's own transfers burned: `currency` is the burner) and `holders`, whose `entries` is how
 * many there are.
 */
type TotalKind =
	| "revenue_received"
	| "revenue"
	| "earned"
	| "carried"
	| "share_paid"
	| "buyback_burned"
	| "minted"
	| "burned"
	| "burner_burned"
	| "holders";

export type TotalKey = {
	kind: TotalKind;
	source: Hex;
	currency: Address;
	/** -1: not by bucket. */
	bucket: number;
	split: SplitPlace;
};

/** Holds what one batch adds to a row of totals. */
export type TotalChange = TotalKey & {
	entries: number;
	amount: bigint;
	burned: bigint;
	firstBlock: number;
	lastBlock: number;
	lastAt: Date | null;
};

/** Holds the current sum of a row. */
export type Total = TotalChange;

type TotalRow = {
	kind: TotalKind;
	source: Uint8Array;
	currency: Uint8Array;
	bucket: number;
	splitBlock: number;
	splitIndex: number;
	entries: number;
	amount: string;
	burned: string;
	firstBlock: number;
	lastBlock: number;
	lastAt: Date | null;
};

export const NO_SOURCE: Hex = `0x${"0".repeat(64)}`;
const NO_SPLIT: SplitPlace = { block: 0, logIndex: 0 };
const ROWS_AT_ONCE = 1_000;

const COLUMNS = `kind, source, currency, bucket, split_block as "splitBlock",
	split_index as "splitIndex", entries, amount::text as amount, burned::text as burned,
	first_block as "firstBlock", last_block as "lastBlock", last_at as "lastAt"`;

const NAMES = `chain_id, contract, kind, source, currency, bucket, split_block, split_index,
	entries, amount, burned, first_block, last_block, last_at`;

/** Rows of one contract. */
export type OfContract = { chainId: number; contract: Address };

/** Returns the key of a row; of most kinds only some parts matter. */
export function totalKey(kind: TotalKind, more: Partial<Omit<TotalKey, "kind">> = {}): TotalKey {
	return { kind, source: NO_SOURCE, currency: ZERO_ADDRESS, bucket: -1, split: NO_SPLIT, ...more };
}

/** Names a row in maps. */
export function totalName({ kind, source, currency, bucket, split }: TotalKey): string {
	return [kind, source, currency, bucket, split.block, split.logIndex].join();
}

/** Keeps sums: they change in the transaction that writes what they add up. */
export const totals = {
	async add(tx: Tx, of: OfContract, changes: readonly TotalChange[]): Promise<void> {
		for (let from = 0; from < changes.length; from += ROWS_AT_ONCE) {
			await addSome(tx, of, changes.slice(from, from + ROWS_AT_ONCE));
		}
	},

	/** Reads those of these rows that are there. By the primary key. */
	async ofKeys(db: Queryable, of: OfContract, keys: readonly TotalKey[]): Promise<Total[]> {
		const rows = await db.query<TotalRow>(
			`select ${COLUMNS} from tokenomics.total
			where chain_id = $1 and contract = $2
				and (kind, currency, bucket, source, split_block, split_index) in (
					select k, c, u, s, b, i from unnest($3::text[], $4::bytea[], $5::int2[], $6::bytea[],
						$7::int8[], $8::int4[]) as keys (k, c, u, s, b, i))`,
			[of.chainId, bytesOf(of.contract), ...keyColumns(keys)],
		);
		return rows.map(totalOf);
	},

	/** Reads rows of a kind, the oldest first: who floods the ledger comes last. `total_by_age`. */
	async oldest(
		db: Queryable,
		of: OfContract,
		{ kind, limit, skip = 0 }: { kind: TotalKind; limit: number; skip?: number },
	): Promise<Total[]> {
		const rows = await db.query<TotalRow>(
			`select ${COLUMNS} from tokenomics.total
			where chain_id = $1 and contract = $2 and kind = $3
			order by first_block, currency, source, bucket, split_block, split_index limit $4 offset $5`,
			[of.chainId, bytesOf(of.contract), kind, limit, skip],
		);
		return rows.map(totalOf);
	},

	async deleteAll(tx: Tx, { chainId, contract }: OfContract): Promise<void> {
		await tx.execute("delete from tokenomics.total where chain_id = $1 and contract = $2", [
			chainId,
			bytesOf(contract),
		]);
	},

	/**
	 * Adds up what entries say, into a contract's rows that are empty. What buckets are short of was
	 * noted with each entry, so what they earned is their exact shares less that: no deposit has to
	 * be shared out again. `defaultBps`: the split of revenue before any was set.
	 */
	async rebuild(
		tx: Tx,
		{ chainId, contract }: OfContract,
		defaultBps: readonly number[],
	): Promise<void> {
		const of = [chainId, bytesOf(contract), bytesOf(NO_SOURCE)];
		await tx.execute(
			`insert into tokenomics.total (${NAMES})
			select $1, $2, kind, $3, currency, bucket, split_block, split_index, count(*), sum(amount),
				sum(burned), min(block), max(block), max(at)
			from (
				select entry_type as kind, currency, coalesce(bucket, -1) as bucket,
					coalesce(split_block, 0) as split_block, coalesce(split_index, 0) as split_index, amount,
					coalesce(burned, 0) as burned, block, at
				from tokenomics.entry
				where chain_id = $1 and contract = $2 and amount is not null
				union all
				select 'revenue', currency, -1, 0, 0, amount, 0, block, at
				from tokenomics.entry
				where chain_id = $1 and contract = $2 and entry_type = 'revenue_received'
			) as said
			group by kind, currency, bucket, split_block, split_index`,
			of,
		);
		await tx.execute(
			`insert into tokenomics.total (${NAMES})
			select $1, $2, 'carried', $3, currency, place - 1, 0, 0, 1, parts, 0, block, block, at
			from (
				select distinct on (currency) currency, carried, block, at from tokenomics.entry
				where chain_id = $1 and contract = $2 and entry_type = 'revenue_received'
				order by currency, block desc, log_index desc
			) as newest cross join unnest(carried) with ordinality as short (parts, place)`,
			of,
		);
		await tx.execute(
			`insert into tokenomics.total (${NAMES})
			select $1, $2, 'earned', $3, exact.currency, place - 1, 0, 0, entries,
				div(parts - coalesce(short.amount, 0), 10000), 0, first_block, last_block, last_at
			from (
				select revenue.currency, place, sum(revenue.entries) as entries,
					sum(revenue.amount * part) as parts,
					min(first_block) as first_block, max(last_block) as last_block, max(last_at) as last_at
				from tokenomics.total as revenue
				left join tokenomics.entry as split on split.chain_id = $1 and split.contract = $2
					and split.entry_type = 'split_set' and split.block = revenue.split_block
					and split.log_index = revenue.split_index
				cross join unnest(coalesce(split.bps, $4::int4[])) with ordinality as parts (part, place)
				where revenue.chain_id = $1 and revenue.contract = $2 and revenue.kind = 'revenue_received'
				group by revenue.currency, place
			) as exact
			left join (
				select currency, bucket, amount from tokenomics.total
				where chain_id = $1 and contract = $2 and kind = 'carried'
			) as short on short.currency = exact.currency and bucket = place - 1`,
			[...of, [...defaultBps]],
		);
	},
};

async function addSome(tx: Tx, of: OfContract, changes: readonly TotalChange[]): Promise<void> {
	const column = <Value>(value: (change: TotalChange) => Value) => changes.map(value);
	const at = [column(({ firstBlock }) => firstBlock), column(({ lastBlock }) => lastBlock)];
	await tx.execute(
		`insert into tokenomics.total as old (${NAMES})
		select $1, $2, k, s, c, u, b, i, e, a, d, f, l, t
		from unnest($3::text[], $4::bytea[], $5::int2[], $6::bytea[], $7::int8[], $8::int4[],
			$9::int8[], $10::numeric[], $11::numeric[], $12::int8[], $13::int8[], $14::timestamptz[])
			as rows (k, c, u, s, b, i, e, a, d, f, l, t)
		on conflict (chain_id, contract, kind, currency, bucket, source, split_block, split_index)
		do update set entries = old.entries + excluded.entries, amount = old.amount + excluded.amount,
			burned = old.burned + excluded.burned, last_block = excluded.last_block,
			last_at = coalesce(excluded.last_at, old.last_at)`,
		[
			...[of.chainId, bytesOf(of.contract), ...keyColumns(changes)],
			...[column(({ entries }) => entries), column(({ amount }) => String(amount))],
			...[column(({ burned }) => String(burned)), ...at],
			column(({ lastAt }) => lastAt),
		],
	);
}

/** Returns kinds, currencies, buckets, sources and splits, as the statements take them. */
function keyColumns(keys: readonly TotalKey[]) {
	return [
		keys.map(({ kind }) => kind),
		keys.map(({ currency }) => bytesOf(currency)),
		keys.map(({ bucket }) => bucket),
		keys.map(({ source }) => bytesOf(source)),
		keys.map(({ split }) => split.block),
		keys.map(({ split }) => split.logIndex),
	];
}

function totalOf({ splitBlock, splitIndex, ...row }: TotalRow): Total {
	return {
		...row,
		source: hexOf(row.source),
		currency: hexOf(row.currency),
		amount: BigInt(row.amount),
		burned: BigInt(row.burned),
		split: { block: splitBlock, logIndex: splitIndex },
	};
}
