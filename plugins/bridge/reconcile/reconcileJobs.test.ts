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

test("bridges about which the provider does not answer hold back none of the others", async () => {
	await lab.insertOpen(40);
	for (let n = 1; n <= 30; n++) lab.silent.add(n);
	await lab.passSeconds(5);
	const others = Array.from({ length: 10 }, (_, index) => 31 + index);
	const asked = new Set(lab.polled.map(({ n }) => n));
	expect(others.filter((n) => !asked.has(n))).toEqual([]);
	await lab.passSeconds(55);
	// Each of them is asked about less often each time: after 10, 20 and 40 seconds.
	const times = (of: number) => lab.polled.filter(({ n }) => n === of).length;
	expect([times(1) <= 4, times(40) > times(1)]).toEqual([true, true]);
});

test("a bridge about which the provider never answers is called timed out, and an operator is told", async () => {
	await lab.insertOpen(1);
	lab.silent.add(1);
	lab.timeoutMs = 600_000;
	await lab.passSeconds(1_500);
	const [row] = await database.db.query<{ status: string; word: string | null }>(
		"select status, provider_status as word from bridge.bridge",
	);
	expect(row).toEqual({ status: "timed_out", word: null });
	expect(lab.alarms).toEqual([]);
	lab.clock.ms += 3_600_000;
	await lab.passSeconds(1);
	expect(lab.alarms).toEqual(["provider_silent"]);
});

test("while the provider answers about nobody a turn asks about a few, and later turns go on", async () => {
	await lab.insertOpen(100);
	for (let n = 1; n <= 100; n++) lab.silent.add(n);
	await lab.passSeconds(1);
	expect(lab.polled.length).toBeLessThan(30);
	await lab.passSeconds(9);
	expect(new Set(lab.polled.map(({ n }) => n)).size).toBe(100);
	lab.silent.clear();
	lab.polled = [];
	await lab.passSeconds(60);
	expect(new Set(lab.polled.map(({ n }) => n)).size).toBe(100);
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
