// Judges stored sales by the rules of wash trades, behind the lanes and apart from them.

import type { Database } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import { judgeSales } from "#plugins/market-index/wash/judgeSales.ts";
import {
	type DueCollection,
	readDue,
	readSalesToJudge,
	readSlice,
	writeFlags,
} from "#plugins/market-index/wash/sql.ts";

type WashDeps = Pick<Core, "db" | "clock"> & {
	/** Sales that are judged at once. */
	sliceSales?: number;
};

/** How often it looks for sales to judge, and how long it works at most, rests included. */
const JUDGE_EVERY_MS = 15_000;
const JUDGE_BUSY_MS = 8_000;
const JUDGE_TIMEOUT_MS = 60_000;

/** Ids that one statement looks through: the index is by id, and few have anything to judge. */
const IDS_PER_LOOK = 20_000;
/** The more sales at once, the longer the collection's row is held afterwards. */
const SLICE_SALES = 500;
/** Stretches of one collection in a run, so that a long history holds up nobody. */
const SLICES_PER_RUN = 20;

/**
 * Makes the job that judges sales. A later sale makes an earlier one suspicious, so lanes judge
 * nothing: they note with a collection's figures since when it has sales to judge (`wash_from`).
 * It rests as long as it works, and where it stopped it goes on in the next run.
 */
export function washJob({ db, clock, sliceSales = SLICE_SALES }: WashDeps): Job {
	let after = 0;
	return {
		name: "market-index.judge-sales",
		schedule: { everyMs: JUDGE_EVERY_MS },
		lock: "cluster",
		timeoutMs: JUDGE_TIMEOUT_MS,
		async run({ signal }) {
			const endsAtMs = clock.nowMs() + JUDGE_BUSY_MS;
			const isOver = () => signal.aborted || clock.nowMs() > endsAtMs;
			const [last] = await db.query<{ id: number }>(
				"select coalesce(max(id), 0) as id from market_index.collection",
			);
			while (after < (last?.id ?? 0)) {
				const until = after + IDS_PER_LOOK;
				for (const due of await readDue(db, { after, until })) {
					if (isOver()) return;
					// Before it is judged: one that fails each time holds up nobody.
					after = due.id;
					await judgeCollection({ db, sliceSales }, due, signal);
				}
				after = until;
				if (isOver()) return;
			}
			after = 0;
		},
	};
}

/** Judges a collection's sales stretch by stretch, until all are or its turn is over. */
async function judgeCollection(
	judging: { db: Database; sliceSales: number },
	due: DueCollection,
	signal: AbortSignal,
): Promise<void> {
	let next: DueCollection | undefined = due;
	for (let slices = 0; next && slices < SLICES_PER_RUN && !signal.aborted; slices++) {
		const beganMs = performance.now();
		next = await judgeSlice(judging, next);
		if (next) await sleep(performance.now() - beganMs, signal);
	}
}

/** Judges one stretch; returns what is left to judge, all of it where the collection changed. */
async function judgeSlice(
	{ db, sliceSales }: { db: Database; sliceSales: number },
	due: DueCollection,
): Promise<DueCollection | undefined> {
	const slice = await readSlice(db, due, sliceSales);
	const sales = await readSalesToJudge(db, due, slice);
	const flags = [...Map.groupBy(sales, ({ tokenId }) => tokenId).values()].flatMap((ofToken) =>
		judgeSales(ofToken, due.from.getTime()),
	);
	const { until } = slice;
	const isWritten = await db.transaction((tx) => writeFlags(tx, due, { until, flags }));
	if (isWritten && until === null) return undefined;
	const [left] = await readDue(db, { after: due.id - 1, until: due.id });
	return left;
}
