// Compares plans with what wallets sent on no record here, and notes when records may be missing.

import { keccak256 } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Job } from "#core/schedule.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { Plan } from "#plugins/wallets/model.ts";

/** A mined transaction of a wallet that our records do not explain. */
export type Stray = {
	hash: Hex;
	nonce: number;
	/** Names the recipient; null where the transaction made a contract. */
	to: Address | null;
	valueRaw: bigint;
	/** The first four bytes of its calldata, or all where there are fewer. */
	selector: Hex;
	dataHash: Hex;
	/** True if the owner answered that the transaction is none of ours. */
	isAnswered: boolean;
};

/** Holds the part of an account's past that our records do not know. */
export type Past = {
	/** Counts the account's transactions that were read or believed. */
	explained: number;
	/**
	 * The time since which it sent transactions that this database has no record of and that were not
	 * read yet.
	 */
	unreadSince: Date | null;
	strays: readonly Stray[];
};

/**
 * Says how payments of a kind can be told apart. `exact`: the same payment has the same recipient,
 * value and calldata. `alike`: quotes and deadlines differ each time, so any call of the same
 * function of the same contract may be it. `harmless`: paying twice does no harm.
 */
export type Repeats = "exact" | "alike" | "harmless";

type LikeAsked = {
	plan: Pick<Plan, "to" | "valueRaw" | "data">;
	/** Names the transaction that its owner was asked about already. */
	looksPaid?: Hex | null | undefined;
};

/** Holds the values that `pastSql.columns` select. */
export type PastRow = {
	explained: number | null;
	unread_since: Date | null;
	strays: StrayTuple[] | null;
};

type StrayTuple = [
	hash: string,
	to: string | null,
	value: string,
	selector: string,
	dataHash: string,
	isAnswered: boolean,
	nonce: number,
];

/**
 * Replaces the hash in `looks_paid` where a wallet's past could not be read and its owner decides.
 */
export const UNREADABLE: Hex = `0x${"0".repeat(64)}`;

/** Limits, in days, how long strays are asked about, and times without records are kept. */
const PAST_DAYS = 7;
/** Says after how long an absence a database counts as restored. */
const AWAY_MS = 10 * MINUTE_MS;
/** Said by an operator: a dump may be older than its last sign of life. */
const SAID_EARLIER_MS = HOUR_MS;

/** Matches error codes of servers that lack the function, or do not let every user call it. */
const UNTOLD = /^(?:0A|42|55|XX)/;
const FAILOVER_EVERY_MS = 2_000;
const FAILOVER_TIMEOUT_MS = 10_000;

/** Builds the SQL that reads an account's past beside its nonce queue. */
export const pastSql = {
	/** All are small tables, by the account's key. The places are of chain and sender. */
	columns({ chain, sender }: { chain: string; sender: string }): string {
		const account = `chain_id = ${chain} and sender = ${sender}`;
		return `(select count from wallets.account_read where ${account}) as explained, (
				select min(since) from wallets.blackout
				where found_at > now() - interval '${PAST_DAYS} days' and since < found_at
					and found_at > coalesce((
					select at from wallets.account_read where ${account}
				), '-infinity')
			) as unread_since, (
				select json_agg(json_build_array('0x' || encode(hash, 'hex'),
					'0x' || encode(recipient, 'hex'), value_raw::text, '0x' || encode(selector, 'hex'),
					'0x' || encode(data_hash, 'hex'), is_answered, nonce) order by nonce)
				from wallets.stray where ${account} and at > now() - interval '${PAST_DAYS} days'
			) as strays`;
	},

	/** Says whether an account was not read since a restored database began, by chain and sender. */
	isRestored({ chain, sender }: { chain: string; sender: string }): string {
		return `exists (
			select from wallets.blackout
			where is_restored and found_at > now() - interval '${PAST_DAYS} days'
				and found_at > coalesce((
					select at from wallets.account_read where chain_id = ${chain} and sender = ${sender}
				), '-infinity')
		)`;
	},

	read(row: PastRow | undefined): Past {
		const strays = (row?.strays ?? []).map(
			([hash, to, value, selector, dataHash, isAnswered, nonce]): Stray => {
				const [valueRaw, hexes] = [BigInt(value), { hash, to, selector, dataHash }];
				return { ...(hexes as Pick<Stray, keyof typeof hexes>), valueRaw, isAnswered, nonce };
			},
		);
		return {
			explained: row?.explained ?? 0,
			unreadSince: row?.unread_since ?? null,
			strays,
		};
	},
};

/**
 * Notes that a process begins: what was sent since the database's last sign of life is on no record
 * of it where a backup was put back. Whoever spends from a wallet reads first what that has sent
 * since. Returns since when, where the database was away for long or an operator says so.
 */
export async function noteBlackout(
	db: Queryable,
	{ isSaid }: { isSaid: boolean },
): Promise<Date | null> {
	// The newest is a sign of life.
	await db.execute(
		`delete from wallets.blackout where found_at < now() - interval '${PAST_DAYS} days'
			and id < (select max(id) from wallets.blackout)`,
		[],
	);
	await db.execute(`delete from wallets.stray where at < now() - interval '${PAST_DAYS} days'`, []);
	const [row] = await db.query<{ since: Date; isRestored: boolean }>(
		`insert into wallets.blackout (since, is_restored, timeline)
		select case when $1 then least(since, now()) - $3::int8 * interval '1 ms'
				else least(since, now()) end,
			$1 or since < now() - $2::int8 * interval '1 ms', $4
		from (select coalesce(
			greatest(
				(select max(tick_at) from core.schedule_tick
					where name in ('wallets.reconcile', 'wallets.take-up')),
				(select max(found_at) from wallets.blackout)
			),
			(select max(changed_at) from wallets.intent),
			now()
		) as since) as last
		returning since, is_restored as "isRestored"`,
		[isSaid, AWAY_MS, SAID_EARLIER_MS, await readTimeline(db)],
	);
	return row?.isRestored === true ? row.since : null;
}

/**
 * Notes that another server took over from the one that this database was on when a process began:
 * a replica without the last writes. Returns whether it did since the last time. What was sent in
 * the hour before is read then, as after a restore.
 */
export async function noteFailover(db: Queryable): Promise<boolean> {
	const noted = await db.execute(
		`insert into wallets.blackout (since, is_restored, timeline)
		select now() - $1::int8 * interval '1 ms', true, $2
		where $2 <> (
			select timeline from wallets.blackout where timeline is not null order by id desc limit 1
		)`,
		[SAID_EARLIER_MS, await readTimeline(db)],
	);
	return noted > 0;
}

/**
 * Reads the server's timeline, as in the names of its log files: it changes when a replica takes
 * over. Null where the server does not show it: then only a restore is noticed.
 */
async function readTimeline(db: Queryable): Promise<string | null> {
	try {
		const [row] = await db.query<{ timeline: string }>(
			"select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline",
			[],
		);
		return row?.timeline ?? null;
	} catch (error) {
		const isUntold = error instanceof Error && "code" in error && UNTOLD.test(`${error.code}`);
		if (isUntold) return null;
		throw error;
	}
}

/** Follows whether another database server took over. */
export function failoverJob({ db, log }: { db: Database; log: Log }): Job {
	return {
		name: "wallets.failover",
		schedule: { everyMs: FAILOVER_EVERY_MS },
		lock: "cluster",
		timeoutMs: FAILOVER_TIMEOUT_MS,
		async run() {
			if (!(await noteFailover(db))) return;
			log.warn("another database server took over: wallets are read before they spend");
		},
	};
}

/** Reads when a process last began on a restored database, if that was in the last day. */
export async function readRestored(db: Queryable): Promise<Date | null> {
	const [row] = await db.query<{ foundAt: Date | null }>(
		`select max(found_at) as "foundAt" from wallets.blackout
		where is_restored and found_at > now() - interval '1 day'`,
		[],
	);
	return row?.foundAt ?? null;
}

/** Says whether an account sent, or may have sent, what was neither recorded nor read. */
export function isUnread(
	{
		ownCount,
		explained,
		unreadSince,
	}: Pick<Past, "explained" | "unreadSince"> & {
		ownCount: number | null;
	},
	mined: number,
): boolean {
	return unreadSince !== null || (ownCount !== null && mined > Math.max(ownCount, explained));
}

/**
 * Finds the newest transaction that may have been this payment already. Older ones than the one
 * that the owner was asked about are covered by the owner's answer.
 */
export function findLike(
	{ plan, looksPaid = null }: LikeAsked,
	strays: readonly Stray[],
	repeats: Repeats,
): Stray | null {
	if (repeats === "harmless" || strays.length === 0 || looksPaid === UNREADABLE) return null;
	const askedAt = strays.find(({ hash }) => hash === looksPaid)?.nonce ?? -1;
	const open = strays.filter(({ nonce }) => nonce > askedAt);
	const dataHash = keccak256(plan.data);
	const same = open.findLast((one) => {
		return one.to === plan.to && one.valueRaw === plan.valueRaw && one.dataHash === dataHash;
	});
	if (same || repeats === "exact") return same ?? null;
	const selector = selectorOf(plan.data);
	const isCall = selector !== "0x";
	const alike = open.findLast((one) => {
		return isCall && !one.isAnswered && one.to === plan.to && one.selector === selector;
	});
	return alike ?? null;
}

/** Returns the first four bytes of calldata, or all where there are fewer. */
export function selectorOf(data: Hex): Hex {
	return `0x${data.slice(2, 10)}`;
}
