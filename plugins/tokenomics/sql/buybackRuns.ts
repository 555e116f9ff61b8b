// Reads and writes runs of buybacks, and the newest turn of their job.

import { z } from "zod";
import { type Address, bytesOf, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

/** Holds the result of the newest turn of the job. */
export type BuybackLook = {
	slot: number;
	at: Date;
	/** The reason why it spent nothing; null: it began a run. */
	code: string | null;
	detail: string | null;
	/** Revenue that was left where it is, by currency, and why. */
	left: readonly LeftShown[];
};

/** A run that spends, or tried to: at most one in a slot, and at most one open on a chain. */
export type BuybackRun = {
	slot: number;
	router: Address;
	currency: Address;
	symbol: string;
	decimals: number;
	spendRaw: bigint;
	/** The worth of the spend when the run began. */
	usdMicros: bigint;
	intentId: string;
	startedAt: Date;
	settledAt: Date | null;
};

type LookRow = {
	slot: number;
	at: Date;
	code: string | null;
	detail: string | null;
	left_over: unknown;
};

type RunRow = {
	slot: number;
	router: Uint8Array;
	currency: Uint8Array;
	symbol: string;
	decimals: number;
	spend_raw: string;
	usd_micros: string;
	intent_id: string;
	started_at: Date;
	settled_at: Date | null;
};

const left = z.array(
	z.object({
		currency: z.string(),
		symbol: z.string(),
		raw: z.string(),
		code: z.string(),
		detail: z.string(),
	}),
);

/** Revenue that was left where it is, as it is stored and shown. */
type LeftShown = z.output<typeof left>[number];

/** The newest turn of each chain. */
export const buybackLooks = {
	/** Stores a turn, unless one of a later slot is there: a turn may end late. */
	async write(db: Queryable, look: BuybackLook & { chainId: number }): Promise<void> {
		await db.execute(
			`insert into tokenomics.buyback_look as last (chain_id, slot, at, code, detail, left_over)
			values ($1, $2, $3, $4, $5, $6)
			on conflict (chain_id) do update set slot = excluded.slot, at = excluded.at,
				code = excluded.code, detail = excluded.detail, left_over = excluded.left_over
			where last.slot <= excluded.slot`,
			[look.chainId, look.slot, look.at, look.code, look.detail, JSON.stringify(look.left)],
		);
	},

	async read(db: Queryable, chainId: number): Promise<BuybackLook | null> {
		const [row] = await db.query<LookRow>(
			"select slot, at, code, detail, left_over from tokenomics.buyback_look where chain_id = $1",
			[chainId],
		);
		if (!row) return null;
		const { slot, at, code, detail } = row;
		return { slot, at, code, detail, left: left.safeParse(row.left_over).data ?? [] };
	},
};

const COLUMNS = `slot, router, currency, symbol, decimals, spend_raw::text, usd_micros::text,
	intent_id, started_at, settled_at`;

export const buybackRuns = {
	/**
	 * Takes a slot for a run; false where the slot had one, or another run is open: the index
	 * `buyback_run_open` allows only one. False too where the newest run is another one than `after`:
	 * then the sums for this run are out of date. Its intent is named in the same transaction.
	 */
	async take(
		tx: Tx,
		run: Omit<BuybackRun, "intentId" | "settledAt"> & { chainId: number; after: number | null },
	): Promise<boolean> {
		const { chainId, slot, router, currency, symbol, decimals, startedAt } = run;
		const taken = await tx.execute(
			`insert into tokenomics.buyback_run
				(chain_id, slot, router, currency, symbol, decimals, spend_raw, usd_micros, started_at)
			select $1, $2::int8, $3, $4, $5, $6, $7, $8, $9
			where (select max(slot) from tokenomics.buyback_run where chain_id = $1)
				is not distinct from $10::int8
			on conflict do nothing`,
			[
				...[chainId, slot, bytesOf(router), bytesOf(currency), symbol, decimals],
				...[run.spendRaw, run.usdMicros, startedAt, run.after],
			],
		);
		return taken === 1;
	},

	async nameIntent(
		tx: Tx,
		run: { chainId: number; slot: number; intentId: string },
	): Promise<void> {
		await tx.execute(
			"update tokenomics.buyback_run set intent_id = $3 where chain_id = $1 and slot = $2",
			[run.chainId, run.slot, run.intentId],
		);
	},

	/** Says that nothing more is sent for runs, so that the next one may begin. */
	async settle(
		tx: Tx,
		{ chainId, slots, at }: { chainId: number; slots: readonly number[]; at: Date },
	): Promise<void> {
		await tx.execute(
			`update tokenomics.buyback_run set settled_at = $3
			where chain_id = $1 and slot = any($2::int8[]) and settled_at is null`,
			[chainId, slots, at],
		);
	},

	/**
	 * Reads the runs that are not in the sums yet, newest first: at least a day of them. Along the
	 * index `buyback_run_unfolded`.
	 */
	async unfolded(db: Queryable, chainId: number): Promise<BuybackRun[]> {
		const rows = await db.query<RunRow>(
			`select ${COLUMNS} from tokenomics.buyback_run
			where chain_id = $1 and not is_folded order by slot desc`,
			[chainId],
		);
		return rows.map(runOf);
	},

	/** Reads the newest runs, for the public list. */
	async newest(
		db: Queryable,
		{ chainId, limit }: { chainId: number; limit: number },
	): Promise<BuybackRun[]> {
		const rows = await db.query<RunRow>(
			`select ${COLUMNS} from tokenomics.buyback_run where chain_id = $1
			order by slot desc limit $2`,
			[chainId, limit],
		);
		return rows.map(runOf);
	},

	/** Adds what a run spent to its currency's sum, once: nothing changes it any more. */
	async fold(
		tx: Tx,
		{ chainId, run, spentRaw }: { chainId: number; run: BuybackRun; spentRaw: bigint },
	): Promise<void> {
		const folded = await tx.execute(
			`update tokenomics.buyback_run set is_folded = true
			where chain_id = $1 and slot = $2 and not is_folded`,
			[chainId, run.slot],
		);
		if (folded === 0 || spentRaw === 0n) return;
		await tx.execute(
			`insert into tokenomics.buyback_spent as sum (chain_id, router, currency, spent_raw)
			values ($1, $2, $3, $4)
			on conflict (chain_id, router, currency)
				do update set spent_raw = sum.spent_raw + excluded.spent_raw`,
			[chainId, bytesOf(run.router), bytesOf(run.currency), spentRaw],
		);
	},

	/** Reads what runs that are folded spent of a router's revenue, by currency. */
	async sums(
		db: Queryable,
		{ chainId, router }: { chainId: number; router: Address },
	): Promise<Map<Address, bigint>> {
		const rows = await db.query<{ currency: Uint8Array; spent_raw: string }>(
			`select currency, spent_raw::text from tokenomics.buyback_spent
			where chain_id = $1 and router = $2`,
			[chainId, bytesOf(router)],
		);
		return new Map(rows.map((row) => [hexOf(row.currency), BigInt(row.spent_raw)]));
	},

	/** Deletes runs that are folded and began longer ago. */
	async prune(db: Queryable, keptMs: number): Promise<void> {
		await db.execute(
			`delete from tokenomics.buyback_run
			where is_folded and started_at < now() - $1 * interval '1 millisecond'`,
			[keptMs],
		);
	},
};

function runOf(row: RunRow): BuybackRun {
	return {
		slot: row.slot,
		router: hexOf(row.router),
		currency: hexOf(row.currency),
		symbol: row.symbol,
		decimals: row.decimals,
		spendRaw: BigInt(row.spend_raw),
		usdMicros: BigInt(row.usd_micros),
		intentId: row.intent_id,
		startedAt: row.started_at,
		settledAt: row.settled_at,
	};
}
