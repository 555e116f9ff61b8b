import { hexOf } from "#core/chain/hexOf.ts";
import type { RowSource } from "#core/quarantine/RowSource.ts";
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
	created_at: Date;
	changed_at: Date;
	expires_at: Date;
};

/** Of `wallets.intent i`, with the hash of its newest submission. */
const columns = `i.id, i.kind, i.profile_id, i.wallet_id, i.chain_id, i.channel, i.status,
	i.error_code, i.request, i.plan, i.plan_hash, i.batch_id, i.created_at, i.changed_at,
	i.expires_at, coalesce((i.settings->>'asks')::boolean, false) as asks,
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
			createdAtMs: timeMs(row.created_at),
			changedAtMs: timeMs(row.changed_at),
			expiresAtMs: timeMs(row.expires_at),
		};
	},
} satisfies RowSource<IntentRow, Intent> & { columns: string };
