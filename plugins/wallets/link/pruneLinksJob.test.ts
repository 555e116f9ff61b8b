import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import { pruneLinksJob } from "#plugins/wallets/link/pruneLinksJob.ts";
import { openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

test("links a day past their time are deleted, and no others", async () => {
	const lab = openExecutionLab(database.db);
	const links = createLinks({ ...lab.deps, publicUrl: "https://app.example" });
	const job = pruneLinksJob(lab.deps);
	const [intent] = await lab.pay(await lab.person({ requireTradeConfirmation: true }));
	if (!intent) throw new Error("no intent");
	const { expiresAtMs } = await links.make(intent, "confirm");
	const count = async () => (await lab.db.query("select 1 from wallets.link")).length;
	lab.clock.ms = expiresAtMs + 86_400_000 - 1;
	await job.run({ signal: lab.signal });
	expect(await count()).toBe(1);
	lab.clock.ms++;
	await job.run({ signal: lab.signal });
	expect(await count()).toBe(0);
});
