import { afterAll, beforeAll, expect, test } from "bun:test";
import { createStreamStatus } from "#plugins/provider/stream/createStreamStatus.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("[MRG-13] a process that does not listen reports the state of the one that does, while that lives", async () => {
	const [listener, other] = [database.db, database.db].map(createStreamStatus);
	await other?.learn();
	expect(other?.state()).toBe("connecting");
	await listener?.tell("live");
	await other?.learn();
	expect(other?.state()).toBe("live");
	await listener?.tell("connecting");
	await other?.learn();
	expect(other?.state()).toBe("connecting");
	await listener?.tell("live");
	await other?.learn();
	// The process was killed, and could not report.
	await database.db.execute(
		"update provider.stream_status set told_at = now() - interval '10 seconds'",
	);
	await other?.learn();
	expect(other?.state()).toBe("connecting");
});

test("a listener that is just closing does not count as a disabled stream", async () => {
	const status = createStreamStatus(database.db);
	await status.tell("off");
	await status.learn();
	expect(status.state()).toBe("connecting");
});
