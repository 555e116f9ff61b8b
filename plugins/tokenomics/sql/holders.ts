// Reads and writes balances of the token's holders, and standings of the league.

import { type Address, bytesOf, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

export type OfToken = { chainId: number; token: Address };
export type Holder = { holder: Address; balance: bigint };

export type Standing = {
	rank: number;
	profileId: string;
	wallet: Address | null;
	/** The volume that counts, in microdollars. */
	usdMicros: bigint;
	/** All that was settled. */
	tradedUsdMicros: bigint;
	trades: number;
};

export type SeasonRow = {
	traders: number;
	usdMicros: bigint;
	leftOutUsdMicros: bigint;
	countedAt: Date;
};

type HolderRow = { holder: Uint8Array; balance: string };

type StandingRow = Omit<Standing, "wallet" | "usdMicros" | "tradedUsdMicros"> & {
	wallet: Uint8Array | null;
	usdMicros: string;
	tradedUsdMicros: string;
};

const ROWS_AT_ONCE = 2_000;

/** Balances of the token, by its own transfers. */
export const holders = {
	/**
	 * Adds to balances, or takes from them; answers by how much the number of holders grew. A balance
	 * below zero is kept: then a transfer is missing, which the comparison with the chain finds.
	 */
	async add(tx: Tx, of: OfToken, changes: ReadonlyMap<Address, bigint>): Promise<number> {
		const rows = [...changes].filter(([, change]) => change !== 0n);
		let grew = 0;
		for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
			grew += await addSome(tx, of, rows.slice(from, from + ROWS_AT_ONCE));
		}
		return grew;
	},

	/**
	 * Reads who holds most. By `holder_by_balance`: by the column, for the balance that is read is a
	 * text, in whose order 9 comes before 10.
	 */
	async largest(db: Queryable, { chainId, token }: OfToken, limit: number): Promise<Holder[]> {
		const rows = await db.query<HolderRow>(
			`select holder, balance::text as balance from tokenomics.holder
			where chain_id = $1 and token = $2 order by holder.balance desc limit $3`,
			[chainId, bytesOf(token), limit],
		);
		return rows.map(holderOf);
	},

	/** Reads holders from an address on, in their order: a sample. By the primary key. */
	async from(
		db: Queryable,
		{ chainId, token }: OfToken,
		{ address, limit }: { address: Address; limit: number },
	): Promise<Holder[]> {
		const rows = await db.query<HolderRow>(
			`select holder, balance::text as balance from tokenomics.holder
			where chain_id = $1 and token = $2 and holder >= $3 order by holder limit $4`,
			[chainId, bytesOf(token), bytesOf(address), limit],
		);
		return rows.map(holderOf);
	},

	/** Reads what some accounts hold; who holds nothing is left out. By the primary key. */
	async of(
		db: Queryable,
		{ chainId, token }: OfToken,
		addresses: readonly Address[],
	): Promise<Holder[]> {
		const rows = await db.query<HolderRow>(
			`select holder, balance::text as balance from tokenomics.holder
			where chain_id = $1 and token = $2 and holder = any($3::bytea[])`,
			[chainId, bytesOf(token), addresses.map(bytesOf)],
		);
		return rows.map(holderOf);
	},

	async deleteAll(tx: Tx, { chainId, token }: OfToken): Promise<void> {
		await tx.execute("delete from tokenomics.holder where chain_id = $1 and token = $2", [
			chainId,
			bytesOf(token),
		]);
	},
};

const STANDING = `rank, profile_id as "profileId", wallet, usd_micros::text as "usdMicros",
	traded_usd_micros::text as "tradedUsdMicros", trades`;

/** Standings of seasons, by their first day. All by primary keys. */
export const standings = {
	/** Writes a count in the place of the one before it. */
	async write(
		tx: Tx,
		season: string,
		{ rows, total }: { rows: readonly Standing[]; total: SeasonRow },
	): Promise<void> {
		await tx.execute(
			`insert into tokenomics.season (season, traders, usd_micros, left_out_usd_micros, counted_at)
			values ($1::date, $2, $3, $4, $5) on conflict (season) do update
			set traders = excluded.traders, usd_micros = excluded.usd_micros,
				left_out_usd_micros = excluded.left_out_usd_micros, counted_at = excluded.counted_at`,
			[
				...[`${season}-01`, total.traders, total.usdMicros, total.leftOutUsdMicros],
				total.countedAt,
			],
		);
		await tx.execute("delete from tokenomics.standing where season = $1::date", [`${season}-01`]);
		await tx.execute(
			`insert into tokenomics.standing
				(season, rank, profile_id, wallet, usd_micros, traded_usd_micros, trades)
			select $1::date, r, p, w, u, a, t
			from unnest($2::int4[], $3::uuid[], $4::bytea[], $5::int8[], $6::int8[], $7::int4[])
				as rows (r, p, w, u, a, t)`,
			[
				...[`${season}-01`, rows.map(({ rank }) => rank), rows.map(({ profileId }) => profileId)],
				...[rows.map(({ wallet }) => wallet && bytesOf(wallet))],
				rows.map(({ usdMicros }) => String(usdMicros)),
				...[rows.map((row) => String(row.tradedUsdMicros)), rows.map(({ trades }) => trades)],
			],
		);
	},

	async first(db: Queryable, season: string, limit: number): Promise<Standing[]> {
		const rows = await db.query<StandingRow>(
			`select ${STANDING} from tokenomics.standing where season = $1::date order by rank limit $2`,
			[`${season}-01`, limit],
		);
		return rows.map(standingOf);
	},

	/** Reads a profile's place; null where it is not among those that are kept. */
	async ofProfile(db: Queryable, season: string, profileId: string): Promise<Standing | null> {
		const [row] = await db.query<StandingRow>(
			`select ${STANDING} from tokenomics.standing where season = $1::date and profile_id = $2
			order by rank limit 1`,
			[`${season}-01`, profileId],
		);
		return row ? standingOf(row) : null;
	},

	async season(db: Queryable, season: string): Promise<SeasonRow | null> {
		const [row] = await db.query<{
			traders: number;
			usdMicros: string;
			leftOutUsdMicros: string;
			countedAt: Date;
		}>(
			`select traders, usd_micros::text as "usdMicros",
				left_out_usd_micros::text as "leftOutUsdMicros", counted_at as "countedAt"
			from tokenomics.season where season = $1::date`,
			[`${season}-01`],
		);
		if (!row) return null;
		const { usdMicros, leftOutUsdMicros, ...rest } = row;
		return { ...rest, usdMicros: BigInt(usdMicros), leftOutUsdMicros: BigInt(leftOutUsdMicros) };
	},
};

async function addSome(
	tx: Tx,
	{ chainId, token }: OfToken,
	rows: readonly (readonly [Address, bigint])[],
): Promise<number> {
	const after = await tx.query<HolderRow>(
		`insert into tokenomics.holder as old (chain_id, token, holder, balance)
		select $1, $2, h, b from unnest($3::bytea[], $4::numeric[]) as rows (h, b)
		on conflict (chain_id, token, holder) do update set balance = old.balance + excluded.balance
		returning holder, balance::text as balance`,
		[
			...[chainId, bytesOf(token), rows.map(([holder]) => bytesOf(holder))],
			rows.map(([, change]) => String(change)),
		],
	);
	const changes = new Map(rows);
	let grew = 0;
	const gone: Address[] = [];
	for (const { holder, balance } of after.map(holderOf)) {
		const before = balance - (changes.get(holder) ?? 0n);
		if (before === 0n) grew += 1;
		if (balance === 0n) gone.push(holder);
	}
	if (gone.length === 0) return grew;
	await tx.execute(
		`delete from tokenomics.holder
		where chain_id = $1 and token = $2 and holder = any($3::bytea[]) and balance = 0`,
		[chainId, bytesOf(token), gone.map(bytesOf)],
	);
	return grew - gone.length;
}

function standingOf({ wallet, usdMicros, tradedUsdMicros, ...row }: StandingRow): Standing {
	return {
		...{ ...row, wallet: wallet && hexOf(wallet) },
		...{ usdMicros: BigInt(usdMicros), tradedUsdMicros: BigInt(tradedUsdMicros) },
	};
}

function holderOf({ holder, balance }: HolderRow): Holder {
	return { holder: hexOf(holder), balance: BigInt(balance) };
}
