import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

/** JSON that is stored and shown unchanged; no code reads it. */
export type Kept = Readonly<Record<string, unknown>>;

export type NewTrade = {
	id: string;
	/** The intent that moves its money. */
	intentId: string | null;
	profileId: string;
	walletId: string | null;
	channel: Channel;
	command: string | null;
	wish: unknown;
	chainId: number;
	terms: unknown;
	settings: Kept;
	policy: readonly Kept[];
	notionalUsdMicros: bigint | null;
	createdAt: Date;
};

export type Trade = Omit<NewTrade, "notionalUsdMicros"> & {
	notionalUsdMicros: bigint | null;
	approval: Kept | null;
	settled: Kept | null;
};

type TradeRow = Omit<Trade, "notionalUsdMicros"> & { notionalUsdMicros: string | null };

const COLUMNS = `id, profile_id as "profileId", wallet_id as "walletId", channel, command, wish,
	chain_id as "chainId", intent_id as "intentId", terms, settings, policy,
	notional_usd_micros::text as "notionalUsdMicros", approval, settled, created_at as "createdAt"`;

export async function insertTrade(tx: Tx, trade: NewTrade): Promise<void> {
	await tx.execute(
		`insert into trading.trade (id, profile_id, wallet_id, channel, command, wish, chain_id, terms,
			settings, policy, notional_usd_micros, created_at, intent_id)
		values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8::jsonb, $9::jsonb, $10::jsonb, $11, $12, $13)`,
		[
			...[trade.id, trade.profileId, trade.walletId, trade.channel, trade.command],
			...[JSON.stringify(trade.wish), trade.chainId],
			...[JSON.stringify(trade.terms), JSON.stringify(trade.settings)],
			...[JSON.stringify(trade.policy), trade.notionalUsdMicros, trade.createdAt],
			trade.intentId,
		],
	);
}

/** Returns a trade by primary key; null where there is none. */
export async function readTrade(db: Queryable, id: string): Promise<Trade | null> {
	const [row] = await db.query<TradeRow>(`select ${COLUMNS} from trading.trade where id = $1`, [
		id,
	]);
	return row ? tradeOf(row) : null;
}

/** Returns a profile's trades, newest first (ids grow with time). By `trade_of_profile`. */
export async function listTrades(
	db: Queryable,
	{ profileId, afterId, limit }: { profileId: string; afterId: string | null; limit: number },
): Promise<Trade[]> {
	const rows = await db.query<TradeRow>(
		`select ${COLUMNS} from trading.trade
		where profile_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
		[profileId, afterId, limit],
	);
	return rows.map(tradeOf);
}

/** Stores the allowance that a trade needs first, or the result from its receipt. */
export async function keepOfTrade(
	db: Queryable,
	{ id, approval, settled }: { id: string; approval?: Kept; settled?: Kept },
): Promise<void> {
	await db.execute(
		`update trading.trade set approval = coalesce($2::jsonb, approval),
			settled = coalesce($3::jsonb, settled) where id = $1`,
		[id, approval ? JSON.stringify(approval) : null, settled ? JSON.stringify(settled) : null],
	);
}

function tradeOf({ notionalUsdMicros, ...row }: TradeRow): Trade {
	return {
		...row,
		notionalUsdMicros: notionalUsdMicros === null ? null : BigInt(notionalUsdMicros),
	};
}
