// Reads and writes trades and their quotes.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Period } from "#core/period.ts";
import type { SettledTrade, SettledTradesAsked } from "#plugins/trading/contract.ts";
import type { Channel } from "#plugins/wallets/contract.ts";

/** The answer of one source for a trade; amounts and pools are null where there was none. */
export type QuoteRow = {
	askedAt: Date;
	source: string;
	isTaken: boolean;
	inRaw: bigint | null;
	outRaw: bigint | null;
	blockNumber: bigint | null;
	impactBps: number | null;
	requestId: string | null;
	hops: readonly unknown[] | null;
	code: string | null;
	detail: Readonly<Record<string, unknown>>;
};

/** JSON that is stored and shown unchanged; no code reads it. */
type Kept = Readonly<Record<string, unknown>>;

type NewTrade = {
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

type StoredQuote = Omit<QuoteRow, "inRaw" | "outRaw" | "blockNumber"> & {
	inRaw: string | null;
	outRaw: string | null;
	blockNumber: string | null;
};

type SettledRow = Omit<SettledTrade, "usdMicros"> & { usdMicros: string };

type TradeRow = Omit<Trade, "notionalUsdMicros"> & { notionalUsdMicros: string | null };

const COLUMNS = `id, profile_id as "profileId", wallet_id as "walletId", channel, command, wish,
	chain_id as "chainId", intent_id as "intentId", terms, settings, policy,
	notional_usd_micros::text as "notionalUsdMicros", approval, settled, created_at as "createdAt"`;

/** Adds the answers of the sources. They are never changed. */
export async function insertQuotes(
	db: Queryable,
	tradeId: string,
	quotes: readonly QuoteRow[],
): Promise<void> {
	for (const quote of quotes) {
		await db.execute(
			`insert into trading.quote (trade_id, asked_at, source, is_taken, in_raw, out_raw,
				block_number, impact_bps, request_id, hops, code, detail)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12::jsonb)`,
			[
				...[tradeId, quote.askedAt, quote.source, quote.isTaken, quote.inRaw, quote.outRaw],
				...[quote.blockNumber, quote.impactBps, quote.requestId],
				...[quote.hops && JSON.stringify(quote.hops), quote.code, JSON.stringify(quote.detail)],
			],
		);
	}
}

/**
 * Returns the newest quotes of a trade, in the order in which they were written. By
 * `quote_of_trade`.
 */
export async function readQuotes(
	db: Queryable,
	tradeId: string,
	limit: number,
): Promise<QuoteRow[]> {
	const rows = await db.query<StoredQuote>(
		`select asked_at as "askedAt", source, is_taken as "isTaken", in_raw as "inRaw",
			out_raw as "outRaw", block_number::text as "blockNumber", impact_bps as "impactBps",
			request_id as "requestId", hops, code, detail
		from trading.quote where trade_id = $1 order by id desc limit $2`,
		[tradeId, limit],
	);
	const big = (text: string | null) => (text === null ? null : BigInt(text));
	return rows.reverse().map((row) => ({
		...row,
		inRaw: big(row.inRaw),
		outRaw: big(row.outRaw),
		blockNumber: big(row.blockNumber),
	}));
}

/**
 * Returns a page of swapped trades by the time of their request, the oldest first. Ids grow with
 * time, so the read follows the primary key and touches nothing outside of the window.
 */
export async function readSettledTrades(
	db: Queryable,
	{ fromMs, toMs, afterId, limit }: SettledTradesAsked,
): Promise<SettledTrade[]> {
	const rows = await db.query<SettledRow>(
		`select id, profile_id as "profileId", wallet_id as "walletId", intent_id as "intentId",
			created_at as "createdAt", terms ->> 'side' as side, terms ->> 'asset' as asset,
			notional_usd_micros::text as "usdMicros"
		from trading.trade
		where id > $1 and id < $2 and intent_id is not null and settled is not null
			and terms ->> 'kind' = 'swap' and notional_usd_micros > 0
			and (settled ->> 'receivedRaw')::numeric > 0
		order by id limit $3`,
		[afterId ?? lowestId(fromMs), lowestId(toMs), limit],
	);
	return rows.map((row) => ({ ...row, usdMicros: BigInt(row.usdMicros) }));
}

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

/** Which of a profile's trades are listed; `period`: those that were asked for in it. */
export type TradesQuery = {
	profileId: string;
	afterId: string | null;
	limit: number;
	period?: Period;
};

/** Returns a profile's trades, newest first (ids grow with time). By `trade_of_profile`. */
export async function listTrades(
	db: Queryable,
	{ profileId, afterId, limit, period }: TradesQuery,
): Promise<Trade[]> {
	const rows = await db.query<TradeRow>(
		`select ${COLUMNS} from trading.trade
		where profile_id = $1 and ($2::uuid is null or id < $2)
			and ($4::uuid is null or id >= $4) and ($5::uuid is null or id < $5)
		order by id desc limit $3`,
		[
			...[profileId, afterId, limit],
			period === undefined ? null : lowestId(period.fromMs),
			period === undefined ? null : lowestId(period.untilMs),
		],
	);
	return rows.map(tradeOf);
}

/**
 * Returns the intents of other trades of the same wallet that recorded an allowance of this token,
 * the newest first. By `trade_of_profile`.
 */
export async function otherApprovals(
	db: Queryable,
	{ trade, token, limit }: { trade: Trade; token: Address; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ intentId: string }>(
		`select intent_id as "intentId" from trading.trade
		where profile_id = $1 and id <> $2 and wallet_id = $3 and approval ->> 'token' = $4
			and intent_id is not null
		order by id desc limit $5`,
		[trade.profileId, trade.id, trade.walletId, token, limit],
	);
	return rows.map(({ intentId }) => intentId);
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

/** Returns the lowest id (UUID, version 7) of a millisecond. */
function lowestId(ms: number): string {
	const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0").slice(-12);
	return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

function tradeOf({ notionalUsdMicros, ...row }: TradeRow): Trade {
	return {
		...row,
		notionalUsdMicros: notionalUsdMicros === null ? null : BigInt(notionalUsdMicros),
	};
}
