import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { OnceRequest } from "#plugins/wallets/contract.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: who misuses a key, or clicks twice, rolls back nothing of anybody else's.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

function requestOf(by: Person, { key = "key-1", body = {} as object } = {}): OnceRequest {
	const { profile, wallet } = by;
	return {
		principal: { profile, sessionId: "s" },
		route: "POST /v1/pay",
		idempotencyKey: key,
		body,
		intents: [{ kind: "pay", profile, wallet, chainId: 31_337, channel: "api", request: {} }],
		answer: async () => ({ status: 200, body: {} }),
	};
}

test("a key that is refused is refused inside a transaction that commits", async () => {
	const by = await lab.person();
	const outcomes: string[] = [];
	const once = createOnce({
		...lab.deps,
		commits: {
			together: async (_owner, act) =>
				lab.db
					.transaction((tx) => act(tx))
					.then(
						(result) => {
							outcomes.push("committed");
							return result;
						},
						(error) => {
							outcomes.push("rolled back");
							throw error;
						},
					),
		},
	});
	const code = (request: OnceRequest) =>
		once(request).then(
			({ status }) => String(status),
			(error: { code: string }) => error.code,
		);
	expect(await code(requestOf(by))).toBe("200");
	expect(await code(requestOf(by, { body: { other: true } }))).toBe("idempotency_conflict");
	// Under way, as far as anybody knows: a live session, and no answer.
	await lab.db.execute(
		`update wallets.idempotent_answer set status = null, body = null, session = (
			select application_name from pg_stat_activity where pid = pg_backend_pid()
		)`,
	);
	expect(await code(requestOf(by))).toBe("request_running");
	// Who comes second takes no key, and then asks whose it is.
	expect(outcomes).toEqual(Array.from({ length: 6 }, () => "committed"));
});
