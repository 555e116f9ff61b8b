import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { POLLS_PER_MINUTE } from "#plugins/bridge/relay/createRelayClient.ts";
import { wakeBridge } from "#plugins/bridge/sql/bridges.ts";
import { createPollingLab } from "#plugins/bridge/testing/createPollingLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a thousand open bridges are looked at within the provider's limits, each in its turn.

const OPEN = 1_000;

let database: TestDatabase;
let lab: ReturnType<typeof createPollingLab>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createPollingLab(database.db);
});
afterAll(() => database?.drop());
beforeEach(() => lab.reset());

test("no bridge waits longer than two turns, and no minute has more calls than it may", async () => {
	await lab.insertOpen(OPEN);
	const turnMs = (OPEN / POLLS_PER_MINUTE) * 60_000;
	await lab.passSeconds((2.2 * turnMs) / 1_000);
	expect(lab.waits(OPEN).filter((wait) => !(wait <= 2 * turnMs))).toEqual([]);
	for (let from = lab.startMs; from < lab.clock.ms; from += 10_000) {
		const within = lab.polled.filter(({ atMs }) => atMs >= from && atMs < from + 60_000);
		expect(within.length).toBeLessThanOrEqual(POLLS_PER_MINUTE);
	}
});

test("a webhook puts its bridge behind what is due already, and before all else", async () => {
	await lab.insertOpen(3);
	await lab.passSeconds(1);
	lab.polled = [];
	// All were looked at, and rest; one is told of.
	const at = new Date(lab.clock.ms);
	expect(await wakeBridge(database.db, { requestId: lab.requestOf(2), at })).toBe(lab.idOf(2));
	expect(await wakeBridge(database.db, { requestId: lab.requestOf(2), at })).toBeNull();
	await lab.passSeconds(1);
	expect(lab.polled.map(({ n }) => n)).toEqual([2]);
	const unknown = await wakeBridge(database.db, { requestId: lab.requestOf(99), at });
	expect(unknown).toBeNull();
});

test("while the provider is away every bridge keeps its place", async () => {
	await lab.insertOpen(5);
	lab.perMinute = 0;
	await lab.passSeconds(3);
	const rows = () =>
		database.db.query<{ status: string }>("select status, look_at from bridge.bridge");
	expect(new Set((await rows()).map(({ status }) => status))).toEqual(new Set(["pending"]));
	lab.perMinute = POLLS_PER_MINUTE;
	await lab.passSeconds(1);
	expect(lab.polled.map(({ n }) => n).sort()).toEqual([1, 2, 3, 4, 5]);
});

test("a claim that no chain can say anything of stays open, and an operator is told", async () => {
	await lab.insertOpen(1);
	lab.word = {
		...{ kind: "seen", status: "success", depositHashes: [], failReason: null },
		...{ outHashes: [{ hash: lab.requestOf(7), chainId: null }], updatedAtMs: null },
	};
	const row = async () => {
		const [found] = await database.db.query<{ status: string; code: string; at: Date | null }>(
			"select status, error_code as code, look_at as at from bridge.bridge",
		);
		return found;
	};
	await lab.passSeconds(60);
	expect(await row()).toMatchObject({ status: "pending", code: null });
	await lab.passSeconds(75);
	expect(await row()).toMatchObject({ status: "pending", code: "claim_unproven" });
	expect(lab.alarms).toEqual(["claim_unproven"]);
	lab.clock.ms += 3_600_000;
	await lab.passSeconds(5);
	expect((await row())?.at?.getTime()).toBeGreaterThan(lab.clock.ms);
	expect(lab.alarms).toEqual(["claim_unproven"]);
});
