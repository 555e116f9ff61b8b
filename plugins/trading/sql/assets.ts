// Reads and writes stock tokens, their states, and the countries that operators recorded.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { StateTable } from "#core/states.ts";

/** The status of an asset in the registry. Only an active one is traded. */
export const ASSET_STATUSES = ["active", "paused", "delisted_pending_review", "rejected"] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/** A finding of the sync about an asset, or an operator's decision. */
export type AssetEvent = "sound" | "paused" | "flawed" | "gone" | "approved" | "refused";

/**
 * The transitions of an asset as data: the status after an event. A missing entry changes nothing.
 * A token that left the issuer's list, or that an operator refused (`heldBy`), is reinstated only
 * by an operator: the sync's events do not apply to it.
 */
export const nextStatus: StateTable<AssetStatus, AssetEvent> = {
	active: {
		paused: "paused",
		flawed: "rejected",
		gone: "delisted_pending_review",
		refused: "rejected",
	},
	paused: {
		sound: "active",
		flawed: "rejected",
		gone: "delisted_pending_review",
		refused: "rejected",
	},
	delisted_pending_review: { approved: "active", refused: "rejected" },
	rejected: { sound: "active", paused: "paused", approved: "active" },
};

/** The first status of a new asset. */
export const firstStatus: Readonly<Record<"sound" | "paused" | "flawed", AssetStatus>> = {
	sound: "active",
	paused: "paused",
	flawed: "rejected",
};

/** Kinds of tokens that have a row; the chain's coin has none. */
export type TokenKind = "wrapped" | "stable" | "stock";

export type AssetRow = {
	chainId: number;
	address: Address;
	kind: TokenKind;
	uid: string | null;
	symbol: string;
	skeleton: string;
	name: string;
	decimals: number;
	status: AssetStatus;
	flaws: string[];
	isListed: boolean;
	/** The operator who refused it; the sync then does not change it. */
	heldBy: string | null;
	feed: Address | null;
	/** The operator who set the feed; null: the configuration did. */
	feedSetBy: string | null;
	multiplier: bigint | null;
	pendingMultiplier: bigint | null;
	pendingAt: Date | null;
	checkedBlock: number;
	checkedAt: Date;
	firstSeenAt: Date;
	changedAt: Date;
	/** Since when it is off the list; stays set until an operator has reviewed it. */
	unlistedAt: Date | null;
};

/** Counts of a chain's registry, and when it was last checked. */
type RegistryState = {
	checkedAt: Date | null;
	listed: number;
	waiting: number;
	waitingSince: Date | null;
};

/** A user's country, as an operator recorded it. */
export type Attestation = {
	profileId: string;
	/** ISO 3166-1, two letters. */
	country: string;
	/** False: trading is refused in every country. */
	isEligible: boolean;
	attestedAt: Date;
	recordedBy: string;
	recordedAt: Date;
};

type StoredRow = Omit<AssetRow, "multiplier" | "pendingMultiplier"> & {
	multiplier: string | null;
	pendingMultiplier: string | null;
};

const ASSET_COLUMNS = `chain_id as "chainId", '0x' || encode(address, 'hex') as address, kind, uid,
	symbol, skeleton, name, decimals, status, flaws, is_listed as "isListed", held_by as "heldBy",
	'0x' || encode(feed, 'hex') as feed, feed_set_by as "feedSetBy", multiplier,
	pending_multiplier as "pendingMultiplier", pending_at as "pendingAt",
	checked_block as "checkedBlock", checked_at as "checkedAt", first_seen_at as "firstSeenAt",
	changed_at as "changedAt", unlisted_at as "unlistedAt"`;

const ATTESTATION_COLUMNS = `profile_id as "profileId", country, is_eligible as "isEligible",
	attested_at as "attestedAt", recorded_by as "recordedBy", recorded_at as "recordedAt"`;

/** The tokens of one chain. All reads are by the primary key or a scan of some hundred rows. */
export const assetRows = {
	async read(db: Queryable, chainId: number, address: Address): Promise<AssetRow | null> {
		const rows = await db.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 and address = $2`,
			[chainId, bytesOf(address)],
		);
		return rows[0] ? rowOf(rows[0]) : null;
	},

	/** Returns the stored rows of these addresses, in no order; uses the primary key. */
	async some(db: Queryable, chainId: number, addresses: readonly Address[]): Promise<AssetRow[]> {
		const rows = await db.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 and address = any($2::bytea[])`,
			[chainId, addresses.map(bytesOf)],
		);
		return rows.map(rowOf);
	},

	/** Returns the tokens of a ticker that were not rejected: at most one. By `asset_listed`. */
	async bySymbol(db: Queryable, chainId: number, symbol: string): Promise<AssetRow[]> {
		const rows = await db.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset
			where chain_id = $1 and symbol = $2 and status <> 'rejected' limit 3`,
			[chainId, symbol],
		);
		return rows.map(rowOf);
	},

	/** Returns the tickers of all stocks that may be traded. By `asset_listed`. */
	async tickers(db: Queryable, chainId: number, limit: number): Promise<string[]> {
		const rows = await db.query<{ symbol: string }>(
			`select symbol from trading.asset
			where chain_id = $1 and kind = 'stock' and status = 'active' order by symbol, address
			limit $2`,
			[chainId, limit],
		);
		return rows.map(({ symbol }) => symbol);
	},

	/**
	 * Returns the stocks whose ticker, name, or name's first one to three words, in lower case, are
	 * one of these texts. A scan of some hundred rows.
	 */
	async named(
		db: Queryable,
		chainId: number,
		texts: readonly string[],
	): Promise<{ symbol: string; name: string }[]> {
		return db.query(
			`select symbol, name from (
				select symbol, name, address, replace(lower(name), ',', '') as plain,
					string_to_array(replace(lower(name), ',', ''), ' ') as words
				from trading.asset where chain_id = $1 and kind = 'stock' and status <> 'rejected'
			) as stock
			where array[lower(symbol), plain, words[1], words[1] || ' ' || words[2],
				words[1] || ' ' || words[2] || ' ' || words[3]] && $2::text[]
			order by symbol, address`,
			[chainId, texts],
		);
	},

	/** Returns all of them, ordered by ticker. */
	async all(db: Queryable, chainId: number): Promise<AssetRow[]> {
		const rows = await db.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 order by symbol, asset.address`,
			[chainId],
		);
		return rows.map(rowOf);
	},

	/**
	 * Returns all of them, locked until the transaction ends, always in the same order. An empty
	 * table has no rows to lock: its first readers take turns too.
	 */
	async lockAll(tx: Tx, chainId: number): Promise<AssetRow[]> {
		const key = "hashtextextended('trading.asset:' || $1, 0)";
		await tx.query(`select pg_advisory_xact_lock(${key})`, [String(chainId)]);
		const rows = await tx.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 order by asset.address for update`,
			[chainId],
		);
		return rows.map(rowOf);
	},

	async lock(tx: Tx, chainId: number, address: Address): Promise<AssetRow | null> {
		const rows = await tx.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 and address = $2 for update`,
			[chainId, bytesOf(address)],
		);
		return rows[0] ? rowOf(rows[0]) : null;
	},

	/** Returns a page of stock tokens by ticker and address, after one of them. By `asset_listed`. */
	async page(
		db: Queryable,
		asked: {
			chainId: number;
			/** Null: in any status. */
			statuses: readonly AssetStatus[] | null;
			after: { symbol: string; address: Address } | null;
			limit: number;
		},
	): Promise<AssetRow[]> {
		const rows = await db.query<StoredRow>(
			`select ${ASSET_COLUMNS} from trading.asset where chain_id = $1 and kind = 'stock'
				and ($2::text[] is null or status = any($2))
				and ($3::text is null or (symbol, address) > ($3, $4))
			order by symbol, asset.address limit $5`,
			[
				asked.chainId,
				asked.statuses,
				asked.after?.symbol ?? null,
				asked.after ? bytesOf(asked.after.address) : null,
				asked.limit,
			],
		);
		return rows.map(rowOf);
	},

	/**
	 * Returns when tokens were last checked, and how many came back to the list and wait. One scan.
	 */
	async health(db: Queryable, chainId: number): Promise<RegistryState> {
		const [row] = await db.query<RegistryState>(
			`select max(checked_at) as "checkedAt", count(*) filter (where is_listed)::int as listed,
				count(*) filter (where is_listed and status = 'delisted_pending_review')::int as waiting,
				min(unlisted_at) filter (where is_listed and status = 'delisted_pending_review')
					as "waitingSince"
			from trading.asset where chain_id = $1`,
			[chainId],
		);
		return row ?? { checkedAt: null, listed: 0, waiting: 0, waitingSince: null };
	},

	/** Stores a row; replaces the one with the same address. */
	async write(tx: Tx, row: AssetRow): Promise<void> {
		await tx.execute(
			`insert into trading.asset (chain_id, address, kind, uid, symbol, skeleton, name, decimals,
				status, flaws, is_listed, held_by, feed, feed_set_by, multiplier, pending_multiplier,
				pending_at, checked_block, checked_at, first_seen_at, changed_at, unlisted_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
				$20, $21, $22)
			on conflict (chain_id, address) do update set kind = excluded.kind, uid = excluded.uid,
				symbol = excluded.symbol, skeleton = excluded.skeleton, name = excluded.name,
				decimals = excluded.decimals, status = excluded.status, flaws = excluded.flaws,
				is_listed = excluded.is_listed, held_by = excluded.held_by, feed = excluded.feed,
				feed_set_by = excluded.feed_set_by, multiplier = excluded.multiplier,
				pending_multiplier = excluded.pending_multiplier, pending_at = excluded.pending_at,
				checked_block = excluded.checked_block, checked_at = excluded.checked_at,
				changed_at = excluded.changed_at, unlisted_at = excluded.unlisted_at`,
			[
				...[row.chainId, bytesOf(row.address), row.kind, row.uid, row.symbol, row.skeleton],
				...[row.name, row.decimals, row.status, row.flaws, row.isListed, row.heldBy],
				...[row.feed === null ? null : bytesOf(row.feed), row.feedSetBy, row.multiplier],
				...[row.pendingMultiplier, row.pendingAt, row.checkedBlock, row.checkedAt],
				...[row.firstSeenAt, row.changedAt, row.unlistedAt],
			],
		);
	},
};

/** Reads and writes attestations: the newest row of each profile. By the primary key. */
export const attestations = {
	async read(db: Queryable, profileId: string): Promise<Attestation | null> {
		const [row] = await db.query<Attestation>(
			`select ${ATTESTATION_COLUMNS} from trading.attestation where profile_id = $1`,
			[profileId],
		);
		return row ?? null;
	},

	async write(tx: Tx, row: Attestation): Promise<void> {
		await tx.execute(
			`insert into trading.attestation (profile_id, country, is_eligible, attested_at, recorded_by,
				recorded_at)
			values ($1, $2, $3, $4, $5, $6)
			on conflict (profile_id) do update set country = excluded.country,
				is_eligible = excluded.is_eligible, attested_at = excluded.attested_at,
				recorded_by = excluded.recorded_by, recorded_at = excluded.recorded_at`,
			[row.profileId, row.country, row.isEligible, row.attestedAt, row.recordedBy, row.recordedAt],
		);
	},
};

function rowOf({ multiplier, pendingMultiplier, ...row }: StoredRow): AssetRow {
	return {
		...row,
		multiplier: multiplier === null ? null : BigInt(multiplier),
		pendingMultiplier: pendingMultiplier === null ? null : BigInt(pendingMultiplier),
	};
}
