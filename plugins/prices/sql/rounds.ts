// Stores rounds of feeds, which of them were not read yet, and decimals of contracts.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { feedKey } from "#plugins/prices/feed.ts";
import { ROUNDS_PER_PRUNE_MAX } from "#plugins/prices/limits.ts";
import type { Round } from "#plugins/prices/round.ts";

/** An aggregator, by chain and address. */
export type FeedRef = { feedChainId: number; address: Address };

/** `feed`: of an aggregator's answers; `token`: of the priced currency. */
export type DecimalsOf = "feed" | "token";

export type Decimals = { chainId: number; address: Address; decimals: number };

export type ChangedRound = FeedRef & { round: Round; change: number };

/** Rounds that were not read yet, both ends excluded; `below` 0 is the beginning. */
export type Gap = FeedRef & { below: bigint; above: bigint; roundsAsked: number };

export type GapEnd = "more" | "done" | "given_up";

/** Reads and stores the decimals of contracts, which never change: each contract is asked once. */
export const decimals = {
	async read(db: Queryable, of: DecimalsOf): Promise<Decimals[]> {
		return db.query<Decimals>(
			`select chain_id as "chainId", '0x' || encode(address, 'hex') as address, decimals
			from prices.${of} where decimals is not null`,
		);
	},
	async save(db: Queryable, of: DecimalsOf, known: Decimals): Promise<void> {
		await db.execute(
			`insert into prices.${of} (chain_id, address, decimals) values ($1, $2, $3)
			on conflict (chain_id, address) do update set decimals = excluded.decimals`,
			[known.chainId, bytesOf(known.address), known.decimals],
		);
	},
};

/** "pr" in ASCII, in the high bytes of the key. */
const PRICES_LOCK_KEY = 0x7072n << 46n;

/**
 * Lets one writer of rounds in at a time, until its transaction ends: so `change` grows in the
 * order of commits, and a reader that continues from one misses none.
 */
export async function lockWriters(tx: Tx): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [PRICES_LOCK_KEY]);
}

/**
 * Deletes rounds that are older than this, except each feed's newest: the next one is read from
 * there. Gaps after deleted rounds go too, and so no price reaches over one. Returns how many
 * rounds were deleted.
 */
export async function pruneRounds(db: Queryable, keptMs: number): Promise<number> {
	const pruned = await db.execute(
		`delete from prices.round where (chain_id, feed, round_id) in (
			select old.chain_id, old.feed, old.round_id from prices.round as old
			where old.updated_at < now() - $1 * interval '1 millisecond' and exists (
				select from prices.round as newer
				where newer.chain_id = old.chain_id and newer.feed = old.feed
					and newer.round_id > old.round_id
			)
			limit $2
		)`,
		[keptMs, ROUNDS_PER_PRUNE_MAX],
	);
	await db.execute(
		`delete from prices.gap as gone where not is_open and below > 0 and not exists (
			select from prices.round as kept
			where kept.chain_id = gone.chain_id and kept.feed = gone.feed
				and kept.round_id <= gone.below
		)`,
	);
	return pruned;
}

/**
 * Returns the rounds after which others are missing, by feed; also where those never will be read.
 */
export async function readBarriers(db: Queryable): Promise<Map<string, Set<bigint>>> {
	const rows = await db.query<{ feedChainId: number; address: Address; below: string }>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, below
		from prices.gap where below > 0 limit 100000`,
	);
	const barriers = new Map<string, Set<bigint>>();
	for (const row of rows) {
		const key = feedKey(row);
		const known = barriers.get(key) ?? new Set();
		barriers.set(key, known.add(BigInt(row.below)));
	}
	return barriers;
}

/** Returns the stored round with the greatest id, at or below one, by primary key. */
export async function readNewestRound(
	db: Queryable,
	feed: FeedRef,
	upTo: bigint | null = null,
): Promise<Round | null> {
	const rows = await db.query<{ id: string; answer: string; updatedAt: Date }>(
		`select round_id as id, answer, updated_at as "updatedAt" from prices.round
		where chain_id = $1 and feed = $2 and ($3::numeric is null or round_id <= $3)
		order by round_id desc limit 1`,
		[feed.feedChainId, bytesOf(feed.address), upTo],
	);
	const [row] = rows;
	if (!row) return null;
	return {
		id: BigInt(row.id),
		answer: BigInt(row.answer),
		updatedAtMs: row.updatedAt.getTime(),
	};
}

/** Returns rounds written after one change, in the order of writing, by its index. */
export async function readRoundsAfter(
	db: Queryable,
	after: { change: number; since: Date; limit: number },
): Promise<ChangedRound[]> {
	const rows = await db.query<{
		feedChainId: number;
		address: Address;
		id: string;
		answer: string;
		updatedAt: Date;
		change: number;
	}>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, round_id as id,
			answer, updated_at as "updatedAt", change
		from prices.round where change > $1 and updated_at >= $2 order by change limit $3`,
		[after.change, after.since, after.limit],
	);
	return rows.map(({ feedChainId, address, change, id, answer, updatedAt }) => ({
		feedChainId,
		address,
		change,
		round: { id: BigInt(id), answer: BigInt(answer), updatedAtMs: updatedAt.getTime() },
	}));
}

/** Stores rounds under the writers' lock; a round that a fork changed is overwritten. */
export async function saveRounds(tx: Tx, feed: FeedRef, rounds: readonly Round[]): Promise<number> {
	if (rounds.length === 0) return 0;
	return tx.execute(
		`insert into prices.round as kept (chain_id, feed, round_id, answer, updated_at)
		select $1, $2, * from unnest($3::numeric[], $4::numeric[], $5::timestamptz[])
		on conflict (chain_id, feed, round_id) do update set
			answer = excluded.answer, updated_at = excluded.updated_at, change = excluded.change
		where (kept.answer, kept.updated_at) <> (excluded.answer, excluded.updated_at)`,
		[
			feed.feedChainId,
			bytesOf(feed.address),
			rounds.map(({ id }) => id),
			rounds.map(({ answer }) => answer),
			rounds.map(({ updatedAtMs }) => new Date(updatedAtMs)),
		],
	);
}

/** Stores rounds that are to be read. */
export async function openGap(tx: Tx, gap: Omit<Gap, "roundsAsked">): Promise<void> {
	await tx.execute(
		`insert into prices.gap (chain_id, feed, below, above) values ($1, $2, $3, $4)
		on conflict (chain_id, feed, below) do nothing`,
		[gap.feedChainId, bytesOf(gap.address), gap.below, gap.above],
	);
}

/** Returns the gaps to be read, those between known rounds before history. They are few. */
export async function readOpenGaps(db: Queryable): Promise<Gap[]> {
	const rows = await db.query<{
		feedChainId: number;
		address: Address;
		below: string;
		above: string;
		roundsAsked: number;
	}>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, below, above,
			rounds_asked as "roundsAsked"
		from prices.gap where is_open order by below = 0, rounds_asked, above desc limit 1000`,
	);
	return rows.map((row) => ({ ...row, below: BigInt(row.below), above: BigInt(row.above) }));
}

/**
 * Records how far a gap was read. A finished one is deleted; a given-up one stays, because how long
 * the round below it was valid is not known. Of history's beginning only the fact that it was read
 * is kept. Returns false where another process has read on meanwhile.
 */
export async function shrinkGap(
	tx: Tx,
	gap: Gap,
	{ above, asked, end }: { above: bigint; asked: number; end: GapEnd },
): Promise<boolean> {
	const place = [gap.feedChainId, bytesOf(gap.address), gap.below, gap.above];
	const here = "chain_id = $1 and feed = $2 and below = $3 and above = $4 and is_open";
	if (end === "done" && gap.below > 0n) {
		return (await tx.execute(`delete from prices.gap where ${here}`, place)) === 1;
	}
	const changed = await tx.execute(
		`update prices.gap set above = $5, rounds_asked = rounds_asked + $6, is_open = $7
		where ${here}`,
		[...place, above, asked, end === "more"],
	);
	return changed === 1;
}
