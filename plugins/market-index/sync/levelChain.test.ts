import { expect, test } from "bun:test";
import { MINUTE_MS } from "#core/time.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { saleEventOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what the lanes of a level chain tell is not asked of the provider; what only the
// provider knows is.

let database: TestDatabase;
let lab: SyncLab;
withSyncLab((made) => {
	({ database, lab } = made);
});

const events = () => lab.fake.callsOf("events");

/** Collections that the provider knows, and whose first day was read. */
async function known(count: number) {
	const collections = [];
	for (let at = 0; at < count; at++) {
		const collection = await lab.register();
		await lab.discovered([collection.id]);
		await lab.set(collection.id, `provider_slug = 'c${collection.id}'`);
		collections.push(collection);
	}
	return collections;
}

/** Turns for so many minutes, in which the lanes are level, or are not. */
async function pass(minutes: number, { level }: { level: boolean }): Promise<number> {
	const before = events().length;
	for (let tick = 0; tick < minutes * 3; tick++) {
		lab.time.nowMs += 20_000;
		lab.level.until = level ? new Date(lab.time.nowMs - 2_000) : null;
		await lab.tick("lean-sync");
	}
	return events().length - before;
}

test("while lanes are behind, each turn reads the provider; once level, only other venues' sales", async () => {
	await known(5);
	expect(await pass(1, { level: false })).toBe(5 * 3);
	// Since when the lanes are level nobody knows of the time before: it is asked for once more.
	expect(await pass(1, { level: true })).toBe(5);
	expect(await pass(8, { level: true })).toBe(0);
	// Transfers, and sales of venues that nobody decodes: every ten minutes, and no mints.
	expect(await pass(10, { level: true })).toBe(5);
	expect(events().at(-1)?.options["types"]).toEqual(["sale", "transfer"]);
	expect(await pass(1, { level: false })).toBeGreaterThanOrEqual(5 * 2);
	expect(events().at(-1)?.options["types"]).toEqual(["sale", "mint", "transfer"]);
});

test("after lanes were behind for a while, the list is read on from its covered time", async () => {
	const [collection] = await known(1);
	await pass(2, { level: true });
	const row = await lab.row(collection?.id ?? -1);
	const untilMs = (row["events_until"] as Date).getTime();
	// Nobody looked for an hour: what the lanes did meanwhile nobody knows.
	lab.time.nowMs += 60 * MINUTE_MS;
	lab.level.until = new Date(lab.time.nowMs - 1_000);
	await lab.tick("lean-sync");
	expect(events().at(-1)?.options["afterMs"]).toBeLessThanOrEqual(untilMs - 120_000);
	const [span] = await database.db.query<{ from: Date }>(
		"select level_from as from from market_index.chain_span",
	);
	expect(span?.from.getTime()).toBe(lab.time.nowMs - 1_000);
});

test("a chain whose lanes were not seen level for a while does not count as level", async () => {
	await known(3);
	await pass(2, { level: true });
	lab.time.nowMs += MINUTE_MS;
	const before = events().length;
	await lab.tick("lean-sync");
	expect(events().length - before).toBe(3);
});

test("a collection with sales of a venue that no lane decodes is read in each turn", async () => {
	const [foreign, ours] = await known(2);
	await pass(30, { level: true });
	// The provider told a sale that the lanes have not, ten minutes after it was.
	const sale = saleEventOf(foreign?.address ?? "0x");
	await database.db.execute(
		`insert into market_index.unconfirmed (chain_id, transaction_hash, collection_id, kind,
			token_id, block_number, log_index, sub_index, occurred_at)
		values ($1, $2, $3, 0, 1, 1, 1, 0, $4)`,
		[
			...[ethereum.id, Buffer.from(sale.transactionHash?.slice(2) ?? "", "hex")],
			...[foreign?.id ?? -1, new Date(lab.time.nowMs - 10 * MINUTE_MS)],
		],
	);
	await pass(11, { level: true });
	lab.fake.calls.length = 0;
	await pass(5, { level: true });
	const asked = events().map(({ args }) => args[0]);
	expect(asked.filter((slug) => slug === `c${foreign?.id}`)).toHaveLength(15);
	expect(asked.filter((slug) => slug === `c${ours?.id}`).length).toBeLessThanOrEqual(1);
});

test("a first day is read even on a level chain, because lanes have no events before their start", async () => {
	lab.level.until = new Date(NOW_MS - 1_000);
	await lab.tick("lean-sync");
	await known(4);
	await lab.tick("lean-sync");
	expect(events()).toHaveLength(4);
});
