import type { Queryable } from "#core/db/Database.ts";
import { DETECTION_COLUMNS, type Detection } from "#plugins/reveal-snipe/sql/detections.ts";

export const REVEAL_PHASES = ["armed", "burst", "revealed"] as const;
export type RevealPhase = (typeof REVEAL_PHASES)[number];

/** A collection that is watched, or that was revealed recently. */
export type ListedReveal = {
	listedId: number;
	phase: RevealPhase;
	/** Null where there is none yet. */
	detection: Detection | null;
};

export type RevealsQuery = {
	chainIds: readonly number[];
	phase: RevealPhase | null;
	/** Reveals that ended later count as recent. */
	since: Date;
	/** The key of a page's last row. */
	after: { detectionId: number; collectionId: number } | null;
	limit: number;
};

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
