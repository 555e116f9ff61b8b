// Reads and writes followed contracts, manifests and names of currencies.

import { type Address, bytesOf, type Hex, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Role } from "#plugins/tokenomics/ledgerEvents.ts";

/** Holds a currency's symbol and decimals; null: its contract has none. */
export type KnownCurrency = { address: Address; symbol: string | null; decimals: number | null };

/** Names a followed contract: chain, address and role. */
type FollowedKey = { chainId: number; address: Address; role: Role };

/** Holds how far a contract's events are in the ledger, and whether it agrees with the chain. */
export type Followed = FollowedKey & {
	fromBlock: number;
	/** The last block that was read; `fromBlock - 1` before any was. */
	readTo: number;
	readHash: Hex | null;
	/** The time when all that is final was in the ledger; null: parts of it are missing still. */
	readAt: Date | null;
	/** Since when blocks that were read are gone, or no node shows them; null: they are there. */
	rebuildsSince: Date | null;
	/** The last block at which ledger and chain agreed; `fromBlock - 1` before they were compared. */
	agreedTo: number;
	agreedHash: Hex | null;
	agreedAt: Date | null;
	differsSince: Date | null;
	difference: string | null;
	/** The number of times that it was read again since they differ. */
	rereads: number;
};

/** The contracts of the token on a chain, as an operator set them. */
export type Manifest = {
	chainId: number;
	/** Grows by one with each change; the first is 1. */
	version: number;
	token: Address;
	router: Address | null;
	burner: Address | null;
	owner: Address;
	fromBlock: number;
	setBy: string;
	setAt: Date;
};

type FollowedRow = Omit<Followed, "address" | "readHash" | "agreedHash"> & {
	address: Uint8Array;
	readHash: Uint8Array | null;
	agreedHash: Uint8Array | null;
};

type ManifestRow = Omit<Manifest, "token" | "router" | "burner" | "owner"> & {
	token: Uint8Array;
	router: Uint8Array | null;
	burner: Uint8Array | null;
	owner: Uint8Array;
};

/** Keeps the names of currencies. All by the primary key. */
export const currencies = {
	async among(
		db: Queryable,
		chainId: number,
		addresses: readonly Address[],
	): Promise<KnownCurrency[]> {
		if (addresses.length === 0) return [];
		const rows = await db.query<Omit<KnownCurrency, "address"> & { address: Uint8Array }>(
			`select address, symbol, decimals from tokenomics.currency
			where chain_id = $1 and address = any($2::bytea[])`,
			[chainId, addresses.map(bytesOf)],
		);
		return rows.map((row) => ({ ...row, address: hexOf(row.address) }));
	},

	async write(db: Queryable, chainId: number, known: KnownCurrency, at: Date): Promise<void> {
		await db.execute(
			`insert into tokenomics.currency (chain_id, address, symbol, decimals, read_at)
			values ($1, $2, $3, $4, $5) on conflict (chain_id, address) do update
			set symbol = excluded.symbol, decimals = excluded.decimals, read_at = excluded.read_at`,
			[chainId, bytesOf(known.address), known.symbol, known.decimals, at],
		);
	},
};

const COLUMNS = `chain_id as "chainId", address, role, from_block as "fromBlock",
	read_to as "readTo", read_hash as "readHash", read_at as "readAt",
	rebuilds_since as "rebuildsSince", agreed_to as "agreedTo", agreed_hash as "agreedHash",
	agreed_at as "agreedAt", differs_since as "differsSince", difference, rereads`;
const KEY = "chain_id = $1 and address = $2 and role = $3";

/** A few rows: one for each contract that ever was the token's. All by the primary key. */
export const followed = {
	/** Begins to follow a contract; does nothing where it is followed already. */
	async begin(tx: Tx, key: FollowedKey, fromBlock: number): Promise<void> {
		await tx.execute(
			`insert into tokenomics.followed (chain_id, address, role, from_block, read_to, agreed_to)
			values ($1, $2, $3, $4::int8, $4::int8 - 1, $4::int8 - 1) on conflict do nothing`,
			[...keyOf(key), fromBlock],
		);
	},

	async all(db: Queryable, chainId: number): Promise<Followed[]> {
		const rows = await db.query<FollowedRow>(
			`select ${COLUMNS} from tokenomics.followed where chain_id = $1 order by address, role`,
			[chainId],
		);
		return rows.map(followedOf);
	},

	/** Reads and locks all rows of a chain: other writers of its ledger wait. */
	async lockAll(tx: Tx, chainId: number): Promise<Followed[]> {
		const rows = await tx.query<FollowedRow>(
			`select ${COLUMNS} from tokenomics.followed where chain_id = $1
			order by address, role for update`,
			[chainId],
		);
		return rows.map(followedOf);
	},

	/** Moves the cursor on; `at`: all that is final is read now. */
	async moveTo(
		tx: Tx,
		key: FollowedKey,
		to: { block: number; hash: Hex | null; at: Date | null },
	): Promise<void> {
		await tx.execute(
			`update tokenomics.followed
			set read_to = $4, read_hash = $5, read_at = coalesce($6, read_at),
				rebuilds_since = case when $6::timestamptz is null then rebuilds_since end
			where ${KEY}`,
			[...keyOf(key), to.block, to.hash && bytesOf(to.hash), to.at],
		);
	},

	/** Moves the cursor back: until all is read again its sums are unknown. */
	async moveBack(
		tx: Tx,
		key: FollowedKey,
		to: { block: number; hash: Hex | null; at: Date },
	): Promise<void> {
		await tx.execute(
			`update tokenomics.followed set read_to = $4, read_hash = $5, read_at = null,
				rebuilds_since = coalesce(rebuilds_since, $6) where ${KEY}`,
			[...keyOf(key), to.block, to.hash && bytesOf(to.hash), to.at],
		);
	},

	/**
	 * Records that no node shows the last block that was read: it is unknown whether the sums are
	 * still true.
	 */
	async doubt(db: Queryable, rows: readonly Followed[], at: Date): Promise<void> {
		for (const row of rows) {
			await db.execute(
				`update tokenomics.followed set read_at = null,
					rebuilds_since = coalesce(rebuilds_since, $4) where ${KEY} and read_to = $5`,
				[...keyOf(row), at, row.readTo],
			);
		}
	},

	/** Notes that there was nothing more to read, so what was read holds for that moment too. */
	async look(db: Queryable, rows: readonly Followed[], at: Date): Promise<void> {
		for (const row of rows) {
			await db.execute(
				`update tokenomics.followed set read_at = $4, rebuilds_since = null
				where ${KEY} and read_to = $5`,
				[...keyOf(row), at, row.readTo],
			);
		}
	},

	/** Sets an earlier first block: nothing agreed below where it is read again. */
	async beginEarlier(tx: Tx, key: FollowedKey, fromBlock: number): Promise<void> {
		await tx.execute(
			`update tokenomics.followed
			set from_block = $4::int8, agreed_to = $4::int8 - 1, agreed_hash = null
			where ${KEY}`,
			[...keyOf(key), fromBlock],
		);
	},

	async agree(
		tx: Tx,
		key: FollowedKey,
		{ block, hash, at }: { block: number; hash: Hex; at: Date },
	): Promise<void> {
		await tx.execute(
			`update tokenomics.followed set agreed_to = $4, agreed_hash = $5, agreed_at = $6,
				differs_since = null, difference = null, rereads = 0 where ${KEY}`,
			[...keyOf(key), block, bytesOf(hash), at],
		);
	},

	async differ(tx: Tx, key: FollowedKey, said: { what: string; at: Date }): Promise<void> {
		await tx.execute(
			`update tokenomics.followed set differs_since = coalesce(differs_since, $5),
				difference = $4, rereads = rereads + 1 where ${KEY}`,
			[...keyOf(key), said.what, said.at],
		);
	},
};

/** Manifests by chain. Versions are never changed: the highest of a chain counts. */
export const manifests = {
	/** Returns the manifest in force; null where none was set. By the primary key, backward. */
	async read(db: Queryable, chainId: number): Promise<Manifest | null> {
		const [row] = await db.query<ManifestRow>(
			`select chain_id as "chainId", version, token, router, burner, owner,
				from_block as "fromBlock", set_by as "setBy", set_at as "setAt"
			from tokenomics.manifest where chain_id = $1 order by version desc limit 1`,
			[chainId],
		);
		if (!row) return null;
		return {
			...row,
			token: hexOf(row.token),
			router: row.router && hexOf(row.router),
			burner: row.burner && hexOf(row.burner),
			owner: hexOf(row.owner),
		};
	},

	/** Adds a version; false where it is there already, or the one before it is not. */
	async add(tx: Tx, manifest: Manifest): Promise<boolean> {
		const { chainId, version, token, router, burner, owner, fromBlock, setBy, setAt } = manifest;
		const added = await tx.execute(
			`insert into tokenomics.manifest
				(chain_id, version, token, router, burner, owner, from_block, set_by, set_at)
			select $1, $2::int4, $3, $4, $5, $6, $7, $8, $9
			where $2::int4 - 1 = coalesce(
				(select max(version) from tokenomics.manifest where chain_id = $1), 0)
			on conflict (chain_id, version) do nothing`,
			[
				...[chainId, version, bytesOf(token), router && bytesOf(router)],
				...[burner && bytesOf(burner), bytesOf(owner), fromBlock, setBy, setAt],
			],
		);
		return added === 1;
	},
};

function keyOf({ chainId, address, role }: FollowedKey) {
	return [chainId, bytesOf(address), role];
}

function followedOf(row: FollowedRow): Followed {
	return {
		...row,
		address: hexOf(row.address),
		readHash: row.readHash && hexOf(row.readHash),
		agreedHash: row.agreedHash && hexOf(row.agreedHash),
	};
}
