import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { createMetrics } from "#core/metrics.ts";
import {
	type Lab,
	openExecutionLab,
	SLOW_AFTER_MS,
} from "#plugins/wallets/testing/executionLab.ts";
import { createWatch } from "#plugins/wallets/watch/createWatch.ts";
import { WATCH_FRESH_MS } from "#plugins/wallets/watch/judgeWait.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: money that does not go on is counted, with its age, for alerts and for `/readyz`.

let database: TestDatabase;
let lab: Lab;
let queries: number;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, core.quarantined_row cascade");
	lab = openExecutionLab(database.db);
	queries = 0;
});

function open() {
	const metrics = createMetrics();
	const query: Database["query"] = (...asked) => {
		queries++;
		return database.db.query(...asked);
	};
	const db: Database = { ...database.db, query };
	const watch = createWatch({ deps: { ...lab.deps, db }, metrics, chainName: () => "anvil" });
	return {
		...watch,
		async figures() {
			lab.clock.ms += WATCH_FRESH_MS;
			await watch.job.run({ signal: lab.signal });
			const { body } = await metrics.expose();
			const lines = body.split("\n").filter((line) => line.startsWith("tapeline_wallets_"));
			return lines.map((line) => line.slice("tapeline_wallets_".length));
		},
	};
}
const pay = async (mood?: Lab["moods"][number], by?: Awaited<ReturnType<Lab["person"]>>) => {
	if (mood) lab.moods.push(mood);
	return (await lab.pay(by ?? (await lab.person())))[0]?.id ?? "";
};

test("open intents are counted by kind and state, with the age of the oldest; empty groups are 0", async () => {
	const { figures } = open();
	await pay();
	lab.clock.ms += 60_000;
	await pay();
	expect(await figures()).toEqual(
		expect.arrayContaining([
			'intents_open{kind="pay",state="submitted"} 2',
			'intents_oldest_age_seconds{kind="pay",state="submitted"} 65',
		]),
	);
	lab.chain.mine();
	await lab.tick();
	expect(await figures()).toEqual(
		expect.arrayContaining([
			'intents_open{kind="pay",state="submitted"} 0',
			'intents_oldest_age_seconds{kind="pay",state="submitted"} 0',
		]),
	);
});

test("a blocked nonce queue counts once, however many payments wait in it, with its chain and reason", async () => {
	const { figures, degraded } = open();
	const by = await lab.person();
	lab.provider.state.hasTaken = true;
	await pay("keeps, silent", by);
	await pay(undefined, by);
	await pay(undefined, by);
	await lab.tick(30_000);
	expect(await figures()).toEqual(
		expect.arrayContaining([
			'nonce_queues_blocked{chain="anvil",reason="behind"} 1',
			'nonce_queues_blocked_oldest_age_seconds{chain="anvil",reason="behind"} 35',
			'intents_waiting{reason="behind"} 2',
			'intents_waiting{reason="in_doubt"} 1',
		]),
	);
	const codes = Object.fromEntries((await degraded()).map(({ code, count }) => [code, count]));
	expect(codes).toEqual({ intents_in_doubt: 1, intents_behind: 2, nonce_queues_behind: 1 });
});

test("quarantined rows, flaws of the ledger and unread pasts are counted, and degrade readyz", async () => {
	const { figures, degraded } = open();
	const [id, other] = [await pay(), await pay()];
	await database.db.execute(
		"update wallets.submission set nonce = 9223372036854775807 where intent_id = $1",
		[id],
	);
	await database.db.execute("delete from wallets.spend_entry where intent_id = $1", [id]);
	await database.db.execute(
		`update wallets.spend_entry set kind = 'unspend' where intent_id = $1`,
		[other],
	);
	await lab.tick();
	const account = { chainId: 31_337, from: `0x${"a".repeat(40)}` } as const;
	lab.deps.nonceClaims.notePast(account, { isOpen: true, nowMs: lab.clock.ms });
	await database.db.execute("update core.quarantined_row set since = $1", [
		new Date(lab.clock.ms - 40_000),
	]);
	expect(await figures()).toEqual(
		expect.arrayContaining([
			'quarantined_oldest_age_seconds{table="wallets.submission"} 45',
			'quarantined_oldest_age_seconds{table="wallets.intent"} 0',
			'ledger_flaws{flaw="overdrawn"} 1',
		]),
	);
	const found = await degraded();
	expect(found.map(({ code }) => code).toSorted()).toEqual([
		...["intents_unreadable", "ledger_overdrawn", "nonce_queues_unreadable", "rows_quarantined"],
		"wallet_past_unread",
	]);
	for (const { action, count } of found) {
		expect(action).toMatch(/\.$/);
		expect(count).toBe(1);
	}
});

test("the watch reads once in some seconds for all callers, and its reasons name no user", async () => {
	const by = await lab.person();
	const id = await pay(undefined, by);
	await lab.tick(SLOW_AFTER_MS + 1);
	const { degraded } = open();
	const [first] = await Promise.all(Array.from({ length: 50 }, () => degraded()));
	const once = queries;
	expect(once).toBeLessThan(10);
	await degraded();
	expect(queries).toBe(once);
	expect(first).toHaveLength(2);
	const text = JSON.stringify(first);
	for (const secret of [id, by.wallet.id, by.profile.id, by.wallet.address]) {
		expect(text).not.toContain(secret.replace(/^0x/, ""));
	}
	lab.clock.ms += WATCH_FRESH_MS;
	await degraded();
	expect(queries).toBeGreaterThan(once);
});

test("intents that proceed normally degrade nothing", async () => {
	const { degraded, figures } = open();
	await pay();
	expect(await degraded()).toEqual([]);
	lab.chain.mine();
	await lab.tick();
	await figures();
	expect(await degraded()).toEqual([]);
});
