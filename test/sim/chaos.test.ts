import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { lies, pushLies } from "#test/sim/node/lies.ts";
import { readSimEnvironment, runSeeds, type SeedsReport } from "#test/sim/runSeed.ts";
import { createTalk } from "#test/sim/Tally.ts";

const { seeds, isWhole, knobs, talks } = readSimEnvironment(process.env, TEST_SEED);
/** Of the server's hundred; lanes of several seeds hold one each while they wait for a lock. */
const CONNECTIONS_MAX = 40;
const LIMIT_MS = Math.ceil(seeds.length / 50) * TEST_LIMIT_MS;

const print = (line: string) => console.log(line);

let database: TestDatabase;
let db: Database;
let report: SeedsReport;

beforeAll(async () => {
	database = await createTestDatabase();
	const { connectionString } = database;
	const applicationName = "tapeline sim";
	const log = silentLog;
	db = openDatabase({ connectionString, connectionsMax: CONNECTIONS_MAX, applicationName, log });
	report = await runSeeds({ seeds, knobs, db, log: talks ? createTalk(print) : silentLog, print });
	if (process.env.SIM_TALLY === "1") console.log(report.tally.all());
}, LIMIT_MS);

afterAll(async () => {
	await db.close();
	await database.drop();
});

describe(`${seeds.length} seeds from ${seeds[0]}`, () => {
	test("[ING-11] after chaos the index equals a clean linear run, row for row", () => {
		expect(report.of("rows")).toEqual([]);
	});

	test("[ING-10] [ING-14] once faults end, every lane reaches the head and no gap remains", () => {
		expect(report.of("convergence")).toEqual([]);
	});

	test("[ING-09] no process moves the cursor of a lane whose lease another one holds", () => {
		expect(report.of("fencing")).toEqual([]);
	});

	test("[STR-04] the frames that clients got, without the retracted ones, equal the stored rows", () => {
		expect(report.of("frames")).toEqual([]);
	});

	test("[STR-04] no frame is announced that was not committed", () => {
		expect(report.of("hints")).toEqual([]);
	});
});

const faults: [string, readonly string[]][] = [
	["[ING-14]", Object.keys(lies).map((name) => `lie_${name}`)],
	["[ING-14]", ["whole_header"]],
	["[ING-14]", ["rpc_error", "rpc_delay", "rpc_down", "lag", "stale_fork", "split_batch"]],
	["[ING-14]", ["step_swap", "saw_rpc_wrong_chain", "saw_rpc_inconsistent"]],
	["[ING-14]", [...Object.keys(pushLies).map((name) => `push_${name}`), "push_late"]],
	["[ING-08]", ["range_refused", "saw_rpc_range"]],
	["[ING-10]", ["step_leap", "step_refuse", "gap_left"]],
	[
		"[ING-11]",
		["step_reorg", "step_flip", "step_rollback", "deep_reorg", "short_end", "saw_reorg"],
	],
	["[ING-09]", ["step_kill", "step_stop", "step_stall", "saw_fenced"]],
	["[ING-09]", ["db_error_begin", "db_error_before", "db_error_after", "db_commit_unknown"]],
	["[STR-04]", ["db_commit_failed"]],
	["[STR-04]", ["hint_lost", "hint_doubled", "hint_overtaken"]],
];

// A few seeds need not have met everything.
const askWhole = skipWithReason(isWhole ? null : "fewer seeds than usual were asked for");
for (const [ids, kinds] of faults) {
	askWhole(`${ids} of these faults each happened: ${kinds.join(", ")}`, () => {
		expect(kinds.filter((kind) => report.tally.of(kind) === 0)).toEqual([]);
	});
}
