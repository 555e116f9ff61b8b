import { afterAll, beforeAll, expect, test } from "bun:test";
import { REORG_DEPTH_LEAST } from "#plugins/chain-scanner/limits.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";
import { createLaneWorld, mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("lanes that come to the same newest blocks one after the other ask for their headers once", async () => {
	const world = await createLaneWorld(database.db);
	const { chain } = world;
	for (let id = 1; id <= REORG_DEPTH_LEAST; id++) {
		chain.mine([{ value: 0n, logs: [mintLog(id)] }]);
	}
	const asked = () => chain.calls.filter(({ method }) => method === "eth_getBlockByNumber").length;
	const readAll = async (source: LaneSource) => {
		const before = asked();
		const lane = world.worker({ scanFrom: 1, source });
		lane.look();
		await lane.untilIndexed(REORG_DEPTH_LEAST);
		await lane.stop();
		return asked() - before;
	};
	expect(await readAll(world.source)).toBe(REORG_DEPTH_LEAST);
	// The last block is asked for: it shows that the node had it when it answered.
	expect(await readAll({ ...world.source, kind: "sale" })).toBe(1);
	expect(await world.tokens()).toHaveLength(2 * REORG_DEPTH_LEAST);
});
