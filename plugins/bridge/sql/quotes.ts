import { z } from "zod";
import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { authorizationJson, authorizationSchema } from "#plugins/bridge/quote/authorizations.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";
import type { BridgeStep } from "#plugins/bridge/quote/steps.ts";
import { wireAddress } from "#plugins/bridge/relay/order.ts";

/** Fees, impact and estimate of a quote, to be shown. Amounts in base units of their currency. */
export const toldSchema = z.object({
	fees: z.record(
		z.string(),
		z.object({
			amountRaw: z.string(),
			symbol: z.string(),
			amountUsd: z.string().nullable(),
		}),
	),
	impactPercent: z.string().nullable(),
	impactUsd: z.string().nullable(),
	estimateSeconds: z.number(),
	rate: z.string().nullable(),
	/** The order that the deposit is for, as the provider signed it. */
	order: z.record(z.string(), z.unknown()),
	orderSignature: z.string(),
});
export type Told = z.output<typeof toldSchema>;

export type StoredQuote = CheckedQuote & { bridgeId: string; seq: number; told: Told };

const hex = z.string().transform((text) => text as Hex);
const stepsSchema = z.array(
	z.object({
		kind: z.enum(["approve", "deposit"]),
		chainId: z.number(),
		from: wireAddress,
		to: wireAddress,
		valueRaw: z.string().transform(BigInt),
		data: hex,
	}),
);

type QuoteRow = {
	bridgeId: string;
	seq: number;
	requestId: Hex;
	orderId: Hex;
	depository: Address;
	minimumOutRaw: string;
	expectedOutRaw: string;
	expiresAt: Date;
	steps: unknown;
	authorizations: unknown;
	told: unknown;
};

const hexColumn = (name: string, as: string) => `'0x' || encode(${name}, 'hex') as "${as}"`;

/** A bridge's quote, the newest or one of before. By primary key. */
export async function readQuote(
	db: Queryable,
	{ bridgeId, seq }: { bridgeId: string; seq: number },
): Promise<StoredQuote | null> {
	const [row] = await db.query<QuoteRow>(
		`select bridge_id as "bridgeId", seq, ${hexColumn("request_id", "requestId")},
			${hexColumn("order_id", "orderId")}, ${hexColumn("depository", "depository")},
			minimum_out_raw as "minimumOutRaw", expected_out_raw as "expectedOutRaw",
			expires_at as "expiresAt", steps, authorizations, told
		from bridge.quote where bridge_id = $1 and seq = $2`,
		[bridgeId, seq],
	);
	if (!row) return null;
	const { minimumOutRaw, expectedOutRaw, expiresAt, steps, told, ...rest } = row;
	const { authorizations, ...names } = rest;
	return {
		...names,
		minimumOutRaw: BigInt(minimumOutRaw),
		expectedOutRaw: BigInt(expectedOutRaw),
		deadlineMs: expiresAt.getTime(),
		steps: stepsSchema.parse(steps),
		authorizations: z.array(authorizationSchema).parse(authorizations),
		told: toldSchema.parse(told),
	};
}

/** Whether a quote's first signature was asked for by another one. By `quote_nonce`. */
export async function isNonceKnown(db: Queryable, quote: CheckedQuote): Promise<boolean> {
	const [first] = quote.authorizations;
	if (first?.kind !== "payment") return false;
	const rows = await db.query(
		`select 1 from bridge.quote
		where authorizations <> '[]' and authorizations->0->>'nonce' = $1 limit 1`,
		[first.nonce],
	);
	return rows.length > 0;
}

/** A bridge's newest quote for an order; the newest of all where none is named. */
export async function quoteOfOrder(
	db: Queryable,
	{ bridgeId, seq: newest, orderId }: { bridgeId: string; seq: number | null; orderId: unknown },
): Promise<StoredQuote | null> {
	for (let seq = newest ?? 0; seq > 0; seq--) {
		const quote = await readQuote(db, { bridgeId, seq });
		if (!quote || orderId === undefined || quote.orderId === orderId) return quote;
	}
	return null;
}

/**
 * Stores a quote behind those before it, and answers its number. The caller holds the bridge; one
 * that knows how many there are names the number.
 */
export async function insertQuote(
	tx: Tx,
	given: { bridgeId: string; quote: CheckedQuote; told: Told; at: Date; seq?: number },
): Promise<number> {
	const { bridgeId, quote, told, at, seq = null } = given;
	const [row] = await tx.query<{ seq: number }>(
		`insert into bridge.quote (bridge_id, seq, request_id, order_id, depository, minimum_out_raw,
			expected_out_raw, expires_at, steps, authorizations, told, created_at)
		values ($1,
			coalesce($12::int4,
				(select coalesce(max(seq), 0) + 1 from bridge.quote where bridge_id = $1)),
			$2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10::jsonb, $11)
		returning seq`,
		[
			...[bridgeId, bytesOf(quote.requestId), bytesOf(quote.orderId), bytesOf(quote.depository)],
			...[quote.minimumOutRaw, quote.expectedOutRaw, new Date(quote.deadlineMs)],
			JSON.stringify(quote.steps.map(stepJson)),
			JSON.stringify(quote.authorizations.map(authorizationJson)),
			...[JSON.stringify(told), at, seq],
		],
	);
	return row?.seq ?? 0;
}

function stepJson(step: BridgeStep) {
	return { ...step, valueRaw: String(step.valueRaw) };
}
