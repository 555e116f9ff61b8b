// Reads and writes detected reveals, and what the last checks of collections showed.

import type { Queryable, Tx } from "#core/db/Database.ts";
import type { RevealReading, ShownToken } from "#plugins/market-index/contract.ts";
import {
	type Evidence,
	nextSteps,
	type Outcome,
	type Step,
	type TriggerSignal,
} from "#plugins/reveal-snipe/detection.ts";
import type { Print } from "#plugins/reveal-snipe/prints.ts";

/** A detected reveal. */
export type NewDetection = {
	collectionId: number;
	chainId: number;
	signal: TriggerSignal;
	evidence: Evidence;
	blockNumber: number | null;
	blockAt: Date | null;
	heardAt: Date;
	detectedAt: Date;
	delayMs: number | null;
	/** The digest of what the sample tokens show, in hex. */
	contentDigest: string;
	/** What sampled tokens showed before; empty where they differed then in all that they show. */
	baseline: readonly Print[];
	hiddenTraits: ShownToken["traits"];
};

export type Detection = NewDetection & {
	id: number;
	step: Step;
	beganAt: Date | null;
	endedAt: Date | null;
	outcome: Outcome | null;
	runs: number;
	tokens: number;
	read: number;
	failed: number;
	swapped: number;
};

/** A collection that is watched, or that was revealed recently. */
export type ListedReveal = {
	listedId: number;
	phase: RevealPhase;
	/** Null where there is none yet. */
	detection: Detection | null;
};

type RevealsQuery = {
	chainIds: readonly number[];
	phase: RevealPhase | null;
	/** Reveals that ended later count as recent. */
	since: Date;
	/** The key of a page's last row. */
	after: { detectionId: number; collectionId: number } | null;
	limit: number;
};

/** Holds what checks of a collection showed. */
export type Seen = {
	tokenIds: readonly bigint[];
	/** Holds what its tokens showed when it was first watched, or hidden again. */
	baseline: readonly Print[];
	/** The tokens' traits when the newest reveal was noticed; null before one. */
	shown: readonly Print[] | null;
	/** The tokens' traits in the last check. */
	latest: readonly Print[];
	reading: RevealReading | null;
	hiddenTraits: ShownToken["traits"];
};

/** Columns of a detection, named like its members. */
const DETECTION_COLUMNS = `d.id, d.collection_id as "collectionId", d.chain_id as "chainId",
	d.signal, d.evidence, d.block_number as "blockNumber", d.block_at as "blockAt",
	d.heard_at as "heardAt", d.detected_at as "detectedAt", d.delay_ms as "delayMs",
	encode(d.content_digest, 'hex') as "contentDigest", d.baseline,
	d.hidden_traits as "hiddenTraits", d.step,
	d.began_at as "beganAt", d.ended_at as "endedAt", d.outcome, d.runs, d.tokens, d.read, d.failed,
	d.swapped`;

export const REVEAL_PHASES = ["armed", "burst", "revealed"] as const;
type RevealPhase = (typeof REVEAL_PHASES)[number];

/** Stores a detection and returns its id; null where the collection has one that has not ended. */
export async function insertDetection(tx: Tx, found: NewDetection): Promise<number | null> {
	const [row] = await tx.query<{ id: number }>(
		`insert into reveal_snipe.detection (collection_id, chain_id, signal, evidence, block_number,
			block_at, heard_at, detected_at, delay_ms, content_digest, hidden_traits, baseline)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'), $11::jsonb, $12::jsonb)
		on conflict (collection_id) where ended_at is null do nothing returning id`,
		[
			found.collectionId,
			found.chainId,
			found.signal,
			found.evidence,
			found.blockNumber,
			found.blockAt,
			found.heardAt,
			found.detectedAt,
			found.delayMs,
			found.contentDigest,
			found.hiddenTraits === null ? null : JSON.stringify(found.hiddenTraits),
			JSON.stringify(found.baseline),
		],
	);
	return row?.id ?? null;
}

/** Returns detections of a chain that have not ended, oldest first. By `detection_open`. */
export async function readOpenDetections(db: Queryable, chainId: number): Promise<Detection[]> {
	return db.query<Detection>(
		`select ${DETECTION_COLUMNS} from reveal_snipe.detection as d
		where d.chain_id = $1 and d.ended_at is null order by d.id`,
		[chainId],
	);
}

/** Returns the newest detection of each collection. By `detection_of`. */
export async function readLastDetections(
	db: Queryable,
	ids: readonly number[],
): Promise<Map<number, Detection>> {
	const rows = await db.query<Detection>(
		`select last.* from unnest($1::int4[]) as given (id) cross join lateral (
			select ${DETECTION_COLUMNS} from reveal_snipe.detection as d
			where d.collection_id = given.id order by d.id desc limit 1
		) as last`,
		[ids],
	);
	return new Map(rows.map((row) => [row.collectionId, row]));
}

/**
 * Moves a detection to its next step. Returns false where another process has moved it, or where
 * the step is not allowed.
 */
export async function moveDetection(
	tx: Tx,
	{ id, from, to }: { id: number; from: Step; to: Step },
	{ at, outcome = null }: { at: Date; outcome?: Outcome | null },
): Promise<boolean> {
	if (!nextSteps[from].includes(to)) return false;
	const moved = await tx.execute(
		`update reveal_snipe.detection set step = $3,
			began_at = coalesce(began_at, case when $3 = 'reading' then $4::timestamptz end),
			ended_at = case when $3 = 'ended' then $4::timestamptz end, outcome = $5
		where id = $1 and step = $2`,
		[id, from, to, at, outcome],
	);
	return moved > 0;
}

/** Ends a collection's open detection, in any step: its reveal was withdrawn. */
export async function withdrawDetection(tx: Tx, collectionId: number, at: Date): Promise<void> {
	await tx.execute(
		`update reveal_snipe.detection set step = 'ended', ended_at = $2, outcome = 'withdrawn'
		where collection_id = $1 and ended_at is null`,
		[collectionId, at],
	);
}

/** Counts one more run of the burst. */
export async function noteRun(db: Queryable, id: number): Promise<void> {
	await db.execute("update reveal_snipe.detection set runs = runs + 1 where id = $1", [id]);
}

/** Stores the progress of reading; returns false where the detection has ended meanwhile. */
export async function noteProgress(
	db: Queryable,
	id: number,
	part: { tokens: number; read: number; failed: number; swapped: number },
): Promise<boolean> {
	const noted = await db.execute(
		`update reveal_snipe.detection set tokens = $2, read = $3, failed = $4, swapped = swapped + $5
		where id = $1 and ended_at is null`,
		[id, part.tokens, part.read, part.failed, part.swapped],
	);
	return noted > 0;
}

/** Deletes detections that ended longer ago, except each collection's last one. */
export async function pruneDetections(db: Queryable, keptMs: number): Promise<void> {
	await db.execute(
		`delete from reveal_snipe.detection as d
		where ended_at < now() - $1 * interval '1 millisecond' and exists (
			select from reveal_snipe.detection where collection_id = d.collection_id and id > d.id
		)`,
		[keptMs],
	);
	await db.execute(
		`delete from reveal_snipe.detection as d
		where ended_at < now() - $1 * interval '1 millisecond' and not exists (
			select from reveal_snipe.watch where collection_id = d.collection_id
		)`,
		[keptMs],
	);
}

/**
 * Lists collections that are armed, in a burst, or recently revealed: the newest detection first,
 * then those without one. Watched collections and recent detections are few, so both are read
 * fully.
 */
export async function listReveals(db: Queryable, query: RevealsQuery): Promise<ListedReveal[]> {
	const { chainIds, phase, since, after, limit } = query;
	const rows = await db.query<
		Partial<Detection> & { listedId: number; phase: RevealPhase; detectionId: number }
	>(
		`with watched as (
			select distinct collection_id, chain_id from reveal_snipe.watch
			where chain_id = any($1::int8[])
		), recent as (
			select distinct collection_id from reveal_snipe.detection
			where chain_id = any($1::int8[])
				and (ended_at is null or (ended_at > $2 and outcome = 'revealed'))
		), listed as (
			select collection_id from watched union select collection_id from recent
		), placed as (
			select l.collection_id as listed_id, coalesce(last.id, 0) as detection_id,
				case when last.id is not null and last.ended_at is null then 'burst'
					when last.outcome = 'revealed' and last.ended_at > $2 then 'revealed'
					else 'armed' end as phase
			from listed as l left join lateral (
				select id, ended_at, outcome from reveal_snipe.detection
				where collection_id = l.collection_id order by id desc limit 1
			) as last on true
		)
		select p.listed_id as "listedId", p.detection_id as "detectionId", p.phase,
			${DETECTION_COLUMNS}
		from placed as p left join reveal_snipe.detection as d on d.id = p.detection_id
		where ($3::text is null or p.phase = $3)
			and ($4::int8 is null or (-p.detection_id, p.listed_id) > (-$4::int8, $5::int4))
		order by p.detection_id desc, p.listed_id limit $6`,
		[chainIds, since, phase, after?.detectionId ?? null, after?.collectionId ?? null, limit],
	);
	return rows.map(({ listedId, phase: shown, detectionId, ...detection }) => {
		const has = detectionId > 0;
		return { listedId, phase: shown, detection: has ? (detection as Detection) : null };
	});
}

/** Returns the results of the last checks, by collection id; by primary key. */
export async function readSeen(
	db: Queryable,
	ids: readonly number[],
): Promise<ReadonlyMap<number, Seen>> {
	const rows = await db.query<Omit<Seen, "tokenIds"> & { id: number; tokenIds: string[] }>(
		`select collection_id as id, token_ids::text[] as "tokenIds", baseline, shown, latest, reading,
			hidden_traits as "hiddenTraits"
		from reveal_snipe.seen where collection_id = any($1::int4[])`,
		[ids],
	);
	return new Map(
		rows.map(({ id, tokenIds, ...seen }) => [id, { ...seen, tokenIds: tokenIds.map(BigInt) }]),
	);
}

/** Stores the result of a check in place of the one before. */
export async function writeSeen(db: Queryable, collectionId: number, seen: Seen): Promise<void> {
	await db.execute(
		`insert into reveal_snipe.seen
			(collection_id, token_ids, baseline, shown, latest, reading, hidden_traits)
		values ($1, $2::numeric[], $3::jsonb, $4::jsonb, $5::jsonb, $6, $7::jsonb)
		on conflict (collection_id) do update set token_ids = excluded.token_ids,
			baseline = excluded.baseline, shown = excluded.shown, latest = excluded.latest,
			reading = excluded.reading, hidden_traits = excluded.hidden_traits`,
		[
			collectionId,
			seen.tokenIds,
			JSON.stringify(seen.baseline),
			seen.shown === null ? null : JSON.stringify(seen.shown),
			JSON.stringify(seen.latest),
			seen.reading,
			seen.hiddenTraits === null ? null : JSON.stringify(seen.hiddenTraits),
		],
	);
}

/** Deletes the results of collections that are no longer watched. */
export async function pruneSeen(db: Queryable): Promise<void> {
	await db.execute(
		`delete from reveal_snipe.seen as s where not exists (
			select from reveal_snipe.watch where collection_id = s.collection_id
		)`,
	);
}
