import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Address, bytesOf, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const ME: Address = `0x${"ab".repeat(20)}`;
const OTHER = contractOf(0x07e4);
const CATS = contractOf(0xca75);
const DOGS = contractOf(0xd095);
const CUPS = contractOf(0xc095);
const HIDDEN = contractOf(0x41dd);
const at = (ms: number) => new Date(NOW_MS - ms).toISOString();

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

const accounts = (path = "", account: string = ME) => ask(`/accounts/${account}${path}`);

/** A finished walk of a contract, with what accounts hold of it. */
async function walk(
	contract: Address,
	held: readonly { owner: Address; from: bigint; to: bigint }[],
	{ isOver = true, chain = ethereum } = {},
): Promise<void> {
	const { db } = database;
	const id = await fixture.idOf(chain, contract);
	const [row] = await db.query<{ setId: number }>(
		`insert into market_index.ownership
			(collection_id, chain_id, address, next_block, end_block, minted)
		values ($1, $2, $3, $4, 10, 100) returning set_id as "setId"`,
		[id, chain.id, bytesOf(contract), isOver ? 11 : 5],
	);
	const setId = row?.setId ?? 0;
	for (const { owner, from, to } of held) {
		await db.execute("insert into market_index.owned_span values ($1, $2, $3, $4, 1)", [
			setId,
			from,
			to,
			bytesOf(owner),
		]);
		await db.execute(
			`insert into market_index.holder values ($1, $2, $3)
			on conflict (set_id, owner) do update set units = holder.units + excluded.units`,
			[setId, bytesOf(owner), to - from + 1n],
		);
	}
}

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, base]);
	ask = createAsk(fixture);
	fixture.prices.setEth(2_000);
	await fixture.seed(ethereum, [
		mintOf(CATS, { to: ME, tokenId: 1n, totalRaw: ETH / 10n, occurredAtMs: NOW_MS - 9 * DAY_MS }),
		saleOf(CATS, { from: OTHER, to: ME, tokenId: 2n, occurredAtMs: NOW_MS - 8 * DAY_MS }),
		saleOf(CATS, {
			...{ from: ME, to: OTHER, tokenId: 2n, totalRaw: 3n * ETH },
			occurredAtMs: NOW_MS - 7 * DAY_MS,
		}),
		saleOf(CATS, { from: OTHER, to: contractOf(0xeeee), occurredAtMs: NOW_MS - 6 * DAY_MS }),
		saleOf(CATS, {
			...{ from: ME, to: ME, tokenId: 5n, accepted: false, reason: "self_trade" },
			occurredAtMs: NOW_MS - 5 * DAY_MS,
		}),
		saleOf(DOGS, { from: OTHER, to: ME, tokenId: 9n, occurredAtMs: NOW_MS - 4 * DAY_MS }),
		saleOf(HIDDEN, { from: OTHER, to: ME, occurredAtMs: NOW_MS - 3 * DAY_MS }),
	]);
	await fixture.seed(base, [
		saleOf(CUPS, {
			...{ from: OTHER, to: ME, tokenId: 3n, quantity: 4n, standard: "erc1155" },
			occurredAtMs: NOW_MS - 2 * DAY_MS,
		}),
	]);
	const cats = await fixture.idOf(ethereum, CATS);
	await database.db.execute(
		"update market_index.collection set floor_native = $2, floor_at = $3, slug = 'cats' where id = $1",
		[cats, ETH, new Date(NOW_MS - HOUR_MS)],
	);
	await database.db.execute(
		"update market_index.collection set excluded = true where address = $1",
		[bytesOf(HIDDEN)],
	);
	await database.db.execute(
		`insert into market_index.token (collection_id, token_id, name, image_url, rank, traits)
		values ($1, 1, 'Cat One', 'https://images.test/1.png', 7, '[{"type":"Fur","value":"Red"}]')`,
		[cats],
	);
});
afterAll(() => database.drop());

describe("GET /accounts/:address/activity", () => {
	const actions = ({ body }: Answer) =>
		body.data.map((one: { action: string; tokenId: string }) => `${one.action} ${one.tokenId}`);

	test("200: bought, sold and minted on all chains, the newest first, each once", async () => {
		const answer = await accounts("/activity");
		expect(answer.status).toBe(200);
		expect(actions(answer)).toEqual([
			"bought 3",
			"bought 9",
			"self 5",
			"sold 2",
			"bought 2",
			"minted 1",
		]);
		expect(answer.body).toMatchObject({ address: ME, page: { hasMore: false, nextCursor: null } });
		expect(answer.body.data[5]).toMatchObject({
			slug: "cats",
			imageUrl: "https://images.test/1.png",
			rank: 7,
			traits: [{ trait_type: "Fur", value: "Red" }],
			priceNative: 0.1,
		});
	});

	test("200: `coverage` names moves of each chain, which nobody read", async () => {
		const { body } = await accounts("/activity");
		const nothing = { from: null, until: null, fraction: 0 };
		expect(body.coverage).toEqual([
			{ chain: "ethereum", partial: { moved: nothing } },
			{ chain: "base", partial: { moved: nothing } },
		]);
	});

	test("200: only of one kind, chain, collection or stretch of time", async () => {
		expect(actions(await accounts("/activity?type=sold"))).toEqual(["sold 2", "self 5"].reverse());
		expect(actions(await accounts("/activity?type=bought&chain=base"))).toEqual(["bought 3"]);
		expect(actions(await accounts("/activity?slug=cats&type=minted"))).toEqual(["minted 1"]);
		const week = `after=${at(8 * DAY_MS)}&before=${at(5 * DAY_MS)}`;
		expect(actions(await accounts(`/activity?${week}`))).toEqual(["sold 2", "bought 2"]);
		expect(actions(await accounts("/activity?type=moved"))).toEqual([]);
	});

	test("200: pages meet, whatever their size and filter, also at one moment of two chains", async () => {
		const whole = actions(await accounts("/activity"));
		for (const filter of ["", "&slug=cats", "&type=bought"]) {
			for (const limit of [1, 2, 3]) {
				const seen: string[] = [];
				let cursor = "";
				do {
					const page = await accounts(`/activity?limit=${limit}${filter}&cursor=${cursor}`);
					expect(page.status).toBe(200);
					seen.push(...actions(page));
					cursor = page.body.page.nextCursor ?? "";
				} while (cursor !== "");
				const wanted =
					filter === "" ? whole : actions(await accounts(`/activity?${filter.slice(1)}`));
				expect(seen).toEqual(wanted);
			}
		}
	});

	test("an account is not shown the events of one whose address has the same hash", async () => {
		const twins = await database.db.query<{ account: string }>(
			`select min(account) || ' ' || max(account) as account
			from (
				select hashbytea(int8send(n) || decode(repeat('00', 12), 'hex')) as hash,
					'0x' || encode(int8send(n), 'hex') || repeat('00', 12) as account
				from generate_series(1::int8, 300000) as n
			) as made
			group by hash having count(*) > 1 limit 1`,
		);
		const [one = "", other = ""] = twins[0]?.account.split(" ") ?? [];
		const to: Address = `0x${one.slice(2)}`;
		await fixture.seed(ethereum, [saleOf(CATS, { from: OTHER, to, tokenId: 77n })]);
		expect(actions(await accounts("/activity", to))).toEqual(["bought 77"]);
		const { body } = await accounts("/activity", other);
		expect(body).toMatchObject({ data: [], page: { hasMore: false } });
	});

	test("422: filters that contradict each other, times in the future, another filter's cursor", async () => {
		const refused = async (path: string, code = "validation_error") => {
			const { status, body } = await accounts(`/activity?${path}`);
			expect({ path, status, code: body.code }).toEqual({ path, status: 422, code });
			return body;
		};
		const body = await refused(`after=${at(DAY_MS)}&before=${at(2 * DAY_MS)}`);
		expect(body.issues[0].path).toBe("after");
		await refused(`after=${at(DAY_MS)}&before=${at(DAY_MS)}`);
		await refused(`after=${at(-5 * MINUTE_MS)}`);
		await refused(`before=${at(-DAY_MS)}`);
		await refused("type=stolen");
		await refused("after=yesterday");
		await refused("chain=nowhere");
		const { page } = (await accounts("/activity?limit=1")).body;
		for (const filter of ["type=sold", "chain=base", "slug=cats", `after=${at(DAY_MS)}`]) {
			await refused(`${filter}&cursor=${page.nextCursor}`, "cursor_mismatch");
		}
		const other = await accounts(`/activity?cursor=${page.nextCursor}`, OTHER);
		expect([other.status, other.body.code]).toEqual([422, "cursor_mismatch"]);
		await refused("cursor=!");
	});

	test("404: a collection that is on another chain, hidden or unknown; 422: no account", async () => {
		for (const filter of ["slug=cats&chain=base", `slug=${HIDDEN}`, "slug=nobody"]) {
			const { status, body } = await accounts(`/activity?${filter}`);
			expect([filter, status, body.code]).toEqual([filter, 404, "not_found"]);
		}
		for (const account of ["0x12", ZERO_ADDRESS, "me"]) {
			for (const path of ["", "/activity", "/result"]) {
				const { status, body } = await accounts(path, account);
				expect([account, path, status, body.code]).toEqual([
					account,
					path,
					422,
					"validation_error",
				]);
			}
		}
	});
});

describe("GET /accounts/:address", () => {
	test("200: null, and not empty, while nothing was walked", async () => {
		const { status, body } = await accounts();
		expect(status).toBe(200);
		expect(body).toMatchObject({ data: null, collections: null, summary: null });
		const names = body.coverage.notWalked.map(
			(one: { contractAddress: string }) => one.contractAddress,
		);
		expect(names).toEqual([CUPS, DOGS, CATS]);
	});

	test("200: tokens with picture, rank, floor and value; what is not walked is named", async () => {
		await walk(CATS, [
			{ owner: ME, from: 1n, to: 1n },
			{ owner: OTHER, from: 2n, to: 3n },
			{ owner: ME, from: 4n, to: 6n },
		]);
		await walk(DOGS, [{ owner: ME, from: 9n, to: 9n }], { isOver: false });
		const { body } = await accounts("", ME.toUpperCase().replace("0X", "0x"));
		expect(body.data.map((one: { tokenId: string }) => one.tokenId)).toEqual(["1", "4", "5", "6"]);
		expect(body.data[0]).toMatchObject({
			chain: "ethereum",
			contractAddress: CATS,
			slug: "cats",
			units: "1",
			name: "Cat One",
			imageUrl: "https://images.test/1.png",
			rank: 7,
			traits: [{ trait_type: "Fur", value: "Red" }],
			floorNative: 1,
			floorUsd: 2_000,
			valueNative: 1,
		});
		expect(body.summary).toEqual({
			collections: 1,
			units: "4",
			valueRaw: (4n * ETH).toString(),
			valueNative: 4,
			valueUsd: 8_000,
			collectionsWithoutFloor: 0,
			unitsWithoutFloor: "0",
			isCut: false,
		});
		expect(body.coverage.notWalked).toMatchObject([
			{ chain: "base", contractAddress: CUPS, state: "not_walked", lastEventAt: at(2 * DAY_MS) },
			{ contractAddress: DOGS, state: "walking", lastEventAt: at(4 * DAY_MS) },
		]);
		expect(body.coverage.chains).toMatchObject([
			{ chain: "ethereum", walkedContracts: 1, walkingContracts: 1, owesBlocks: false },
			{ chain: "base", walkedContracts: 0, walkingContracts: 0 },
		]);
	});

	test("200: pages of one token meet, within a span as between spans and collections", async () => {
		const seen: string[] = [];
		let cursor = "";
		do {
			const { body } = await accounts(`?limit=1&cursor=${cursor}`);
			seen.push(...body.data.map((one: { tokenId: string }) => one.tokenId));
			cursor = body.page.nextCursor ?? "";
		} while (cursor !== "");
		expect(seen).toEqual(["1", "4", "5", "6"]);
		const { body } = await accounts(`?limit=1`);
		const mixed = await accounts(`?slug=cats&cursor=${body.page.nextCursor}`);
		expect([mixed.status, mixed.body.code]).toEqual([422, "cursor_mismatch"]);
	});

	test("200: a contract is an account too, and its own collection is named", async () => {
		const { status, body } = await accounts("", CATS);
		expect(status).toBe(200);
		expect(body.collectionsAtAddress).toEqual([{ chain: "ethereum", slug: "cats" }]);
		expect(body.data).toEqual([]);
		expect(body.summary).toMatchObject({ collections: 0, valueNative: 0 });
	});

	test("200: a collection without a floor is counted apart, and never as zero", async () => {
		await database.db.execute("update market_index.collection set floor_native = null");
		const { body } = await accounts();
		expect(body.summary).toMatchObject({
			units: "4",
			valueRaw: null,
			valueNative: null,
			valueUsd: null,
			collectionsWithoutFloor: 1,
			unitsWithoutFloor: "4",
		});
		expect(body.data[0]).toMatchObject({ floorNative: null, valueNative: null });
	});
});

describe("GET /accounts/:address/result", () => {
	test("200: what was bought for 1 and sold for 3 realised 2 ETH", async () => {
		const { status, body } = await accounts("/result");
		expect(status).toBe(200);
		expect(body.readFrom).toBeNull();
		expect(body.data).toMatchObject([
			{
				slug: "cats",
				tokenId: "2",
				unitsSold: "1",
				unitsRealised: "1",
				proceedsRaw: (3n * ETH).toString(),
				costRaw: ETH.toString(),
				realisedRaw: (2n * ETH).toString(),
				realisedNative: 2,
				realisedUsd: 4_000,
				lastSoldAt: at(7 * DAY_MS),
			},
		]);
		expect(body.summary).toMatchObject({ tokens: 1, realisedNative: 2, unitsSold: "1" });
	});

	test("200: nothing sold is not a result of zero", async () => {
		const { body } = await accounts("/result?chain=base");
		expect(body).toMatchObject({ data: [], summary: { tokens: 0, realisedNative: null } });
	});

	test("422: another account's cursor", async () => {
		await fixture.seed(ethereum, [
			saleOf(DOGS, { from: ME, to: OTHER, tokenId: 9n, occurredAtMs: NOW_MS - DAY_MS }),
		]);
		const { body } = await accounts("/result?limit=1");
		expect(body.page.hasMore).toBe(true);
		const next = await accounts(`/result?limit=1&cursor=${body.page.nextCursor}`);
		expect(next.body.data[0].tokenId).toBe("2");
		const other = await accounts(`/result?cursor=${body.page.nextCursor}`, OTHER);
		expect([other.status, other.body.code]).toEqual([422, "cursor_mismatch"]);
	});
});

describe("an account of thousands of events", () => {
	const BUSY: Address = `0x${"b5".repeat(20)}`;
	const EVENTS = 6_000;

	beforeAll(async () => {
		const old = { from: OTHER, to: BUSY, tokenId: 50n, occurredAtMs: NOW_MS - 19 * DAY_MS };
		await fixture.seed(ethereum, [saleOf(CATS, old)]);
		await database.db.execute(
			`insert into market_index.event (occurred_at, block_number, chain_id, collection_id,
				log_index, sub_index, kind, accepted, onchain_verified, block_hash, transaction_hash,
				from_address, to_address, token_id, quantity, currency, total_raw, total_native, venue)
			select occurred_at + n * interval '1 second', block_number, chain_id, $2, 100000 + n,
				sub_index, kind, accepted, onchain_verified, block_hash, transaction_hash,
				case when n % 2 = 1 then $1::bytea else from_address end,
				case when n % 2 = 1 then from_address else $1::bytea end,
				n / 2, quantity, currency, total_raw, total_native, venue
			from market_index.event, generate_series(1, $3::int4) as n where to_address = $1::bytea`,
			[bytesOf(BUSY), await fixture.idOf(ethereum, DOGS), EVENTS],
		);
	});

	test("200: a filter without an index ends its page, and the next one goes on there", async () => {
		const pages: number[] = [];
		let cursor = "";
		do {
			const { status, body } = await accounts(`/activity?slug=cats&cursor=${cursor}`, BUSY);
			expect(status).toBe(200);
			pages.push(body.data.length);
			cursor = body.page.nextCursor ?? "";
		} while (cursor !== "");
		expect(pages).toEqual([...Array.from({ length: EVENTS / 1_000 }, () => 0), 1]);
	});

	test("200: a result is of the newest 5,000 events, and says since when", async () => {
		const { body } = await accounts("/result?limit=1", BUSY);
		expect(body.readFrom).toBe(new Date(NOW_MS - 19 * DAY_MS + 1_001_000).toISOString());
		// 2,500 sales; the purchase of the first of them was the event before the oldest.
		expect(body.summary).toMatchObject({ unitsSold: "2500", leftOut: { cost_not_seen: "1" } });
		expect(body.coverage[0].partial).toHaveProperty("moved");
	});
});

test("a chain that is not indexed has no part in an account's answers", async () => {
	await fixture.seed(polygon, [saleOf(CATS, { from: OTHER, to: contractOf(0x9019) })]);
	const { body } = await accounts("/activity", contractOf(0x9019));
	expect(body.data).toEqual([]);
});
