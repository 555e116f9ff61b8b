import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditHeadJob } from "#core/audit/auditHeadJob.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { parseAuditArgs } from "#core/audit/parseAuditArgs.ts";
import { readHead } from "#core/audit/sql/readHead.ts";
import { createLog } from "#core/log/createLog.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("[SEC-06] the hourly line in the log is a head as `audit verify --head` takes it", async () => {
	const clock = { nowMs: () => 0 };
	const { db } = database;
	const entry = { actor: "operator:ann", action: "a.b", subject: "s", detail: {} };
	await db.transaction((tx) => createAudit({ clock }).append(tx, entry));
	const lines: string[] = [];
	const log = createLog({
		level: "info",
		clock,
		to: { write: (line: string) => void lines.push(line) },
	});
	const job = auditHeadJob({ db, log });
	await job.run({ signal: new AbortController().signal });
	const [line] = lines.map((text) => JSON.parse(text));
	expect(line.message).toBe("audit head");
	const exported = await readHead(db);
	expect(parseAuditArgs(["verify", "--head", line.head])).toEqual({ kind: "verify", exported });
	// One process writes it for all, at the full hour.
	expect(job).toMatchObject({ lock: "cluster", schedule: { cron: "0 * * * *" } });
});
