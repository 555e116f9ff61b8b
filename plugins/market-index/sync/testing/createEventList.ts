/** A list of events as the provider pages through it: newest first, behind opaque cursors. */
type EventList = {
	/** One event, at its time; kept in order. */
	add(timeMs: number): void;
	page(asked: ListAsked): { timesMs: number[]; next: string | null };
	/** The faults of the list from now on. */
	trouble: ListTrouble;
	timesMs(): readonly number[];
};

type ListAsked = {
	afterMs?: number | undefined;
	beforeMs?: number | undefined;
	cursor?: string | undefined;
};

export type ListTrouble = {
	/** Cursors lead to the first page again. */
	forgetsCursors?: boolean;
	/** A full page has no `next` cursor, although more events follow. */
	losesNext?: boolean;
	/** A page leads to itself so often before it goes on. */
	repeats?: number;
	/** A page without any event stands before each page so often. */
	empties?: number;
	/** An event of another list with this time is at the end of each page. */
	oddTimeMs?: number;
};

/**
 * Makes a list whose cursors name the last event of a page: new events come above it, and change no
 * later page.
 */
export function createEventList({ pageSize }: { pageSize: number }): EventList {
	const events: { id: number; timeMs: number }[] = [];
	const met = new Map<string, number>();
	let ids = 0;
	const list: EventList = {
		trouble: {},
		add(timeMs) {
			events.push({ id: ++ids, timeMs });
			events.sort((a, b) => b.timeMs - a.timeMs || b.id - a.id);
		},
		timesMs: () => events.map(({ timeMs }) => timeMs),
		page({ afterMs = 0, beforeMs = Number.POSITIVE_INFINITY, cursor }) {
			const { forgetsCursors, losesNext, repeats = 0, empties = 0, oddTimeMs } = list.trouble;
			const asked = events.filter(({ timeMs }) => timeMs >= afterMs && timeMs <= beforeMs);
			const [place = ""] = cursor?.split("/") ?? [];
			const behind = forgetsCursors || cursor === undefined ? null : Number(place);
			const at = behind === null ? 0 : asked.findIndex(({ id }) => id === behind) + 1;
			const page = asked.slice(at, at + pageSize);
			const last = page.at(-1);
			const isMore = at + pageSize < asked.length;
			const times = met.get(place) ?? 0;
			met.set(place, times + 1);
			if (cursor !== undefined && times < empties) return { timesMs: [], next: cursor };
			const odd = oddTimeMs !== undefined && page.length > 10 ? [oddTimeMs] : [];
			const timesMs = [...page.map(({ timeMs }) => timeMs), ...odd];
			if (cursor !== undefined && times < repeats) return { timesMs, next: `${cursor}/` };
			return { timesMs, next: isMore && last && !losesNext ? String(last.id) : null };
		},
	};
	return list;
}
