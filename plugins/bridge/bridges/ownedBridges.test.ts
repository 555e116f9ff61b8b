import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { BookWindow } from "#core/audit/bookSql.ts";
import { ownedBridges } from "#plugins/bridge/bridges/ownedBridges.ts";
import { moveBridge } from "#plugins/bridge/sql/bridges.ts";
import { createLieLab, type LieLab } from "#plugins/bridge/testing/createLieLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: bridges are in their owner's list with their own state, and are told when they move.

let database: TestDatabase;
let lab: LieLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createLieLab(database.db);
});
afterAll(() => database?.drop());
beforeEach(() => lab.fresh());

const asked = { status: null, period: { fromMs: 0, untilMs: Date.UTC(2100, 0) }, after: null };

test("bridges are listed newest first, from a place on, and by their status", async () => {
	const deposited = await lab.deposited();
	const { profileId } = await lab.read(deposited);
	const again = await lab.again(deposited, 1_000);
	await lab.deposited();
	const list = (more = {}) =>
		ownedBridges.list(database.db, { ...asked, profileId, limit: 10, ...more });
	const all = await list();
	const ids = all.map(({ id }) => id);
	expect(ids).toEqual([again.id, deposited.id]);
	const [newest] = all;
	expect(newest).toMatchObject({ profileId, status: "pending", errorCode: null, error: null });
	expect(newest?.summary).toContain("It was deposited on");
	const after = { atMs: newest?.createdAtMs ?? 0, id: newest?.id ?? "" };
	expect((await list({ after })).map(({ id }) => id)).toEqual(ids.slice(1));
	expect(await list({ status: "success" })).toEqual([]);
	expect(await list({ profileId: crypto.randomUUID() })).toEqual([]);
});

test("a bridge is told where it moved in the window, and where its deposit did", async () => {
	const bridge = await lab.read(await lab.deposited());
	const told = (window: BookWindow, intentIds: string[] = []) =>
		database.db.transaction(async (tx) =>
			(await ownedBridges.touched(tx, { window, intentIds })).map(({ id }) => id),
		);
	const markNow = async () => {
		const [row] = await database.db.query<{ tx: number }>(
			`select pg_snapshot_xmax(pg_current_snapshot())::text::int8 + core.book_tx_offset() as tx`,
		);
		return { tx: row?.tx ?? 0, open: [] };
	};
	const from = await markNow();
	expect(await told({ from, to: await markNow() })).toEqual([]);
	const move = { event: "doubt", at: new Date(), change: { errorCode: "deposit_lost" } } as const;
	await database.db.transaction((tx) => moveBridge(tx, bridge, move));
	const to = await markNow();
	expect(await told({ from, to })).toEqual([bridge.id]);
	expect(await told({ from: to, to: await markNow() })).toEqual([]);
	const intentId = crypto.randomUUID();
	await database.db.execute("update bridge.bridge set intent_id = $2 where id = $1", [
		...[bridge.id, intentId],
	]);
	expect(await told({ from: to, to: await markNow() }, [intentId])).toEqual([bridge.id]);
});
