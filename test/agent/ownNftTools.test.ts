import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { createAccountBook } from "#plugins/market-index/accounts/createAccountBook.ts";
import { resolvingOf } from "#plugins/market-index/agent/marketTools.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { ownNftTools } from "#plugins/nft-buys/ownNftTools.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a profile is told the NFTs of its own wallets, and no figure that is not known.

const ONE: Address = `0x${"ab".repeat(20)}`;
const TWO: Address = `0x${"cd".repeat(20)}`;
const STRANGER = contractOf(0x07e4);
const CATS = contractOf(0xca75);
const DOGS = contractOf(0xd095);

let database: TestDatabase;
let fixture: Fixture;
let addresses: readonly Address[] = [ONE, TWO];

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
	fixture.prices.setEth(2_000);
	const days = (count: number) => ({ occurredAtMs: NOW_MS - count * DAY_MS });
	await fixture.seed(ethereum, [
		mintOf(CATS, { to: ONE, tokenId: 1n, totalRaw: ETH / 10n, ...days(9) }),
		saleOf(CATS, { from: STRANGER, to: ONE, tokenId: 2n, ...days(8) }),
		saleOf(CATS, { from: ONE, to: STRANGER, tokenId: 2n, totalRaw: 3n * ETH, ...days(7) }),
		saleOf(CATS, { from: STRANGER, to: TWO, tokenId: 5n, totalRaw: 2n * ETH, ...days(3) }),
		saleOf(DOGS, { from: STRANGER, to: STRANGER, tokenId: 9n, ...days(4) }),
	]);
	const id = await fixture.idOf(ethereum, CATS);
	await database.db.execute(
		`update market_index.collection set floor_native = $2, floor_at = $3, slug = 'cats',
			name = 'Tidal Cats' where id = $1`,
		[id, ETH, new Date(NOW_MS - HOUR_MS)],
	);
});
afterAll(() => database.drop());

async function lineOf(name: string, input: object = {}): Promise<string> {
	const profile = { wallets: addresses.map((address) => ({ address })) };
	const tool = ownNftTools({
		clock: { nowMs: () => NOW_MS },
		wallets: { principalOf: async () => ({ profile }) } as unknown as Wallets,
		market: { ...resolvingOf(fixture), accounts: createAccountBook(fixture) },
	}).find((one) => one.name === name);
	assert(tool, "there is such a tool");
	const caller = { channel: "agent", profileId: "me", authority: "author" } as const;
	const answer = await tool.run(tool.input.parse(input), {
		caller,
		idempotencyKey: null,
		signal: AbortSignal.timeout(60_000),
	});
	assert(answer.kind === "done", "it does not ask");
	expect(tool.output.parse(answer.output)).toEqual(answer.output);
	const line = tool.line(answer.output);
	expect([...line].length).toBeLessThanOrEqual(160);
	expect(line).not.toMatch(/null|undefined|NaN/);
	return line;
}

test("while no contract was walked nothing is told as held, and nothing as not held", async () => {
	expect(await lineOf("read_own_nfts")).toBe(
		"What your wallets hold is not known yet: not known: Tidal Cats",
	);
});

test("what wallets hold is told with its worth at the floor, over all of them", async () => {
	const { db } = database;
	const id = await fixture.idOf(ethereum, CATS);
	const [row] = await db.query<{ setId: number }>(
		`insert into market_index.ownership
			(collection_id, chain_id, address, next_block, end_block, minted)
		values ($1, $2, $3, 11, 10, 100) returning set_id as "setId"`,
		[id, ethereum.id, bytesOf(CATS)],
	);
	for (const [owner, token] of [
		[ONE, 1],
		[TWO, 5],
	] as const) {
		const owned = [row?.setId ?? 0, token, token, bytesOf(owner)];
		await db.execute("insert into market_index.owned_span values ($1, $2, $3, $4, 1)", owned);
		const holder = [row?.setId ?? 0, bytesOf(owner)];
		await db.execute("insert into market_index.holder values ($1, $2, 1)", holder);
	}
	expect(await lineOf("read_own_nfts")).toBe("You hold 2: 2 Tidal Cats, 2 ETH at the floor");
	expect(await lineOf("read_own_nfts", { collection: "tidal cats" })).toBe(
		"You hold 2: Tidal Cats #1 #5, 2 ETH at the floor",
	);
	const dogs = await lineOf("read_own_nfts", { collection: DOGS });
	expect(dogs).toBe("Your wallets hold none that is known.");
	addresses = [STRANGER];
	expect(await lineOf("read_own_nfts")).toContain("none that is known; not known: 0x");
	addresses = [ONE, TWO];
});

test("trades are told one by one, of a time and a collection alone where these are named", async () => {
	expect(await lineOf("read_own_nft_trades")).toBe(
		"You bought 2 (in part): 3 ETH together, Tidal Cats #5 2 ETH 2026-03-07, " +
			"Tidal Cats #2 1 ETH 2026-03-02",
	);
	expect(await lineOf("read_own_nft_trades", { window: "5d" })).toStartWith(
		"You bought 1 5d (in part): 2 ETH together",
	);
	expect(await lineOf("read_own_nft_trades", { collection: "cats", type: "sold" })).toContain(
		"You sold 1 (in part): 3 ETH together, Tidal Cats #2 3 ETH 2026-03-03",
	);
	expect(await lineOf("read_own_nft_trades", { type: "sold", window: "1h" })).toStartWith(
		"You sold none that is known 1h.",
	);
	await expect(lineOf("read_own_nft_trades", { window: "2027-01" })).rejects.toMatchObject({
		code: "malformed_body",
	});
});

test("a result is of what was sold, with its cost; what was not sold has none", async () => {
	expect(await lineOf("read_own_nft_result", { collection: "cats" })).toBe(
		"Realised +2 ETH (+$4000.00) of 1 sold, cost 1 ETH, without fees and gas, " +
			"not all that you did is known",
	);
	addresses = [TWO];
	expect(await lineOf("read_own_nft_result")).toContain("You sold none that is known");
	addresses = [ONE, TWO];
});
