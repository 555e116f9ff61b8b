import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

export type Standing = {
	rank: number;
	profileId: string;
	wallet: Address | null;
	usdMicros: bigint;
	trades: number;
};

export type SeasonRow = {
	traders: number;
	usdMicros: bigint;
	leftOutUsdMicros: bigint;
	countedAt: Date;
};

type StandingRow = Omit<Standing, "wallet" | "usdMicros"> & {
	wallet: Uint8Array | null;
	usdMicros: string;
};

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
			`insert into tokenomics.standing (season, rank, profile_id, wallet, usd_micros, trades)
			select $1::date, r, p, w, u, t
			from unnest($2::int4[], $3::uuid[], $4::bytea[], $5::int8[], $6::int4[])
				as rows (r, p, w, u, t)`,
			[
				...[`${season}-01`, rows.map(({ rank }) => rank), rows.map(({ profileId }) => profileId)],
				...[rows.map(({ wallet }) => wallet && bytesOf(wallet))],
				...[rows.map(({ usdMicros }) => String(usdMicros)), rows.map(({ trades }) => trades)],
			],
		);
	},

	async first(db: Queryable, season: string, limit: number): Promise<Standing[]> {
		const rows = await db.query<StandingRow>(
			`select rank, profile_id as "profileId", wallet, usd_micros::text as "usdMicros", trades
			from tokenomics.standing where season = $1::date order by rank limit $2`,
			[`${season}-01`, limit],
		);
		return rows.map((row) => {
			return { ...row, wallet: row.wallet && hexOf(row.wallet), usdMicros: BigInt(row.usdMicros) };
		});
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
