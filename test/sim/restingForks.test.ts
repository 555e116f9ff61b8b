import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";
import { converge, judge } from "#test/sim/judge.ts";
import { calmNode } from "#test/sim/node/lies.ts";
import { createWorld } from "#test/sim/playStep.ts";
import { drawKnobs, FEEDS, type Feed } from "#test/sim/schedule/drawSchedule.ts";
import { createTally } from "#test/sim/Tally.ts";

/** Each with each way to hear of heads, and each round trip: so many of them are 72 forks. */
const SEEDS_COUNT = process.env["PROVE"] === "1" ? 12 : 3;
const SEEDS = Array.from({ length: SEEDS_COUNT }, (_, index) => index + 1);
const ROUND_TRIPS_MS = [0, 50];
const FORKS = 4;
/** Far from the other suites' chains. */
const FIRST_CHAIN_ID = 950_000_000;
/** A busy machine's, not the product's: what waits for a next block waits for ever. */
const CONVERGES_WITHIN_MS = TEST_LIMIT_MS / 2;

let database: TestDatabase;
let db: Database;
let nextChainId = FIRST_CHAIN_ID;

beforeAll(async () => {
	database = await createTestDatabase();
	const { connectionString } = database;
	const applicationName = "tapeline resting forks";
	db = openDatabase({ connectionString, connectionsMax: 20, applicationName, log: silentLog });
});
afterAll(async () => {
	await db.close();
	await database.drop();
});

/**
 * A chain that replaces its newest blocks by as many others and then rests, a few times; answers
 * what is wrong with the index after each time, before any block follows.
 */
async function runForks(seed: number, feed: Feed, roundTripMs: number): Promise<string[]> {
	const prng = createPrng(seed);
	// Lanes fall out of step, so that one asks when another has repaired already.
	const node = { ...calmNode, roundTripMs, delayRate: 0.4 };
	const knobs = { ...drawKnobs(prng), feed, processes: 1, nodes: 1, node, busLossRate: 0 };
	const database = { errorRate: 0, failedCommitRate: 0, lostCommitRate: 0, delayRate: 0.3 };
	const chainIds = [nextChainId++, nextChainId++] as const;
	const world = createWorld({
		...{ chainId: chainIds[0], name: `resting ${chainIds[0]}`, prng, db, log: silentLog },
		...{ knobs: { ...knobs, database }, tally: createTally() },
	});
	const { chain } = world;
	// A lane each, in processes that hear of a head at different moments.
	const processes = [world.start(), world.start()];
	const owed: (string | null)[] = [await converge(db, world, CONVERGES_WITHIN_MS)];
	const lane = prng.pick(["sale", "mint"]);
	const names = processes.map(({ name }) => name);
	await giveAway(`lane:${chainIds[0]}:${lane}`, names);
	for (let fork = 0; fork < FORKS; fork++) {
		for (let made = prng.int(4); made >= 0; made--) chain.mine();
		// Sometimes level and at rest, sometimes in the middle of what is about to leave.
		const isLevel = prng.chance(0.5);
		await world.pause({ requests: prng.int(30), level: isLevel, msMax: isLevel ? 500 : 60 });
		const depth = 1 + prng.int(4);
		chain.reorg({ depth, length: depth, sameTimes: prng.chance(0.5) });
		owed.push(await converge(db, world, CONVERGES_WITHIN_MS));
	}
	await Promise.all(processes.map((process) => process.stop()));
	await world.close();
	const wrong = [...world.wrong, ...(await judge({ chainIds, db, log: silentLog }, world))];
	return [...owed.filter((one) => one !== null), ...wrong.map(({ what }) => what)];
}

/** A lane goes to the other one of two processes, as if its holder had stalled for long. */
async function giveAway(lease: string, holders: readonly string[]): Promise<void> {
	await db.execute(
		`update core.lease set token = token + 1,
			holder = case when holder = $2 then $3 else $2 end where name = $1`,
		[lease, ...holders],
	);
}

for (const feed of FEEDS) {
	for (const roundTripMs of ROUND_TRIPS_MS) {
		const heard = `heads by ${feed}, ${roundTripMs} ms a round trip`;
		test(`a fork to the same height is read without a next block: ${heard}`, async () => {
			const found = SEEDS.map(async (seed) => {
				const wrong = await runForks(seed, feed, roundTripMs);
				return wrong.map((what) => `seed ${seed}: ${what}`);
			});
			expect((await Promise.all(found)).flat()).toEqual([]);
		});
	}
}
