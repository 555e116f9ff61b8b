import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createSyncLab(database.db);
});
afterAll(() => database.drop());

test("[MRG-13] the stream follows those looked at, then the most active; while it is off, nobody", async () => {
	const ids = new Map<string, number>();
	for (const slug of ["quiet", "active", "seen", "unknown"]) {
		const { id } = await lab.register();
		ids.set(slug, id);
		await lab.discovered([id]);
		if (slug !== "unknown") await lab.set(id, `provider_slug = '${slug}'`);
	}
	await lab.touch(ids.get("seen") ?? -1, "detail");
	await database.db.execute(
		"update market_index.collection set last_sale_at = now() where id = $1",
		[ids.get("active") ?? -1],
	);
	await lab.tick("follow");
	expect(lab.fake.stream.followed).toEqual([]);
	lab.fake.stream.state = "connecting";
	await lab.tick("follow");
	expect(lab.fake.stream.followed).toEqual(["seen", "active", "quiet"]);
});
