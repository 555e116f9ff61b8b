import { type AuditBook, type BookSource, windowSql } from "#core/audit/bookSql.ts";

/**
 * Selects what goes from the money path into the audit chain: each intent as requested and as it
 * is, each of its moves, each entry of the spend ledger, each submission once it is final.
 *
 * An intent changes only with a move, in the move's transaction. So it is found through its moves,
 * and sealed with the batch that has the last of them. Texts do not depend on a connection's
 * settings: times as seconds, bytes as hexadecimal.
 */
export const walletsBook: AuditBook = {
	name: "wallets",
	sources: [spendEntries(), moves(), intents(), submissions()],
};

function spendEntries(): BookSource {
	return {
		name: "spend_entry",
		keyBytes: 8,
		stamp: { table: "wallets.spend_entry", column: "tx" },
		rows: `select int8send(id) as key, at, true as is_last, ${hashOf(`id, intent_id, profile_id,
				wallet_id, kind::text, chain_id, ${hex("currency")}, amount_raw::text, usd_micros,
				${seconds("at")}`)}
			from wallets.spend_entry where ${windowSql.has("tx")}`,
		nameOf: (key) => String(key.readBigInt64BE()),
	};
}

function moves(): BookSource {
	return {
		name: "intent_move",
		keyBytes: 20,
		stamp: { table: "wallets.intent_move", column: "tx" },
		rows: `select uuid_send(intent_id) || int4send(seq) as key, at, true as is_last,
				${hashOf(`intent_id, seq, event, from_status, to_status, detail, ${seconds("at")}`)}
			from wallets.intent_move where ${windowSql.has("tx")}`,
		nameOf: (key) => `${uuidOf(key)}/${key.readInt32BE(16)}`,
	};
}

function intents(): BookSource {
	return {
		name: "intent",
		keyBytes: 16,
		stamp: null,
		rows: `select uuid_send(i.id) as key, i.changed_at as at, not exists (
				select from wallets.intent_move later
				where later.intent_id = i.id and ${windowSql.isBehind("later.tx")}
			) as is_last, ${hashOf(`i.id, i.kind, i.profile_id, i.wallet_id, i.chain_id,
				i.channel::text, i.request, i.settings, i.batch_id,
				${seconds("i.created_at")}, i.status, i.error_code, i.plan,
				${hex("i.plan_hash")}`)}
			from (
				select distinct intent_id from wallets.intent_move where ${windowSql.has("tx")}
			) as moved join wallets.intent i on i.id = moved.intent_id`,
		nameOf: uuidOf,
	};
}

function submissions(): BookSource {
	return {
		name: "submission",
		keyBytes: 16,
		stamp: { table: "wallets.submission", column: "final_tx" },
		rows: `select uuid_send(id) as key, final_at as at, true as is_last, ${hashOf(`id, intent_id,
				step, purpose::text, wallet_id, chain_id, ${hex("sender")}, nonce, transaction,
				gas_limit::text, state::text, provider_transaction_id, ${hex("transaction_hash")},
				block_number, ${hex("block_hash")}, ${seconds("created_at")}, ${seconds("sent_at")},
				${seconds("final_at")}`)}
			from wallets.submission where ${windowSql.has("final_tx")}`,
		nameOf: uuidOf,
	};
}

function uuidOf(key: Buffer): string {
	return key.toString("hex", 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

function hashOf(members: string): string {
	return `sha256(convert_to(json_build_array(${members})::text, 'UTF8')) as hash`;
}

function hex(bytes: string): string {
	return `encode(${bytes}, 'hex')`;
}

function seconds(time: string): string {
	return `extract(epoch from ${time})`;
}
