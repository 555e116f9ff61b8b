import type { Tx } from "#core/db/Database.ts";

/** What can follow a reservation. */
export type SpendMove = "spend" | "release" | "unspend" | "unrelease";

const columns = `(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw,
	usd_micros, at)`;

/**
 * The part of a statement that spends what was reserved: all of it, or `spent_raw` of it, and then
 * it gives the rest back. `rows` has the entries of reservations, each with its `spent_raw`.
 * Dollars are rounded against the owner: what is spent is never counted as less.
 */
export function spendOf(rows: string, at: string): string {
	const cost = "least(coalesce(spent_raw, amount_raw), amount_raw)";
	const costUsd = `case when amount_raw = 0 then usd_micros
		else ceil(usd_micros::numeric * ${cost} / amount_raw)::int8 end`;
	return `insert into wallets.spend_entry ${columns}
		select intent_id, profile_id, wallet_id, 'spend', chain_id, currency, ${cost}, ${costUsd}, ${at}
		from ${rows}
		union all
		select intent_id, profile_id, wallet_id, 'release', chain_id, currency,
			amount_raw - ${cost}, usd_micros - ${costUsd}, ${at}
		from ${rows} where ${cost} < amount_raw`;
}

/**
 * Writes what became of an intent's reservation. Only what fits is written: a spend or a release
 * where nothing was spent or given back, its reversal where there is one to take back, of as much
 * as that was. So a move that is told twice is written once. The caller holds the intent's row.
 */
export async function followSpend(
	tx: Tx,
	follow: { intentId: string; move: SpendMove; at: Date; spentRaw?: bigint | null },
): Promise<void> {
	const { intentId, move, at, spentRaw = null } = follow;
	if (move === "spend") {
		const cost = spentRaw === null ? null : String(spentRaw);
		await tx.execute(
			`with stands as (${standsSql}), paid as (
				select e.*, $3::numeric as spent_raw from wallets.spend_entry e, stands
				where e.intent_id = $1 and e.kind = 'reserve' and spent = 0 and released = 0
			) ${spendOf("paid", "$2::timestamptz")}`,
			[intentId, at, cost],
		);
		return;
	}
	if (move === "release") {
		await tx.execute(
			`with stands as (${standsSql})
			insert into wallets.spend_entry ${columns}
			select intent_id, profile_id, wallet_id, 'release', chain_id, currency, amount_raw,
				usd_micros, $2::timestamptz
			from wallets.spend_entry, stands
			where intent_id = $1 and kind = 'reserve' and spent = 0 and released = 0`,
			[intentId, at],
		);
		return;
	}
	// What was spent in part was given back in part: both are taken back together.
	await tx.execute(
		`with stands as (${standsSql})
		insert into wallets.spend_entry ${columns}
		select distinct on (kind) intent_id, profile_id, wallet_id,
			case kind when 'spend' then 'unspend' else 'unrelease' end, chain_id, currency,
			amount_raw, usd_micros, $2::timestamptz
		from wallets.spend_entry, stands
		where intent_id = $1 and (
			(kind = 'spend' and spent > 0) or (kind = 'release' and released > 0)
		) and case when $3 then spent > 0 else spent = 0 and released > 0 end
		order by kind, id desc`,
		[intentId, at, move === "unspend"],
	);
}

/** How often an intent's spend and release stand, each without what was taken back. */
const standsSql = `select
		count(*) filter (where kind = 'spend') - count(*) filter (where kind = 'unspend') as spent,
		count(*) filter (where kind = 'release') - count(*) filter (where kind = 'unrelease')
			as released
	from wallets.spend_entry where intent_id = $1`;
