// Reads and writes intents as rows of the database.

import { hexToBytes } from "viem";
import { hexOf } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { CURSOR_PART, createCursor } from "#core/http/pages.ts";
import type { Period } from "#core/period.ts";
import { quarantineFault, type RowSource, readRows, rowField } from "#core/quarantine.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import { readError } from "#plugins/wallets/intent/intentError.ts";
import type { Cancellation, Channel, Intent, Plan } from "#plugins/wallets/model.ts";
import { hashPlan, planCodec } from "#plugins/wallets/plan.ts";
import { type QuotaCharge, quotaSql } from "#plugins/wallets/quota.ts";
import type { NewIntent } from "#plugins/wallets/Wallets.ts";

/** Holds the columns that `intentRow.columns` select. */
export type IntentRow = {
	id: string;
	kind: string;
	profile_id: string;
	wallet_id: string | null;
	chain_id: number;
	channel: Channel;
	status: IntentStatus;
	error_code: string | null;
	error: unknown;
	request: unknown;
	plan: unknown;
	plan_hash: Uint8Array | null;
	batch_id: string | null;
	transaction_hash: Uint8Array | null;
	cancelling: Cancellation["state"] | null;
	cancelling_hash: Uint8Array | null;
	asks: boolean;
	after_id: string | null;
	looks_paid: Uint8Array | null;
	created_at: Date;
	changed_at: Date;
	expires_at: Date;
};

export type IntentToInsert = NewIntent & {
	id: string;
	settings: Record<string, unknown>;
	/** The step before it: it begins as `waiting`. */
	afterId: string | null;
};
export type IntentTimes = { at: Date; expiresAt: Date };

/** Lists the columns of `wallets.intent i`, with the hash of its newest submission. */
const columns = `i.id, i.kind, i.profile_id, i.wallet_id, i.chain_id, i.channel, i.status,
	i.error_code, i.error, i.request, i.plan, i.plan_hash, i.batch_id, i.created_at, i.changed_at,
	i.expires_at, i.after_id, i.looks_paid, coalesce((i.settings->>'asks')::boolean, false) as asks,
	(select s.transaction_hash from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'pay' order by s.step desc limit 1) as transaction_hash,
	(select s.state::text from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'cancel' order by s.created_at desc, s.id desc limit 1) as cancelling,
	(select s.transaction_hash from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'cancel' order by s.created_at desc, s.id desc limit 1) as cancelling_hash`;

const { whole, timeMs } = rowField;

/** Maps an intent to its row in the database. */
export const intentRow = {
	columns,
	table: "wallets.intent",
	select: `select ${columns} from wallets.intent i where i.id = any($1::uuid[])`,
	keyOf: ({ id }: IntentRow) => id,
	read(row: IntentRow): Intent {
		return {
			id: row.id,
			kind: row.kind,
			profileId: row.profile_id,
			walletId: row.wallet_id,
			chainId: whole(row.chain_id),
			channel: row.channel,
			status: row.status,
			errorCode: row.error_code,
			error: readError(row.error_code, row.error),
			request: row.request,
			plan: row.plan === null ? null : planCodec.read(row.plan),
			planHash: row.plan_hash && hexOf(row.plan_hash),
			batchId: row.batch_id,
			transactionHash: row.transaction_hash && hexOf(row.transaction_hash),
			cancellation: row.cancelling && {
				state: row.cancelling,
				transactionHash: row.cancelling_hash && hexOf(row.cancelling_hash),
			},
			asks: row.asks,
			afterId: row.after_id,
			looksPaid: row.looks_paid && hexOf(row.looks_paid),
			createdAtMs: timeMs(row.created_at),
			changedAtMs: timeMs(row.changed_at),
			expiresAtMs: timeMs(row.expires_at),
		};
	},
} satisfies RowSource<IntentRow, Intent> & { columns: string };

const cursors = createCursor("intents2", [CURSOR_PART.millis, CURSOR_PART.uuid]);

/**
 * Builds the statement that records intents as `created`, its values, and the intents that result.
 */
export const newIntentRows = {
	/** Inserts intents; the values are $1 to $12; a `where` may follow. */
	insert: `insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
			request, settings, batch_id, created_at, changed_at, expires_at, after_id)
		select id, kind, profile_id, wallet_id, chain_id, channel,
			case when after_id is null then 'created' else 'waiting' end,
			request, settings, batch_id, $10::timestamptz, $10, $11::timestamptz, after_id
		from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::int8[], $6::text[],
			$7::jsonb[], $8::jsonb[], $9::uuid[], $12::uuid[]) as t (id, kind, profile_id, wallet_id,
				chain_id, channel, request, settings, batch_id, after_id)`,

	values(intents: readonly IntentToInsert[], { at, expiresAt }: IntentTimes): SqlValue[] {
		return [
			intents.map(({ id }) => id),
			intents.map(({ kind }) => kind),
			intents.map(({ profile }) => profile.id),
			intents.map(({ wallet }) => wallet?.id ?? null),
			intents.map(({ chainId }) => chainId),
			intents.map(({ channel }) => channel),
			intents.map(({ request }) => JSON.stringify(request)),
			intents.map(({ settings }) => JSON.stringify(settings)),
			intents.map(({ batchId }) => batchId ?? null),
			at,
			expiresAt,
			intents.map(({ afterId }) => afterId),
		];
	},

	/** Nobody else knows them before the commit, so they need not be read back. */
	read(intents: readonly IntentToInsert[], { at, expiresAt }: IntentTimes): Intent[] {
		return intents.map(({ id, kind, chainId, channel, request, ...more }) => ({
			...{ id, kind, chainId, channel, request },
			profileId: more.profile.id,
			walletId: more.wallet?.id ?? null,
			status: more.afterId === null ? "created" : "waiting",
			errorCode: null,
			error: null,
			plan: null,
			planHash: null,
			batchId: more.batchId ?? null,
			transactionHash: null,
			cancellation: null,
			asks: more.asks ?? false,
			afterId: more.afterId,
			looksPaid: null,
			createdAtMs: at.getTime(),
			changedAtMs: at.getTime(),
			expiresAtMs: expiresAt.getTime(),
		}));
	},
};

/**
 * Returns the intents that are judged together with one, including it. Throws `row_unreadable`
 * where one of them cannot be read: nobody may approve a batch of which they see only a part. Reads
 * `intent_batch`.
 */
export async function readBatch(
	db: Queryable,
	{ id, batchId }: Pick<Intent, "id" | "batchId">,
): Promise<Intent[]> {
	if (batchId === null) return readIntents(db, [id]);
	const rows = await db.query<{ id: string }>(
		"select id from wallets.intent where batch_id = $1 order by id",
		[batchId],
	);
	const intents = await readIntents(
		db,
		rows.map((row) => row.id),
	);
	if (intents.length < rows.length) throw quarantineFault.rowUnreadable({ detail: batchId });
	return intents;
}

/**
 * Intents in the order of their ids here. Left out are those that are not there, and those whose
 * row cannot be read: one must not keep the others from being settled or shown.
 */
export async function readIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	return (await readRows(db, intentRow, await queryIntents(db, ids))).items;
}

/**
 * Reads intents with all of their batches: a batch is judged as a whole, even if the caller names a
 * part, and left out as a whole where one of its intents cannot be read. Reads `intent_batch`.
 */
export async function readTogether(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	const rows = await rowsTogether(db, ids);
	const { items, unreadable } = await readRows(db, intentRow, rows);
	if (unreadable.length === 0) return items;
	const isUnreadable = new Set(unreadable);
	const broken = new Set(rows.filter(({ id }) => isUnreadable.has(id)).map((row) => row.batch_id));
	return items.filter(({ batchId }) => batchId === null || !broken.has(batchId));
}

/** Rows of intents in the order of their ids here, as they are stored. */
export async function queryIntents(db: Queryable, ids: readonly string[]): Promise<IntentRow[]> {
	const [only] = ids;
	// One is planned once for a connection; a list looks like ten, and is planned at each call.
	if (only !== undefined && ids.length === 1) {
		return db.query<IntentRow>(
			`select ${intentRow.columns} from wallets.intent i where i.id = $1`,
			[only],
		);
	}
	return db.query<IntentRow>(
		`select ${intentRow.columns}
		from unnest($1::uuid[]) with ordinality as wanted (id, place)
		join wallets.intent i on i.id = wanted.id
		order by place`,
		[ids],
	);
}

/** Lists a profile's intents, newest first, along the index `intent_profile`. */
export async function listIntents(
	db: Queryable,
	asked: {
		profileId: string;
		kinds?: readonly string[];
		period?: Period;
		limit: number;
		cursor?: string | undefined;
	},
): Promise<{ items: Intent[]; nextCursor: string | null }> {
	const { profileId, kinds, period, cursor } = asked;
	const bound = cursors.of({ profileId, kinds: kinds && [...kinds].sort().join(",") });
	const [afterMs, afterId] = cursor === undefined ? [] : bound.decode(cursor);
	const rows = await db.query<IntentRow>(
		`select ${intentRow.columns} from wallets.intent i
		where profile_id = $1 and ($2::text[] is null or kind = any($2))
			and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
			and isfinite(created_at)
			and ($6::timestamptz is null or created_at >= $6)
			and ($7::timestamptz is null or created_at <= $7)
		order by created_at desc, id desc limit $5`,
		[
			asked.profileId,
			asked.kinds ?? null,
			afterMs === undefined ? null : new Date(Number(afterMs)),
			afterId ?? null,
			asked.limit + 1,
			period ? new Date(period.fromMs) : null,
			period ? new Date(period.untilMs) : null,
		],
	);
	const shown = rows.slice(0, asked.limit);
	// What cannot be read is left out of its page, and keeps nobody from the pages behind it.
	const { items } = await readRows(db, intentRow, shown);
	const last = shown.at(-1);
	const hasMore = rows.length > asked.limit && last;
	const nextCursor = hasMore ? bound.encode([`${last.created_at.getTime()}`, last.id]) : null;
	return { items, nextCursor };
}

/**
 * Records intents as `created` and charges their profile's quota, in one statement. Returns the
 * intents, or null where the quota does not allow them: then nothing is written. At most 50, the
 * limit of a batch.
 */
export async function insertIntents(
	tx: Tx,
	made: { intents: readonly IntentToInsert[]; times: IntentTimes },
	charge: QuotaCharge,
): Promise<Intent[] | null> {
	const { intents, times } = made;
	if (intents.length === 0) {
		const sql = quotaSql.charge({ first: 1, from: "" });
		const charged = await tx.execute(sql, quotaSql.values(charge));
		return charged > 0 ? [] : null;
	}
	const recorded = await tx.execute(
		`with charged as (${quotaSql.charge({ first: 13, from: "" })})
		${newIntentRows.insert} where exists (select from charged)`,
		[...newIntentRows.values(intents, times), ...quotaSql.values(charge)],
	);
	return recorded > 0 ? newIntentRows.read(intents, times) : null;
}

/** Keeps the plan that an intent is judged, asked about or sent by, in place of the one before. */
export async function storePlan(
	tx: Tx,
	given: {
		intentId: string;
		plan: Plan;
		expiresAt?: Date;
		headBlock?: number | undefined;
	},
): Promise<void> {
	const { intentId, plan, expiresAt, headBlock } = given;
	await tx.execute(
		`update wallets.intent set plan = $2, plan_hash = $3, expires_at = coalesce($4, expires_at),
			planned_block = coalesce($5, planned_block)
		where id = $1`,
		[
			intentId,
			JSON.stringify(planCodec.write(plan)),
			hexToBytes(hashPlan(plan)),
			expiresAt ?? null,
			headBlock ?? null,
		],
	);
}

async function rowsTogether(db: Queryable, ids: readonly string[]): Promise<IntentRow[]> {
	const [only] = ids;
	if (only !== undefined && ids.length === 1) {
		return db.query<IntentRow>(
			`select ${intentRow.columns} from wallets.intent i
			where i.id = $1 or i.batch_id = (select batch_id from wallets.intent where id = $1)
			order by i.id`,
			[only],
		);
	}
	const rows = await db.query<{ id: string }>(
		`with named as (select id, batch_id from wallets.intent where id = any($1))
		select id from named
		union select i.id from wallets.intent i join named using (batch_id)
		order by id`,
		[ids],
	);
	return queryIntents(
		db,
		rows.map(({ id }) => id),
	);
}
