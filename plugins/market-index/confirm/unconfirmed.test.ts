import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { type Candidate, chooseMatch } from "#plugins/market-index/confirm/matching.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import {
	contractOf,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("chooseMatch", () => {
	const [ALICE, BOB, CAROL] = [contractOf(1), contractOf(2), contractOf(3)];
	const TX = `0x${"7".repeat(64)}` as const;
	const STAND_IN = `0x${"0".repeat(16)}${"5".repeat(48)}` as const;

	const stored = (given: Partial<Candidate> = {}): Candidate => ({
		kind: "sale",
		transactionHash: TX,
		tokenId: 7n,
		from: ALICE,
		to: BOB,
		occurredAtMs: NOW_MS,
		onchainVerified: true,
		accepted: true,
		payload: null,
		...given,
	});
	const mint = stored({ kind: "mint", from: ZERO_ADDRESS });
	const told = stored;
	const matches = (said: Candidate, ...all: Candidate[]) => chooseMatch(said, all, "erc721");

	test("[MRG-07] an event of the same kind, token and transaction matches, whoever its parties are", () => {
		const chain = stored();
		expect(matches(told({ from: CAROL, to: ALICE }), chain)).toBe(chain);
		expect(matches(told({ tokenId: 8n }), chain)).toBeNull();
		expect(matches(told({ transactionHash: `0x${"8".repeat(64)}` }), chain)).toBeNull();
		expect(matches(told({ kind: "mint" }), chain)).toBeNull();
		expect(matches(told({ kind: "transfer" }), chain)).toBeNull();
	});

	test("[MRG-07] a transfer to the same account duplicates a mint, but never a sale", () => {
		const transfer = told({ kind: "transfer", from: CAROL });
		expect(matches(transfer, mint)).toBe(mint);
		expect(matches({ ...transfer, to: ALICE }, mint)).toBeNull();
		expect(matches(mint, transfer)).toBeNull();
	});

	test("of several matches the accepted one is best, then one with the same parties, then one without payload", () => {
		const mirror = stored({ accepted: false });
		const spoken = stored({ payload: {} });
		const others = stored({ from: CAROL });
		const alone = stored({ onchainVerified: false });
		expect(matches(told(), mirror, others)).toBe(others);
		expect(matches(told(), others, spoken)).toBe(spoken);
		const silent = stored();
		expect(matches(told(), spoken, silent)).toBe(silent);
		expect(matches(told(), alone, mirror)).toBe(mirror);
	});

	test("of several sales of an ERC-1155 token in a transaction, the provider's is matched with one", () => {
		const alone = stored({ onchainVerified: false });
		const other = told({ from: CAROL });
		expect(chooseMatch(other, [alone], "erc1155")).toBeNull();
		expect(chooseMatch(told({ from: BOB, to: ALICE }), [alone], "erc1155")).toBe(alone);
		expect(chooseMatch(other, [alone], "erc721")).toBe(alone);
		expect(chooseMatch(other, [stored()], "erc1155")).not.toBeNull();
	});

	test("an event without a transaction hash matches by token, parties and approximate time", () => {
		const said = told({ transactionHash: STAND_IN });
		const chain = stored();
		expect(matches(said, chain)).toBe(chain);
		expect(matches({ ...said, occurredAtMs: NOW_MS - 600_000 }, chain)).toBe(chain);
		expect(matches({ ...said, occurredAtMs: NOW_MS - 600_001 }, chain)).toBeNull();
		expect(matches({ ...said, from: CAROL }, chain)).toBeNull();
		const otherStandIn = stored({ transactionHash: `${STAND_IN.slice(0, -1)}6` as never });
		expect(matches(said, otherStandIn)).toBeNull();
		expect(matches({ ...said, kind: "transfer", from: CAROL }, mint)).toBe(mint);
	});
});

describe("createConfirmer", () => {
	// What looking for the provider's words costs a lane, counted in statements.

	let database: TestDatabase;
	let lab: ReturnType<typeof createMergeLab>;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createMergeLab(database.db);
	});
	afterAll(() => database.drop());
	beforeEach(() => lab.clear());

	const CATS = contractOf(0x91);
	const at = (blockNumber: number) => ({
		blockNumber,
		occurredAtMs: timeOf(blockNumber),
		tokenId: BigInt(blockNumber),
		transactionHash: `0x${blockNumber.toString(16).padStart(64, "e")}` as const,
	});
	const sale = (block: number) => saleOf(CATS, at(HEAD_BLOCK - block));

	/** A lane that notes the statements of each of its batches. */
	function countingLane(hasProvider: boolean) {
		const apply = createApplier({ ...lab.options, hasProvider });
		return async (block: number) => {
			const statements: string[] = [];
			await database.db.transaction(async (tx) => {
				const counted: Tx = {
					...tx,
					query: (text, values) => {
						statements.push(text);
						return tx.query(text, values);
					},
					execute: (text, values) => {
						statements.push(text);
						return tx.execute(text, values);
					},
				};
				await apply(counted, { chainId: ethereum.id, live: true, events: [sale(block)] });
			});
			const looks = statements.filter((text) => text.includes("market_index.unconfirmed"));
			return { all: statements.length, looks: looks.length };
		};
	}

	test("a chain without a provider is checked for unconfirmed events once", async () => {
		const lane = countingLane(false);
		const first = await lane(9);
		const second = await lane(8);
		const third = await lane(7);
		expect([first.looks, second.looks, third.looks]).toEqual([1, 0, 0]);
		expect(third.all).toBe(second.all);
	});

	test("with a provider and no unconfirmed event, a batch costs one more statement", async () => {
		const [without, lane] = [countingLane(false), countingLane(true)];
		await without(9);
		const plain = await without(8);
		await lane(7);
		const looking = await lane(6);
		expect(looking.looks).toBe(1);
		expect(looking.all).toBe(plain.all + 1);
	});

	test("[ING-15] a provider that was switched off leaves no events that are counted twice", async () => {
		const cats = await lab.register(CATS);
		await lab.merge(cats, [told(sale(6)), told(sale(5))]);
		const lane = countingLane(false);
		await lane(7);
		await lane(6);
		await lane(5);
		const rows = await lab.rows();
		expect(rows.map(({ verified }) => verified)).toEqual([true, true, true]);
		expect((await lane(4)).looks).toBe(1);
		expect((await lane(3)).looks).toBe(0);
	});
});
