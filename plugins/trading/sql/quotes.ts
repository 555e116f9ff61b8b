import type { Queryable } from "#core/db/Database.ts";

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

type StoredQuote = Omit<QuoteRow, "inRaw" | "outRaw" | "blockNumber"> & {
	inRaw: string | null;
	outRaw: string | null;
	blockNumber: string | null;
};

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
