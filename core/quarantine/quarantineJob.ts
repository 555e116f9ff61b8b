import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import type { RowSource } from "#core/quarantine/RowSource.ts";
import { readQuarantined } from "#core/quarantine/sql/readQuarantined.ts";
import { releaseRows } from "#core/quarantine/sql/releaseRows.ts";
import { type DueMark, takeDue } from "#core/quarantine/sql/takeDue.ts";
import type { Job } from "#core/schedule/Job.ts";

const EVERY_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** Rows that are tried again in one turn. */
const CHECKED_MAX = 500;

/** A source of whatever rows. */
export type AnySource = RowSource<never, unknown>;

/**
 * Raises the alarm for rows that cannot be read (one line in the log for each, the gauge
 * `<owner>_quarantined_rows`), and releases those that can be read again: whoever repairs a row has
 * nothing else to do.
 */
export function quarantineJob(given: {
	/** The plugin whose tables these are. */
	owner: string;
	sources: readonly AnySource[];
	db: Database;
	log: Log;
	metrics: Metrics;
}): Job {
	const { owner, sources, db, log, metrics } = given;
	const gauge = metrics.gauge({
		name: `${owner}_quarantined_rows`,
		help: "Rows that cannot be read and are left out until they are repaired, by table.",
		labels: ["table"],
	});
	const tables = sources.map(({ table }) => table);
	return {
		name: `${owner}.quarantine`,
		schedule: { everyMs: EVERY_MS },
		// Each process shows the figure; what one is checking the others leave to it.
		lock: "process",
		timeoutMs: TIMEOUT_MS,
		async run() {
			const due = await takeDue(db, { tables, limit: CHECKED_MAX });
			for (const mark of due) if (mark.isNew) raise(log, mark);
			for (const source of sources) {
				const keys = due.filter(({ table }) => table === source.table).map(({ key }) => key);
				if (keys.length > 0) await release({ db, log }, source, keys);
			}
			const counts = new Map((await readQuarantined(db)).map((one) => [one.table, one.count]));
			for (const table of tables) gauge.set({ table }, counts.get(table) ?? 0);
		},
	};
}

function raise(log: Log, { table, key, reason }: DueMark): void {
	log.error("a row cannot be read: it is kept, and left out until it is repaired", {
		...{ table, key, reason },
	});
}

async function release(
	{ db, log }: { db: Database; log: Log },
	source: AnySource,
	keys: readonly string[],
): Promise<void> {
	const rows = await db.query<never>(source.select, [keys]);
	const unreadable = new Set(
		rows.filter((row) => !isReadable(source, row)).map((row) => source.keyOf(row)),
	);
	const released = keys.filter((key) => !unreadable.has(key));
	if (released.length === 0) return;
	await releaseRows(db, { table: source.table, keys: released });
	for (const key of released) log.info("a row can be read again", { table: source.table, key });
}

function isReadable(source: AnySource, row: never): boolean {
	try {
		source.read(row);
		return true;
	} catch {
		return false;
	}
}
