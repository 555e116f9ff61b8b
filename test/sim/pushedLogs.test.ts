import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { calmNode } from "#test/sim/node/lies.ts";
import { runSeeds } from "#test/sim/runSeed.ts";

/** Beside the 200 of `chaos`, of which some have subscriptions too. */
const SEEDS_COUNT = process.env["PROVE"] === "1" ? 64 : 16;
const SEEDS = Array.from({ length: SEEDS_COUNT }, (_, index) => index + 1);
/** Block by block, by nodes whose answers take a while and whose subscriptions do all they can. */
const node = { ...calmNode, roundTripMs: 60, delayRate: 0.5, pushLieRate: 0.3 };
const pace = { blocksAtOnce: 1, leaps: false, nodeRate: 0, processRate: 0.1 };
const knobs = { ...pace, feed: "sockets", nodes: 1, node } as const;
const CONNECTIONS_MAX = 40;
const LIMIT_MS = 3 * TEST_LIMIT_MS;

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
	database = await createTestDatabase();
	const { connectionString } = database;
	const applicationName = "tapeline pushed logs";
	const log = silentLog;
	db = openDatabase({ connectionString, connectionsMax: CONNECTIONS_MAX, applicationName, log });
});
afterAll(async () => {
	await db.close();
	await database.drop();
});

test(
	"index and frames equal those of a clean linear run, with any faults of log subscriptions",
	async () => {
		const print = (line: string) => console.log(line);
		const report = await runSeeds({ seeds: SEEDS, knobs, db, log: silentLog, print });
		const wrong = ["rows", "convergence", "fencing", "frames", "hints"] as const;
		expect(wrong.flatMap((about) => report.of(about))).toEqual([]);
		if (process.env.SIM_TALLY === "1") console.log(report.tally.all());
	},
	LIMIT_MS,
);
