import type { Queryable, Tx } from "#core/db/Database.ts";
import type { ShownToken } from "#plugins/market-index/contract.ts";
import { nextSteps, type Outcome, type Step } from "#plugins/reveal-snipe/detection/nextSteps.ts";
import type { Evidence, TriggerSignal } from "#plugins/reveal-snipe/detection/signals.ts";

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

/** Columns of a detection, named like its members. */
export const DETECTION_COLUMNS = `d.id, d.collection_id as "collectionId", d.chain_id as "chainId",
	d.signal, d.evidence, d.block_number as "blockNumber", d.block_at as "blockAt",
	d.heard_at as "heardAt", d.detected_at as "detectedAt", d.delay_ms as "delayMs",
	encode(d.content_digest, 'hex') as "contentDigest", d.hidden_traits as "hiddenTraits", d.step,
	d.began_at as "beganAt", d.ended_at as "endedAt", d.outcome, d.runs, d.tokens, d.read, d.failed,
	d.swapped`;

/** Stores a detection and returns its id; null where the collection has one that has not ended. */
export async function insertDetection(tx: Tx, found: NewDetection): Promise<number | null> {
	const [row] = await tx.query<{ id: number }>(
		`insert into reveal_snipe.detection (collection_id, chain_id, signal, evidence, block_number,
			block_at, heard_at, detected_at, delay_ms, content_digest, hidden_traits)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'), $11::jsonb)
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

/** Counts one more run of the burst. */
export async function noteRun(db: Queryable, id: number): Promise<void> {
	await db.execute("update reveal_snipe.detection set runs = runs + 1 where id = $1", [id]);
}

/** Stores the progress of reading. */
export async function noteProgress(
	db: Queryable,
	id: number,
	part: { tokens: number; read: number; failed: number; swapped: number },
): Promise<void> {
	await db.execute(
		`update reveal_snipe.detection set tokens = $2, read = $3, failed = $4, swapped = swapped + $5
		where id = $1`,
		[id, part.tokens, part.read, part.failed, part.swapped],
	);
}

/** Deletes detections that ended before a time, except each collection's last one. */
export async function pruneDetections(db: Queryable, before: Date): Promise<void> {
	await db.execute(
		`delete from reveal_snipe.detection as d where ended_at < $1 and exists (
			select from reveal_snipe.detection where collection_id = d.collection_id and id > d.id
		)`,
		[before],
	);
	await db.execute(
		`delete from reveal_snipe.detection as d where ended_at < $1 and not exists (
			select from reveal_snipe.watch where collection_id = d.collection_id
		)`,
		[before],
	);
}
