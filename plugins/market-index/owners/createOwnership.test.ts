import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { garbageJob, REPLACE_EVERY_MS, readHolders } from "#plugins/market-index/owners/jobs.ts";
import type { PlannedMove } from "#plugins/market-index/owners/testing/createMoveChain.ts";
import { createOwnerLab, LAB_DEPTH } from "#plugins/market-index/owners/testing/ownerLab.ts";
import { ownerModel } from "#plugins/market-index/owners/testing/ownerModel.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { cpuTimer } from "#test/harness/until.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const ONE: Address = "0x0000000000000000000000000000000000000721";
const MANY: Address = "0x0000000000000000000000000000000000001155";
const ALICE: Address = "0x00000000000000000000000000000000000000a1";
const BOB: Address = "0x00000000000000000000000000000000000000b0";
const CAROL: Address = "0x00000000000000000000000000000000000000ca";

function one(from: Address, to: Address, tokenId: bigint, lastTokenId = tokenId): PlannedMove {
	return { contract: ONE, standard: "erc721", from, to, tokenId, lastTokenId, quantity: 1n };
}

function many(from: Address, to: Address, tokenId: bigint, quantity: bigint): PlannedMove {
	const lastTokenId = tokenId;
	return { contract: MANY, standard: "erc1155", from, to, tokenId, lastTokenId, quantity };
}

const account = fc.constantFrom(ZERO_ADDRESS, ALICE, BOB, CAROL);
const id = fc.bigInt({ min: 0n, max: 7n });
const moveArbitrary = fc.oneof(
	fc.tuple(account, account, id).map(([from, to, at]) => one(from, to, at)),
	fc
		.tuple(account, account, id, fc.bigInt({ min: 0n, max: 4n }))
		.map(([from, to, at, more]) => one(from, to, at, at + more)),
	fc
		.tuple(account, account, id, fc.bigInt({ min: 1n, max: 5n }))
		.map(([from, to, at, units]) => many(from, to, at, units)),
);
const stepArbitrary = fc.oneof(
	fc.record({ kind: fc.constant("mine"), moves: fc.array(moveArbitrary, { maxLength: 4 }) }),
	fc.record({ kind: fc.constant("mine"), moves: fc.array(moveArbitrary, { maxLength: 4 }) }),
	fc.record({ kind: fc.constant("lane"), blocks: fc.integer({ min: 1, max: 4 }) }),
	fc.record({ kind: fc.constant("blind"), blocks: fc.integer({ min: 1, max: 4 }) }),
	fc.record({
		kind: fc.constant("walk"),
		blocks: fc.integer({ min: 1, max: 4 }),
		fails: fc.boolean(),
	}),
	fc.record({ kind: fc.constantFrom("watch", "leap", "backfill") }),
	fc.record({ kind: fc.constant("reorg"), depth: fc.integer({ min: 1, max: LAB_DEPTH }) }),
	// What an operator takes back may reach below what the journal holds.
	fc.record({ kind: fc.constant("reorg"), depth: fc.integer({ min: 1, max: 30 }) }),
);

test("[IDX-11] after any turns of walk and lane, kills and forks, the owners are those of the chain", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(stepArbitrary, { minLength: 5, maxLength: 40 }), async (steps) => {
			const lab = createOwnerLab(database.db);
			const ids = new Map<Address, number>();
			for (const contract of [ONE, MANY]) ids.set(contract, await lab.register(contract));
			for (const step of steps) {
				if (step.kind === "mine" && "moves" in step) lab.mine(step.moves);
				if (step.kind === "watch") await lab.watch();
				if (step.kind === "leap") lab.leap();
				if (step.kind === "backfill") await lab.backfill();
				if (step.kind === "reorg" && "depth" in step) await lab.reorg(step.depth);
				if (!("blocks" in step)) continue;
				const to = Math.min(lab.cursor() + step.blocks, lab.head());
				if (step.kind === "lane") await lab.lane(to);
				// What was asked for before anybody was watched; those who were refuse it.
				if (step.kind === "blind") await lab.lane(to, []);
				if (step.kind === "walk" && "fails" in step) await lab.walk(step.blocks, step);
			}
			await lab.lane();
			while (await lab.backfill());
			await lab.watch();
			for (let turn = 0; turn < 200 && (await lab.walk(3)); turn++);
			for (const [contract, collectionId] of ids) {
				const expected = { ...ownerModel(lab.moves(contract)), done: true };
				expect(await lab.state(collectionId)).toEqual(expected);
			}
		}),
		{ numRuns: 100 },
	);
});

test("[IDX-11] a range of 2^255 ids is stored, sold from and reverted in short time", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(ONE);
	const last = 2n ** 255n - 1n;
	lab.mine([one(ZERO_ADDRESS, ALICE, 0n, last)]);
	await lab.lane();
	await lab.watch();
	const cpuMs = cpuTimer();
	await lab.walk();
	lab.mine([one(ALICE, BOB, 2n ** 200n)]);
	await lab.lane();
	const holders = () => readHolders(database.db, { collectionId, limit: 10, after: null });
	expect(await holders()).toEqual([
		{ owner: ALICE, units: last },
		{ owner: BOB, units: 1n },
	]);
	await lab.reorg(1);
	expect(await holders()).toEqual([{ owner: ALICE, units: last + 1n }]);
	expect(cpuMs()).toBeLessThan(2_000);
});

test("[IDX-11] the walk of the most recently active collection comes first", async () => {
	const lab = createOwnerLab(database.db);
	await lab.register(ONE, "erc721", new Date(1_000));
	await lab.register(MANY, "erc1155", new Date(2_000));
	lab.mine([]);
	await lab.lane();
	await lab.watch();
	const walk = await lab.keeper.nextWalk(lab.chainId);
	expect(walk).toMatchObject({ contract: MANY, nextBlock: null, endBlock: 1 });
});

test("a finished walk queues its tokens for reading, an unfinished one does not", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(ONE);
	for (let block = 0; block < 4; block++) lab.mine([one(ZERO_ADDRESS, ALICE, BigInt(block))]);
	await lab.lane();
	await lab.watch();
	await lab.walk(2);
	expect(lab.queued).toEqual([]);
	while (await lab.walk(2));
	expect(lab.queued).toEqual([learnTokensJob(collectionId)]);
});

test("at most as many contracts are watched as the operator allows, and never excluded ones", async () => {
	const lab = createOwnerLab(database.db, { watchedMax: 1 });
	const first = await lab.register(ONE, "erc721", new Date(2_000));
	await lab.register(MANY, "erc1155", new Date(1_000));
	await database.db.execute("update market_index.collection set excluded = true where id = $1", [
		first,
	]);
	expect(await lab.watch()).toHaveLength(1);
	expect(await lab.keeper.watched(lab.chainId)).toEqual([MANY]);
	expect(await lab.watch()).toHaveLength(0);
});

test("a pausing walk lets others run, and is continued later", async () => {
	const lab = createOwnerLab(database.db);
	await lab.register(ONE);
	lab.mine([]);
	await lab.lane();
	await lab.watch();
	const walk = await lab.keeper.nextWalk(lab.chainId);
	if (!walk) return expect.unreachable();
	await lab.keeper.rest(walk, 600_000);
	expect(await lab.keeper.nextWalk(lab.chainId)).toBeNull();
	await lab.keeper.rest(walk, 0);
	expect(await lab.keeper.nextWalk(lab.chainId)).toEqual(walk);
});

test("[IDX-11] a part of a walk that is stored twice counts once", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(MANY, "erc1155");
	lab.mine([many(ZERO_ADDRESS, ALICE, 1n, 5n)]);
	await lab.lane();
	await lab.watch();
	const walk = await lab.keeper.nextWalk(lab.chainId);
	if (!walk) return expect.unreachable();
	// Two workers with the same picture.
	expect([await lab.step(walk, 9), await lab.step(walk, 9)]).toEqual([true, false]);
	expect(await lab.state(collectionId)).toMatchObject({ minted: 5n, ownersCount: 1 });
});

test("[IDX-11] a block that was skipped and then walked is not counted again by backfill", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(MANY, "erc1155");
	lab.mine([many(ZERO_ADDRESS, ALICE, 1n, 5n)]);
	lab.leap();
	await lab.watch();
	await lab.walk();
	expect(await lab.backfill()).toBe(true);
	expect(await lab.state(collectionId)).toMatchObject({ minted: 5n, holders: { [ALICE]: 5n } });
});

test("[IDX-11] after a fork below the end of a walk the lane's owners are correct", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(ONE);
	lab.mine([one(ZERO_ADDRESS, ALICE, 1n)]);
	lab.mine([one(ALICE, BOB, 1n)]);
	await lab.lane();
	await lab.watch();
	await lab.walk();
	await lab.reorg(1);
	lab.mine([one(ALICE, CAROL, 1n)]);
	await lab.lane();
	const expected = { ...ownerModel(lab.moves(ONE)), done: true };
	expect(await lab.state(collectionId)).toEqual(expected);
});

test("[IDX-11] after a reorg below the journal the contract is walked again", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(ONE);
	await lab.watch();
	for (let id = 0n; id < 20n; id++) {
		lab.mine([one(ZERO_ADDRESS, ALICE, id)]);
		await lab.lane();
	}
	await lab.walk();
	await lab.reorg(2 * LAB_DEPTH);
	expect(await lab.state(collectionId)).toMatchObject({ done: false, minted: 0n, holders: {} });
	while (await lab.walk());
	const expected = { ...ownerModel(lab.moves(ONE)), done: true };
	expect(await lab.state(collectionId)).toEqual(expected);
});

test("owners of a collection that a fork removed are removed too", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(ONE);
	lab.mine([one(ZERO_ADDRESS, ALICE, 1n)]);
	await lab.lane();
	await lab.watch();
	await lab.walk();
	await database.db.execute("delete from market_index.collection where id = $1", [collectionId]);
	await lab.reorg(1);
	expect(await lab.state(collectionId)).toMatchObject({ holders: {}, owners: {}, done: false });
	expect(await lab.keeper.watched(lab.chainId)).toEqual([]);
});

test("on a chain at its limit an active collection replaces an inactive one", async () => {
	const lab = createOwnerLab(database.db, { watchedMax: 1 });
	const silent = await lab.register(ONE, "erc721", new Date(0));
	lab.mine([one(ZERO_ADDRESS, ALICE, 1n)]);
	await lab.lane();
	await lab.watch();
	await lab.walk();
	expect(await lab.state(silent)).toMatchObject({ ownersCount: 1 });
	expect(await lab.watch()).toEqual([]);
	await lab.register(CAROL, "erc721", new Date(1));
	const active = await lab.register(MANY, "erc1155", new Date());
	// Asked for now and then only: it means looking through all that are watched.
	expect(await lab.watch()).toEqual([]);
	lab.passTime(REPLACE_EVERY_MS);
	expect(await lab.watch()).toEqual([active]);
	expect(await lab.keeper.watched(lab.chainId)).toEqual([MANY]);
	expect(await lab.state(silent)).toMatchObject({ ownersCount: 0, holders: {} });
	// The journal still tells of the one that left: a fork must not bring its owners back.
	await lab.reorg(1);
	const rows = () =>
		database.db.query(
			`select from market_index.owned_span as s
			where not exists (select from market_index.ownership as o where o.set_id = s.set_id)`,
		);
	expect((await rows()).length).toBeGreaterThan(0);
	const { signal } = new AbortController();
	// Its time stands still: a busy machine must not end the turn before all is cleared.
	await garbageJob({ db: database.db, clock: { nowMs: () => 0 } }).run({ signal });
	expect(await rows()).toEqual([]);
});

test("the journal is deleted once its blocks can no longer leave the chain", async () => {
	const lab = createOwnerLab(database.db);
	await lab.register(ONE);
	await lab.register(MANY, "erc1155");
	await lab.watch();
	lab.mine([one(ZERO_ADDRESS, ALICE, 1n), many(ZERO_ADDRESS, ALICE, 1n, 1n)]);
	await lab.lane();
	const rows = () =>
		database.db.query(
			`select block from market_index.span_before where chain_id = $1
			union all select block from market_index.units_added where chain_id = $1`,
			[lab.chainId],
		);
	expect(await rows()).not.toEqual([]);
	for (let block = 0; block <= LAB_DEPTH; block++) lab.mine([]);
	await lab.lane();
	expect(await rows()).toEqual([]);
});

test("holders are returned largest first, page by page, each once", async () => {
	const lab = createOwnerLab(database.db);
	const collectionId = await lab.register(MANY, "erc1155");
	await lab.watch();
	lab.mine([
		many(ZERO_ADDRESS, ALICE, 1n, 2n),
		many(ZERO_ADDRESS, BOB, 1n, 2n),
		many(ZERO_ADDRESS, CAROL, 2n, 9n),
	]);
	await lab.lane();
	// Until the walk is done nobody can say who holds most.
	expect(await readHolders(database.db, { collectionId, limit: 9, after: null })).toBeNull();
	await lab.walk();
	const page = async (after: { owner: Address; units: bigint } | null) =>
		(await readHolders(database.db, { collectionId, limit: 2, after })) ?? [];
	const first = await page(null);
	const second = await page(first[1] ?? null);
	expect([...first, ...second]).toEqual([
		{ owner: CAROL, units: 9n },
		{ owner: ALICE, units: 2n },
		{ owner: BOB, units: 2n },
	]);
});
