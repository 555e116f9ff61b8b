import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import { quarantineFault } from "#core/quarantine/faults.ts";
import type { RowSource } from "#core/quarantine/RowSource.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import { rowField } from "#core/quarantine/rowField.ts";
import type { Cancellation, Channel, Intent } from "#plugins/wallets/contract.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { planCodec } from "#plugins/wallets/plan/planCodec.ts";

/** What `intentRow.columns` reads. */
export type IntentRow = {
	id: string;
	kind: string;
	profile_id: string;
	wallet_id: string | null;
	chain_id: number;
	channel: Channel;
	status: IntentStatus;
	error_code: string | null;
	request: unknown;
	plan: unknown;
	plan_hash: Uint8Array | null;
	batch_id: string | null;
	transaction_hash: Uint8Array | null;
	cancelling: Cancellation["state"] | null;
	cancelling_hash: Uint8Array | null;
	asks: boolean;
	after_id: string | null;
	created_at: Date;
	changed_at: Date;
	expires_at: Date;
};

/** Of `wallets.intent i`, with the hash of its newest submission. */
const columns = `i.id, i.kind, i.profile_id, i.wallet_id, i.chain_id, i.channel, i.status,
	i.error_code, i.request, i.plan, i.plan_hash, i.batch_id, i.created_at, i.changed_at,
	i.expires_at, i.after_id, coalesce((i.settings->>'asks')::boolean, false) as asks,
	(select s.transaction_hash from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'pay' order by s.step desc limit 1) as transaction_hash,
	(select s.state::text from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'cancel' order by s.created_at desc, s.id desc limit 1) as cancelling,
	(select s.transaction_hash from wallets.submission s where s.intent_id = i.id
		and s.purpose = 'cancel' order by s.created_at desc, s.id desc limit 1) as cancelling_hash`;

const { whole, timeMs } = rowField;

/** How an intent stands in the database. */
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
			createdAtMs: timeMs(row.created_at),
			changedAtMs: timeMs(row.changed_at),
			expiresAtMs: timeMs(row.expires_at),
		};
	},
} satisfies RowSource<IntentRow, Intent> & { columns: string };

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

/**
 * Intents in the order of their ids here. Left out are those that are not there, and those whose
 * row cannot be read: one must not keep the others from being settled or shown.
 */
export async function readIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	return (await readRows(db, intentRow, await queryIntents(db, ids))).items;
}

/**
 * The intents that are judged together with one, itself among them. Throws `row_unreadable` where
 * one of them cannot be read: nobody is shown a part of what they say yes to. Reads `intent_batch`.
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
 * Intents with all that stand in a batch with one of them: a batch is judged as a whole, also where
 * its caller names a part, and left out as a whole where one of it cannot be read. Reads
 * `intent_batch`.
 */
export async function readTogether(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	const rows = await rowsTogether(db, ids);
	const { items, unreadable } = await readRows(db, intentRow, rows);
	if (unreadable.length === 0) return items;
	const isUnreadable = new Set(unreadable);
	const broken = new Set(rows.filter(({ id }) => isUnreadable.has(id)).map((row) => row.batch_id));
	return items.filter(({ batchId }) => batchId === null || !broken.has(batchId));
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
