import { afterAll, beforeAll, beforeEach } from "bun:test";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/**
 * Gives a test file a database of its own, and each of its tests a lab on it in which nothing is
 * left of the test before.
 */
export function withSyncLab(
	prepare: (made: { database: TestDatabase; lab: SyncLab }) => Promise<void> | void,
): void {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	beforeEach(async () => {
		const lab = createSyncLab(database.db);
		await lab.clear();
		await prepare({ database, lab });
	});
	afterAll(() => database.drop());
}
