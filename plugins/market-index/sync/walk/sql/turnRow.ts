import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/** What a statement that claims a turn returns; `s` is the sync, `c` its collection. */
export const TURN_COLUMNS = `c.id, c.chain_id as "chainId",
	'0x' || encode(c.address, 'hex') as address, s.provider_slug as "providerSlug", s.turn,
	s.events_from as "eventsFrom", s.events_until as "eventsUntil",
	s.events_newest as "newestAt", s.events_newest_types as "newestTypes",
	s.walk_failures as failures, s.walk_hole as hole, s.walk_base as "baseAt", s.walk_from as "from",
	s.walk_until as "until", s.walk_reached as reached, s.walk_cursor as cursor,
	s.walk_types as types, s.walk_pages as pages, s.walk_idle as idle`;

export type TurnRow = Omit<ClaimedTurn, "newestTypes" | "walk" | "backwards"> & {
	newestTypes: ProviderEventType[] | null;
	hole: Date | null;
	baseAt: Date | null;
	from: Date | null;
	until: Date | null;
	reached: Date | null;
	cursor: string | null;
	types: ProviderEventType[] | null;
	idle: number;
};

/** Converts a row of such a statement to a turn. */
export function turnOf(row: TurnRow): ClaimedTurn {
	const { id, chainId, address, providerSlug, turn, leanAt, levelFrom } = row;
	const { eventsFrom, eventsUntil, newestAt, newestTypes, failures } = row;
	const held = { eventsFrom, eventsUntil, newestAt, newestTypes, failures };
	return {
		...{ id, chainId, address, providerSlug, turn, leanAt, levelFrom, ...held },
		walk: walkOf(row),
		pages: row.from === null ? row.pages : 0,
		backwards: row.from === null ? row.idle : 0,
	};
}

function walkOf(row: TurnRow): ClaimedTurn["walk"] {
	const { from, until, reached, cursor, types, pages, idle, baseAt, newestAt, hole } = row;
	if (!from || !until || !reached || !types) return null;
	return {
		fromMs: from.getTime(),
		untilMs: until.getTime(),
		reachedMs: reached.getTime(),
		topMs: newestAt?.getTime() ?? null,
		holeMs: hole?.getTime() ?? null,
		cursor,
		pages,
		idle,
		types,
		baseAt,
	};
}
