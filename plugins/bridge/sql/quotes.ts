// Reads and writes quotes, and the signatures that are handed over.

import { z } from "zod";
import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	type Authorization,
	authorizationJson,
	authorizationSchema,
	type BridgeStep,
} from "#plugins/bridge/quote/authorizations.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";

export type HandOverState = "ready" | "handed" | "taken" | "refused" | "doubtful";

/** A signature that goes to the provider, once. */
export type HandOver = {
	bridgeId: string;
	step: number;
	intentId: string;
	/** Null: it is the quote's. */
	asked: Authorization | null;
	state: HandOverState;
	handedAt: Date | null;
};

export type StoredQuote = CheckedQuote & {
	bridgeId: string;
	seq: number;
	told: Told;
	createdAt: Date;
};

type QuoteRow = {
	bridgeId: string;
	seq: number;
	requestId: Hex;
	orderId: Hex;
	depository: Address;
	minimumOutRaw: string;
	expectedOutRaw: string;
	expiresAt: Date;
	createdAt: Date;
	steps: unknown;
	authorizations: unknown;
	told: unknown;
};

/** Fees, impact and estimate of a quote, to be shown. Amounts in base units of their currency. */
const toldSchema = z.object({
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
	/** The value of what is paid in, in US dollars, as the provider states it; null: it does not. */
	paidUsd: z.string().nullable().default(null),
	/** Nobody says what both ends are worth: its owner is asked. */
	isLossUnknown: z.boolean().default(false),
	estimateSeconds: z.number().nullable(),
	rate: z.string().nullable(),
	/** The order that the deposit is for, as the provider signed it. */
	order: z.record(z.string(), z.unknown()),
	orderSignature: z.string(),
	/** The newest block of the destination when it was quoted: older ones pay nothing of it. */
	newestBlock: z
		.string()
		.regex(/^\d{1,20}$/)
		.nullable()
		.default(null),
});
export type Told = z.output<typeof toldSchema>;

const hex = z.string().transform((text) => text as Hex);
const stepsSchema = z.array(
	z.object({
		kind: z.enum(["approve", "deposit"]),
		chainId: z.number(),
		from: anyCaseAddressSchema,
		to: anyCaseAddressSchema,
		valueRaw: z.string().transform(BigInt),
		data: hex,
	}),
);

const hexColumn = (name: string, as: string) => `'0x' || encode(${name}, 'hex') as "${as}"`;

/** Returns whether a request of the provider's is another bridge's. By the key `request_id`. */
export async function isRequestOfAnother(
	db: Queryable,
	{ requestId, bridgeId }: { requestId: Hex; bridgeId: string },
): Promise<boolean> {
	const rows = await db.query(
		"select 1 from bridge.quote where request_id = $1 and bridge_id <> $2",
		[bytesOf(requestId), bridgeId],
	);
	return rows.length > 0;
}

/** Reads a bridge's signatures, in their order. By primary key. */
export async function readHandOvers(db: Queryable, bridgeId: string): Promise<HandOver[]> {
	const rows = await db.query<Omit<HandOver, "asked"> & { asked: unknown }>(
		`select bridge_id as "bridgeId", step, intent_id as "intentId", asked, state,
			handed_at as "handedAt"
		from bridge.hand_over where bridge_id = $1 order by step`,
		[bridgeId],
	);
	return rows.map((row) => {
		const asked = row.asked === null ? null : authorizationSchema.parse(row.asked);
		return { ...row, asked };
	});
}

/** Records a signature that is to be handed over. The caller holds the bridge. */
export async function insertHandOver(
	tx: Tx,
	given: Pick<HandOver, "bridgeId" | "step" | "intentId" | "asked"> & { at: Date },
): Promise<void> {
	const { bridgeId, step, intentId, asked, at } = given;
	const stored = asked === null ? null : JSON.stringify(authorizationJson(asked));
	await tx.execute(
		`insert into bridge.hand_over (bridge_id, step, intent_id, asked, state, created_at)
		values ($1, $2, $3, $4::jsonb, 'ready', $5)`,
		[bridgeId, step, intentId, stored, at],
	);
}

/**
 * Moves a signature's hand-over from one state to the next. Returns false, and writes nothing, if
 * its state is not the one that the caller names: then it must not be handed over.
 */
export async function moveHandOver(
	tx: Tx,
	given: {
		bridgeId: string;
		step: number;
		from: HandOverState;
		to: HandOverState;
		detail?: string;
		at: Date;
	},
): Promise<boolean> {
	const { bridgeId, step, from, to, detail = null, at } = given;
	const moved = await tx.execute(
		`update bridge.hand_over set state = $4, detail = $5,
			handed_at = case when $4 = 'handed' then $6 else handed_at end
		where bridge_id = $1 and step = $2 and state = $3`,
		[bridgeId, step, from, to, detail, at],
	);
	return moved > 0;
}

/**
 * Says what of a new quote some stored quote already has: "order" (its order or request id) or
 * "signature" (the nonce of its first signature); null: neither. Reads by the indexes `quote_order`
 * and `quote_nonce`, and by the unique request.
 */
export async function knownPart(
	db: Queryable,
	{ orderId, requestId, authorizations: [first] }: CheckedQuote,
): Promise<"order" | "signature" | null> {
	const nonce = first?.kind === "payment" ? first.nonce : null;
	const [row] = await db.query<{ order: boolean; signature: boolean }>(
		`select exists (select from bridge.quote where is_sole and order_id = $1)
				or exists (select from bridge.quote where request_id = $2) as "order",
			$3::text is not null and exists (
				select from bridge.quote
				where authorizations <> '[]' and authorizations->0->>'nonce' = $3
			) as signature`,
		[bytesOf(orderId), bytesOf(requestId), nonce],
	);
	if (row?.order) return "order";
	return row?.signature ? "signature" : null;
}

/** Reads a bridge's newest quote for an order; the newest of all where no order is named. */
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

/** Reads one quote of a bridge by its number. By primary key. */
export async function readQuote(
	db: Queryable,
	{ bridgeId, seq }: { bridgeId: string; seq: number },
): Promise<StoredQuote | null> {
	const [row] = await db.query<QuoteRow>(
		`select bridge_id as "bridgeId", seq, ${hexColumn("request_id", "requestId")},
			${hexColumn("order_id", "orderId")}, ${hexColumn("depository", "depository")},
			minimum_out_raw as "minimumOutRaw", expected_out_raw as "expectedOutRaw",
			expires_at as "expiresAt", created_at as "createdAt", steps, authorizations, told
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

/**
 * Stores a quote after those before it, and returns its number. The caller holds the bridge; one
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
