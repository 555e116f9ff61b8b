// Fills an empty ledger of the token's economics.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { rewindContract } from "#plugins/tokenomics/ledger/followContracts.ts";
import { followed } from "#plugins/tokenomics/sql/followed.ts";

/** The contracts that a filled ledger is of. */
export const FILLED: Record<"token" | "router" | "burner", Address> = {
	token: `0x${"70".repeat(20)}`,
	router: `0x${"71".repeat(20)}`,
	burner: `0x${"72".repeat(20)}`,
};
export const FILLED_CHAIN_ID = 4_663;

export type LedgerFill = {
	/** Entries of the treasury ledger, of all types as they come in life. */
	events: number;
	/** The newest entry is of then. */
	nowMs: number;
};

const HASH: Hex = `0x${"5a".repeat(32)}`;
/** One holder for so many events. */
const EVENTS_A_HOLDER = 4;
const SEASONS = 24;

/**
 * Fills a migrated, empty ledger: entries with their sums, holders, transfers since an hour,
 * standings and buyback runs. Of a hundred events one is a burn, nine pay a share and ninety are
 * revenue, of 200 sources in 2,000 currencies. Sums are added up by the ledger's own statements.
 */
export async function fillLedger(db: Database, { events, nowMs }: LedgerFill): Promise<void> {
	const { token, router, burner } = FILLED;
	const [at, chainId] = [new Date(nowMs), FILLED_CHAIN_ID];
	await fillEntries(db, { events, at });
	await fillHolders(db, Math.ceil(events / EVENTS_A_HOLDER));
	await fillSeasons(db, at);
	await fillRuns(db, at);
	await db.transaction(async (tx) => {
		for (const [role, address] of [
			["token", token],
			["router", router],
			["burner", burner],
		] as const) {
			const key = { chainId, role, address };
			await followed.begin(tx, key, 0);
			await addUp(tx, { role, address, events });
			await followed.moveTo(tx, key, { block: events, hash: HASH, at });
			await followed.agree(tx, key, { block: events, hash: HASH, at });
		}
	});
	await db.execute("analyze");
}

/** Takes back what is above the last entry, which is nothing: then sums are added up anew. */
async function addUp(
	tx: Tx,
	{
		role,
		address,
		events,
	}: { role: "token" | "router" | "burner"; address: Address; events: number },
): Promise<void> {
	if (role === "token") return;
	const rows = await followed.all(tx, FILLED_CHAIN_ID);
	const row = rows.find((one) => one.role === role && one.address === address);
	if (!row) throw new Error("it is followed by now");
	const to = { block: events, hash: HASH, at: new Date(0) };
	await rewindContract(tx, row, { to, burners: new Set() });
}

const bytes = (address: Hex) => Buffer.from(address.slice(2), "hex");

async function fillEntries(
	db: Database,
	{ events, at }: { events: number; at: Date },
): Promise<void> {
	await db.execute(
		`insert into tokenomics.entry (chain_id, transaction_hash, log_index, contract, block, at,
			entry_type, source, currency, party, bucket, amount, burned, pool, split_block, split_index)
		select $1, sha256(int8send(n)), 0, case when n % 100 = 0 then $4::bytea else $3::bytea end, n,
			$5::timestamptz - make_interval(secs => 30.0 * ($2::int8 - n)),
			case when n % 100 = 0 then 'buyback_burned' when n % 100 < 10 then 'share_paid'
				else 'revenue_received' end,
			case when n % 100 >= 10 then sha256(int4send((n % 200)::int4)) end,
			case when n % 3 = 0 then substr(sha256(int4send((n % 2000)::int4)), 1, 20)
				else decode(repeat('00', 20), 'hex') end,
			substr(sha256(int4send((n % 5000)::int4)), 1, 20),
			case when n % 100 between 1 and 9 then (n % 4)::int2 end,
			case when n % 100 < 10 then 10 else 10000 + n end,
			case when n % 100 = 0 then n end, case when n % 100 = 0 then $3::bytea end,
			case when n % 100 >= 10 then 0 end, case when n % 100 >= 10 then 0 end
		from generate_series(1, $2::int8) as n`,
		[FILLED_CHAIN_ID, events, bytes(FILLED.router), bytes(FILLED.burner), at],
	);
	await db.execute(
		`insert into tokenomics.entry (chain_id, transaction_hash, log_index, contract, block, at,
			entry_type, source, party, bucket, bps)
		select $1, sha256(int8send(-1)), n, $2, 0, $3::timestamptz - interval '1 year',
			case when n = 0 then 'split_set' else 'payee_set' end,
			case when n = 0 then decode(repeat('00', 32), 'hex') end,
			case when n > 0 then $2::bytea end, case when n > 0 then (n - 1)::int2 end,
			case when n = 0 then '{3500,1500,2000,3000}'::int4[] end
		from generate_series(0, 4) as n`,
		[FILLED_CHAIN_ID, bytes(FILLED.router), at],
	);
}

async function fillHolders(db: Database, holders: number): Promise<void> {
	const of = [FILLED_CHAIN_ID, bytes(FILLED.token), holders];
	await db.execute(
		`insert into tokenomics.holder (chain_id, token, holder, balance)
		select $1, $2, substr(sha256(int8send(n)), 1, 20), n * 1000
		from generate_series(1, $3::int8) as n`,
		of,
	);
	await db.execute(
		`insert into tokenomics.transfer (chain_id, token, block, log_index, from_address, to_address,
			amount)
		select $1, $2, 4 * n, 0, $2, substr(sha256(int8send(n)), 1, 20), 5
		from generate_series(1, $3::int8) as n`,
		of,
	);
	await db.execute(
		`insert into tokenomics.total (chain_id, contract, kind, source, currency, bucket, split_block,
			split_index, entries, amount, burned, first_block, last_block)
		select $1, $2, kind, decode(repeat('00', 32), 'hex'), decode(repeat('00', 20), 'hex'), -1, 0, 0,
			$3, amount, 0, 0, 1
		from (values ('minted', 10::numeric ^ 27), ('burned', 10::numeric ^ 24), ('holders', 0))
			as rows (kind, amount)`,
		of,
	);
}

async function fillSeasons(db: Database, at: Date): Promise<void> {
	await db.execute(
		`insert into tokenomics.season (season, traders, usd_micros, left_out_usd_micros, counted_at)
		select date_trunc('month', $1::timestamptz at time zone 'UTC')::date - n * interval '1 month',
			100, 5000000000, 70000000, $1
		from generate_series(0, $2::int4) as n`,
		[at, SEASONS],
	);
	await db.execute(
		`insert into tokenomics.standing (season, rank, profile_id, wallet, usd_micros, trades)
		select season, n, gen_random_uuid(), substr(sha256(int4send(n)), 1, 20), 1000000 * (200 - n), 3
		from tokenomics.season, generate_series(1, 100) as n`,
	);
}

/** Runs of ninety days, of which the last day's are not in the sums yet. */
async function fillRuns(db: Database, at: Date): Promise<void> {
	await db.execute(
		`insert into tokenomics.buyback_run (chain_id, slot, router, currency, symbol, decimals,
			spend_raw, usd_micros, intent_id, started_at, settled_at, is_folded)
		select $1, extract(epoch from $3::timestamptz)::int8 / 600 - n, $2,
			decode(repeat('00', 20), 'hex'), 'ETH', 18, 1000, 1000000, gen_random_uuid(),
			$3::timestamptz - n * interval '10 minutes', $3, n > 144
		from generate_series(1, 12960) as n`,
		[FILLED_CHAIN_ID, bytes(FILLED.router), at],
	);
	await db.execute(
		`insert into tokenomics.buyback_look (chain_id, slot, at, left_over)
		values ($1, extract(epoch from $2::timestamptz)::int8 / 600 - 1, $2, '[]')`,
		[FILLED_CHAIN_ID, at],
	);
}
