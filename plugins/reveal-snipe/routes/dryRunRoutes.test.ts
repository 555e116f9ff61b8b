import { beforeEach, expect, test } from "bun:test";
import { pruneKeptBooks } from "#plugins/reveal-snipe/sql/watch.ts";
import { type Buyer, ETHER } from "#test/harness/openBuyLab.ts";
import { type PlansLab, planBodyOf, usePlans } from "#test/harness/plans.ts";

// Guarantee: a dry run returns what the plan would have bought at the last reveal, from the book
// that was kept then, and changes nothing.

const TENTH = ETHER / 10n;

const open = usePlans();
let plans: PlansLab;
let by: Buyer;
beforeEach(async () => {
	({ plans, by } = await open());
});

/**
 * Stores a reveal that was detected in a block of four seconds ago, and that its burst has ended.
 */
async function detected({ isOpen = false } = {}): Promise<number> {
	const at = new Date(plans.clock.nowMs());
	const [row] = await plans.db.query<{ id: number }>(
		`insert into reveal_snipe.detection (collection_id, chain_id, signal, evidence, block_number,
			block_at, heard_at, detected_at, content_digest, step, ended_at)
		values ($1, 31337, 'metadata_event', 'traits', 77, $2, $3::timestamptz, $3, '\\x00',
			case when $4 then 'queued' else 'ended' end, case when not $4 then $3::timestamptz end)
		returning id`,
		[plans.collectionId, new Date(at.getTime() - 4_000), at, isOpen],
	);
	return row?.id ?? 0;
}

const ofBody = (change: Record<string, unknown> = {}) =>
	plans.call("/snipes/dry-run", { body: planBodyOf(change), by });
const stored = async () => {
	const [row] = await plans.db.query<{ intents: number; plans: number }>(
		`select (select count(*) from wallets.intent)::int4 as intents,
			(select count(*) from reveal_snipe.plan)::int4 as plans`,
	);
	return row;
};

test("[RVL-10] a dry run lists what it would buy, with price, time and value, and why it skipped the rest", async () => {
	const best = await plans.sell({ ether: 3n * TENTH, rank: 1 });
	const second = await plans.sell({ ether: 4n * TENTH, rank: 2 });
	const third = await plans.sell({ ether: TENTH, rank: 3 });
	const dear = await plans.sell({ ether: 5n * TENTH, rank: 4 });
	const common = await plans.sell({ ether: TENTH, rank: 300 });
	await plans.covered(await detected());
	// Later listings did not exist then.
	await plans.sell({ ether: TENTH, rank: 5 });
	await plans.db.execute("update market_index.collection set floor_native = $1", [5n * TENTH]);
	const before = await stored();
	const { status, body } = await ofBody({ maxItems: 2 });
	expect({ status, body }).toMatchObject({
		status: 200,
		body: {
			...{ chain: "anvil", collectionSlug: "tidal-cats", blockNumber: 77, afterBlockMs: 4_000 },
			bought: [
				{ tokenId: third.tokenId, rank: 3, priceNative: 0.1 },
				{ tokenId: best.tokenId, rank: 1, priceNative: 0.3, priceRaw: String(3n * TENTH) },
			],
			...{ spentNative: 0.4, spentRaw: String(4n * TENTH), floorNative: 0.5, worthNative: 1 },
			skippedCounts: { items_reached: 1, price_above_ceiling: 1, rank_above_ceiling: 1 },
		},
	});
	const reasons = Object.fromEntries(
		body.skipped.map(({ tokenId, reason }: any) => [tokenId, reason]),
	);
	expect(reasons).toEqual({
		[second.tokenId]: "items_reached",
		[dear.tokenId]: "price_above_ceiling",
		[common.tokenId]: "rank_above_ceiling",
	});
	expect(await stored()).toEqual(before);
});

test("[RVL-10] a dry run of a plan lists what that plan bought, to its owner only", async () => {
	await plans.sell({ ether: 3n * TENTH, rank: 1 });
	await plans.sell({ ether: TENTH, rank: 2 });
	const plan = await plans.armed(by, { budgetNative: 0.4 });
	// What has ended makes no plan due.
	await plans.covered(await detected({ isOpen: true }));
	const dry = await plans.call(`/snipes/${plan.id}/dry-run`, { method: "POST", by });
	const { fills } = await plan.read();
	expect(dry.body.bought.map(({ orderHash }: any) => orderHash).sort()).toEqual(
		fills.map(({ orderHash }: any) => orderHash).sort(),
	);
	expect(dry.body.floorNative).toBeNull();
	expect(dry.body.worthNative).toBeNull();
	const other = await plans.buyer({ account: 4 });
	const path = `/snipes/${plan.id}/dry-run`;
	expect((await plans.call(path, { method: "POST", by: other })).status).toBe(404);
	expect((await plans.call(path, { method: "POST" })).status).toBe(401);
	expect((await plans.call("/snipes/dry-run", { body: "nonsense" })).status).toBe(401);
	expect((await plans.call("/snipes/nonsense/dry-run", { method: "POST", by })).status).toBe(404);
});

test("409 reveal_unknown if none was recorded, or more than 30 days ago; 422 for an invalid plan", async () => {
	expect((await ofBody()).body).toMatchObject({ status: 409, code: "reveal_unknown" });
	expect((await ofBody({ maxRank: undefined })).status).toBe(422);
	expect((await ofBody({ budgetNative: 0.1 })).status).toBe(422);
	await plans.covered(await detected());
	expect((await ofBody()).status).toBe(200);
	plans.clock.ms += 30 * 86_400_000;
	expect((await ofBody()).body.code).toBe("reveal_unknown");
	await pruneKeptBooks(plans.db, Date.now() - plans.clock.nowMs() + 30 * 86_400_000 - 1);
	expect(await plans.db.query("select from reveal_snipe.kept_book")).toHaveLength(0);
});

test("the newest of several reveals is used, and one that is recorded twice keeps its first book", async () => {
	const first = await detected();
	await plans.covered(first);
	const late = await plans.sell({ ether: TENTH, rank: 1 });
	await plans.covered(first);
	expect((await ofBody()).body.bought).toEqual([]);
	await plans.covered(await detected());
	expect((await ofBody()).body.bought).toMatchObject([{ tokenId: late.tokenId }]);
});
