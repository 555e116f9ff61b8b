import { DAY_MS } from "#core/time/units.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";

/**
 * Joins the collection `c` with `floor_before`: its floor of 24 hours ago, or of the nearest stored
 * time before that. One step down the primary key of `floor_snapshot`, and none at all for a
 * collection without a floor.
 */
export function floorBefore(binder: Binder, nowMs: number): string {
	const dayAgo = binder.bind(new Date(nowMs - DAY_MS), "timestamptz");
	return `left join lateral (
			select s.floor_native from market_index.floor_snapshot as s
			where c.floor_native is not null and s.collection_id = c.id and s.at <= ${dayAgo}
			order by s.at desc limit 1
		) as floor_before on true`;
}
