import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { lockSync } from "#plugins/market-index/sync/sql/lockSync.ts";
import { contractOf, ethereum, mintOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

let database: TestDatabase;
let lab: ApplierLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
});
beforeEach(() => lab.clear());
afterAll(() => database.drop());

const CATS = contractOf(0x91);

async function collectionId(): Promise<number> {
	const [row] = await database.db.query<{ id: number }>("select id from market_index.collection");
	return row?.id ?? -1;
}

/** Somebody of this database waits for a lock. */
async function isWaiting(): Promise<boolean> {
	const rows = await database.db.query(
		`select from pg_stat_activity
		where datname = current_database() and wait_event_type = 'Lock'`,
	);
	return rows.length > 0;
}

test("[ING-11] a fork that removes a collection waits for the sync that begins with it, and neither dies", async () => {
	await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
	const id = await collectionId();
	await database.db.transaction((tx) => lockSync(tx, id));
	let reverting: Promise<void> = Promise.resolve();
	await database.db.transaction(async (tx) => {
		await lockSync(tx, id);
		reverting = lab.revert(ethereum, 9);
		await until(isWaiting, "the reorg waits");
		await tx.execute("update market_index.collection set sync_status = 'syncing' where id = $1", [
			id,
		]);
	});
	await reverting;
	expect(await collectionId()).toBe(-1);
});

test("[ING-11] what was learned of a collection's tokens, names and prices leaves with it", async () => {
	await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
	const id = await collectionId();
	for (const statement of [
		"former_slug (chain_id, slug, collection_id) values (1, 'cats', $1)",
		"token (collection_id, token_id) values ($1, 1)",
		"trait_count (collection_id, trait_type, value, tokens) values ($1, 'fur', 'red', 1)",
		"floor_snapshot (collection_id, at, floor_native) values ($1, now(), 1)",
		"recipients (collection_id, recipients, counted) values ($1, 1, '')",
	]) {
		await database.db.execute(`insert into market_index.${statement}`, [id]);
	}
	await lab.revert(ethereum, 9);
	const rows = await database.db.query<{ kept: number }>(
		`select (select count(*) from market_index.former_slug)
			+ (select count(*) from market_index.token)
			+ (select count(*) from market_index.trait_count)
			+ (select count(*) from market_index.floor_snapshot)
			+ (select count(*) from market_index.recipients) as kept`,
	);
	expect(Number(rows[0]?.kept)).toBe(0);
	expect(await collectionId()).toBe(-1);
});

test("[ING-11] a collection that the provider's lists name stays, also before its first sync", async () => {
	await lab.apply(ethereum, [mintOf(CATS, { blockNumber: 10 })]);
	const id = await collectionId();
	await database.db.execute(
		"insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, 1, 'cats')",
		[id],
	);
	await lab.revert(ethereum, 9);
	expect(await collectionId()).toBe(id);
});
