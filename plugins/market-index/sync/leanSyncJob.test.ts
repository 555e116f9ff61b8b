import { expect, test } from "bun:test";
import { DAY_MS } from "#core/time/units.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { saleEventOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { claimTurn } from "#plugins/market-index/sync/walk/sql/claimTurn.ts";
import { contractOf, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
withSyncLab((made) => {
	({ database, lab } = made);
});

/** Collections that the provider knows, asked for their events so many minutes ago. */
async function known(...minutes: number[]) {
	const collections = [];
	for (const [index, ago] of minutes.entries()) {
		const collection = await lab.register();
		await lab.discovered([collection.id]);
		const at = new Date(NOW_MS - ago * 60_000).toISOString();
		await lab.set(collection.id, `provider_slug = 'c${index}', lean_at = '${at}'`);
		collections.push(collection);
	}
	return collections;
}
const slugs = () => lab.fake.callsOf("events").map(({ args }) => args[0]);

test("[MRG-11] a tick asks for recent events of every known collection, ten at a time", async () => {
	await known(...Array.from({ length: 24 }, (_, index) => index + 1));
	let inside = 0;
	let most = 0;
	let open = () => {};
	const tenAreIn = new Promise<void>((done) => {
		open = done;
	});
	lab.fake.answers.events = async () => {
		most = Math.max(most, ++inside);
		if (inside === 10) open();
		await tenAreIn;
		inside--;
		return { items: [], cursor: null };
	};
	await lab.tick("lean-sync");
	expect(new Set(slugs()).size).toBe(24);
	expect(slugs()).toHaveLength(24);
	expect(most).toBe(10);
	lab.time.nowMs += 17_000;
	await lab.tick("lean-sync");
	expect(slugs()).toHaveLength(24);
	lab.time.nowMs += 3_000;
	await lab.tick("lean-sync");
	expect(slugs()).toHaveLength(48);
});

test("[MRG-11] the provider's budget wins: a limit ends the tick, and the stalest begin the next", async () => {
	const collections = await known(5, 30, 10);
	const lastAsked = () =>
		Promise.all(collections.map(async ({ id }) => (await lab.row(id))["lean_at"]));
	const before = await lastAsked();
	lab.fake.fail("events", lab.fake.faults.rateLimited(3_000));
	await lab.tick("lean-sync");
	// Who was not reached is as stale as before, and so goes first.
	expect(await lastAsked()).toEqual(before);
	const calls = slugs().length;
	await lab.tick("lean-sync");
	expect(slugs()).toHaveLength(calls);
	expect(lab.said).toEqual([]);
	lab.fake.fail("events", null);
	lab.time.nowMs += 3_000;
	const claim = { kind: "first", chainIds: [1], nowMs: lab.time.nowMs, everyMs: 18_000 } as const;
	const order = [];
	for (let turn = 0; turn < 3; turn++) {
		order.push((await claimTurn(database.db, claim))?.providerSlug);
	}
	expect(order).toEqual(["c1", "c2", "c0"]);
});

test("the first time a day is asked for, later what came since, with a little of what was before", async () => {
	const [collection] = await known(1);
	const id = collection?.id ?? -1;
	const asked = () => lab.fake.callsOf("events").at(-1)?.options["afterMs"];
	await lab.tick("lean-sync");
	expect(asked()).toBe(NOW_MS - DAY_MS);
	lab.time.nowMs += 60_000;
	await lab.tick("lean-sync");
	expect(asked()).toBe(NOW_MS - 120_000);
	expect(await lab.row(id)).toMatchObject({ events_until: new Date(NOW_MS + 60_000) });
});

test("[MRG-01] every page is merged; events of other contracts under the slug are not", async () => {
	const [collection] = await known(1);
	const address = collection?.address ?? "0x";
	const sales = [saleEventOf(address), saleEventOf(contractOf(0x77)), saleEventOf(address)];
	lab.fake.answers.events = async (_slug, { cursor }) => ({
		items: sales.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 1),
		cursor: cursor === "2" ? null : String(Number(cursor ?? 0) + 1),
	});
	await lab.tick("lean-sync");
	expect(lab.merged.flatMap(([, events]) => events)).toEqual([sales[0], sales[2]] as never);
});

test("pages without an end are read up to a bound, and that is said", async () => {
	await known(1);
	let page = 0;
	lab.fake.answers.events = async () => ({ items: [], cursor: String(++page) });
	await lab.tick("lean-sync");
	expect(page).toBe(25);
	expect(lab.said).toEqual(["a collection has more recent events than are read"]);
});

test("a failure leaves the time where it is, and costs the tick one line, or none where the adapter told it", async () => {
	const collections = await known(1, 2, 3);
	lab.fake.fail("events", lab.fake.faults.unreadable());
	await lab.tick("lean-sync");
	expect(lab.said).toEqual([]);
	lab.time.nowMs += 60_000;
	lab.fake.fail("events", new Error("our own"));
	await lab.tick("lean-sync");
	expect(lab.said).toEqual(["recent events were not read"]);
	for (const { id } of collections) expect(await lab.row(id)).toMatchObject({ events_until: null });
});

test("[MRG-13] a gap in the stream is asked for at once from where it began", async () => {
	const [first, second] = await known(1, 1);
	await lab.tick("lean-sync");
	lab.time.nowMs += 1_000;
	await lab.noteGap({ slugs: ["c1", "unheard-of"], sinceMs: NOW_MS - 600_000 });
	await lab.tick("lean-sync");
	const last = lab.fake.callsOf("events").at(-1);
	expect([last?.args[0], last?.options["afterMs"]]).toEqual(["c1", NOW_MS - 780_000]);
	expect(slugs()).toHaveLength(3);
	expect([first?.id, second?.id]).not.toContain(undefined);
});

test("a gap that is told while events are being read is not forgotten", async () => {
	const [collection] = await known(1);
	let told = false;
	lab.fake.answers.events = async () => {
		if (told) throw lab.fake.faults.unavailable();
		told = true;
		await lab.noteGap({ slugs: ["c0"], sinceMs: NOW_MS - 7_200_000 });
		return { items: [], cursor: null };
	};
	await lab.set(collection?.id ?? -1, `events_until = '${new Date(NOW_MS).toISOString()}'`);
	await lab.tick("lean-sync");
	expect(await lab.row(collection?.id ?? -1)).toMatchObject({
		events_until: new Date(NOW_MS - 7_200_000),
	});
});
