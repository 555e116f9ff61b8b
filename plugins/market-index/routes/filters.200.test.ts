import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";
import { createApplierLab } from "#plugins/market-index/apply/testing/applierLab.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	canBeFilled,
	compareKnown,
	type Dice,
	drawTraits,
	pick,
	pickAccount,
	seedListings,
	seedTokens,
	VENUES,
	type WorldToken,
	worldEvents,
} from "#plugins/market-index/testing/filterWorld.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { markBookRead, type SeededOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

// Guarantee: whatever is asked of a market by filter and sort, the pages together hold what a
// second, plain reading of the same world holds: each row once, in order, after forks too.

const WORLDS = process.env["PROVE"] === "1" ? 2_000 : 200;
const TOKENS = 12;

type World = {
	dice: Dice;
	path: string;
	id: number;
	contract: Address;
	/** Its first event, which counts in no figure. */
	first: Required<NewEvent>;
};

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
let revert: ReturnType<typeof createReverter>;
let placed = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
	fixture.prices.setEth(2_000);
	revert = createReverter(createApplierLab(database.db).options);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const seeds = Array.from({ length: WORLDS }, (_, index) => TEST_SEED * 10_000 + index);

/** A collection of its own; its first sale is older than all that worlds do. */
async function openWorld(seed: number): Promise<World> {
	const contract = contractOf(0x100_000 + ++placed);
	const occurredAtMs = NOW_MS - 90 * DAY_MS;
	const refused = {
		accepted: false,
		reason: "swap",
		from: contractOf(0x99),
		venue: "old",
	} as const;
	const first = saleOf(contract, { occurredAtMs, ...refused, tokenId: 5_000n });
	await fixture.seed(ethereum, [first]);
	const id = await fixture.idOf(ethereum, contract);
	return { dice: createDice(seed), path: `/collections/${contract}`, id, contract, first };
}

/** All rows of a list, page by page. */
async function walk(path: string, rowsOf: (body: any) => any[] = ({ data }) => data) {
	const rows: any[] = [];
	let cursor = "";
	for (let pages = 0; ; pages++) {
		const { status, body } = await ask(`${path}${cursor}`);
		expect({ path, status, detail: body.detail }).toEqual({ path, status: 200, detail: undefined });
		rows.push(...rowsOf(body));
		expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
		expect(pages).toBeLessThan(500);
		if (body.page.nextCursor === null) return rows;
		cursor = `&cursor=${body.page.nextCursor}`;
	}
}

describe("getListings", () => {
	/** The listings in the order that is asked for. */
	function sorted(orders: readonly SeededOrder[], tokens: readonly WorldToken[], sort: string) {
		const rank = ({ tokenId }: SeededOrder) => {
			const known = tokens.find((token) => token.tokenId === tokenId)?.rank ?? null;
			return known === null ? null : BigInt(known);
		};
		const start = ({ startsAtMs }: SeededOrder) =>
			startsAtMs === null ? null : BigInt(startsAtMs);
		return [...orders].sort((a, b) => {
			const byKey =
				sort === "rank"
					? compareKnown(rank(a), rank(b))
					: sort === "time"
						? compareKnown(start(a), start(b), -1)
						: compareKnown(a.unitNative, b.unitNative);
			return byKey || (a.orderHash < b.orderHash ? -1 : 1);
		});
	}

	test(`listings by price, rank, time and traits are those of a plain reading (${WORLDS} worlds)`, async () => {
		for (const seed of seeds) {
			const { dice, path, id } = await openWorld(seed);
			const { db } = database;
			await markBookRead(db, id);
			const tokens = await seedTokens(db, dice, { collectionId: id, count: TOKENS });
			const orders = await seedListings(db, dice, { collectionId: id, count: 12, tokens: TOKENS });
			await noteTraits(db, id);
			for (const sort of ["price", "rank", "time"]) {
				const traits = dice(2) === 0 ? null : drawTraits(dice);
				const listed = orders.filter(
					(order) =>
						canBeFilled(order) &&
						(traits?.passes(tokens.find(({ tokenId }) => tokenId === order.tokenId)) ?? true),
				);
				const query = `sort=${sort}&limit=${1 + dice(8)}&${traits?.query ?? ""}`;
				const found = await walk(`${path}/listings?${query}`);
				expect({ seed, query, found: found.map(({ orderHash }) => orderHash) }).toEqual({
					seed,
					query,
					found: sorted(listed, tokens, sort).map(({ orderHash }) => orderHash),
				});
			}
		}
	});

	test("a filter by traits that nobody counted is not answered with an empty list", async () => {
		const { path, id } = await openWorld(0);
		await markBookRead(database.db, id);
		const asked = `${path}/listings?traits=${encodeURIComponent('[{"type":"a","value":"b"}]')}`;
		const unread = await ask(asked);
		expect(unread.body).toMatchObject({ data: null, reason: "traits_not_read" });
		await noteTraits(database.db, id);
		expect((await ask(asked)).body).toMatchObject({ data: [], reason: null });
	});
});

describe("getTokens", () => {
	/** Who holds what, as spans of an ERC-721 whose walk is done; a later token may be burnt. */
	async function seedOwners(dice: Dice, collectionId: number): Promise<(Address | null)[]> {
		const owners = Array.from({ length: TOKENS }, () => (dice(5) === 0 ? null : pickAccount(dice)));
		await database.db.execute(
			`with walk as (
				insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
				select id, chain_id, address, 2, 1 from market_index.collection where id = $1
				returning set_id
			)
			insert into market_index.owned_span (set_id, from_id, to_id, owner, position)
			select set_id, id, id, coalesce(owner, '\\x0000000000000000000000000000000000000000'), 1
			from walk, unnest($2::numeric[], $3::bytea[]) as given (id, owner)`,
			[
				collectionId,
				owners.map((_, id) => id),
				owners.map((owner) => (owner === null ? null : Buffer.from(owner.slice(2), "hex"))),
			],
		);
		return owners;
	}

	test(`tokens by id, rank and price, with every filter, are those of a plain reading (${WORLDS} worlds)`, async () => {
		for (const seed of seeds) {
			const { dice, path, id, contract } = await openWorld(seed);
			const { db } = database;
			await markBookRead(db, id);
			await noteTraits(db, id);
			const events = worldEvents(dice, contract, 20);
			await fixture.seed(ethereum, events);
			const tokens = await seedTokens(db, dice, { collectionId: id, count: TOKENS });
			const orders = await seedListings(db, dice, { collectionId: id, count: 14, tokens: TOKENS });
			const owners = await seedOwners(dice, id);
			const listingOf = (token: WorldToken) =>
				orders
					.filter((order) => canBeFilled(order) && !order.isPrivate)
					.filter(({ tokenId }) => tokenId === token.tokenId)
					.sort(
						(a, b) =>
							compareKnown(a.unitNative, b.unitNative) || (a.orderHash < b.orderHash ? -1 : 1),
					)[0];
			const priceOf = (token: WorldToken) => listingOf(token)?.unitNative ?? null;
			for (const sort of ["tokenId", "rank", "price"]) {
				const parts = [`sort=${sort}`, `limit=${1 + dice(8)}`];
				let expected = [...tokens];
				const keep = (part: string, passes: (token: WorldToken) => boolean) => {
					parts.push(part);
					expected = expected.filter(passes);
				};
				if (dice(3) === 0) {
					const traits = drawTraits(dice);
					keep(traits.query, traits.passes);
				}
				const [low, high] = [1 + dice(6), 6 + dice(7)];
				if (dice(4) === 0) keep(`minRank=${low}`, ({ rank }) => rank !== null && rank >= low);
				if (dice(4) === 0) keep(`maxRank=${high}`, ({ rank }) => rank !== null && rank <= high);
				const [least, most] = [BigInt(1 + dice(10)), BigInt(10 + dice(10))];
				const isPriced = (test: (price: bigint) => boolean) => (token: WorldToken) => {
					const price = priceOf(token);
					return price !== null && test(price);
				};
				if (dice(4) === 0) {
					const passes = isPriced((price) => price * 10n >= least * ETH);
					keep(`minPriceNative=${Number(least) / 10}`, passes);
				}
				if (dice(4) === 0) {
					const passes = isPriced((price) => price * 10n <= most * ETH);
					keep(`maxPriceNative=${Number(most) / 10}`, passes);
				}
				const owner = pickAccount(dice);
				if (dice(4) === 0) {
					keep(`owner=${owner}`, ({ tokenId }) => owners[Number(tokenId)] === owner);
				}
				const keyOf = (token: WorldToken) => {
					if (sort === "price") return priceOf(token);
					return sort === "rank" && token.rank !== null ? BigInt(token.rank) : null;
				};
				expected.sort((a, b) => compareKnown(keyOf(a), keyOf(b)) || Number(a.tokenId - b.tokenId));
				const query = parts.join("&");
				const rows = await walk(`${path}/tokens?${query}`);
				const last = (tokenId: bigint) =>
					events
						.filter((event) => event.kind === "sale" && event.accepted && event.tokenId === tokenId)
						.sort(newestFirst)[0]?.transactionHash ?? null;
				expect({
					...{ seed, query },
					rows: rows.map(({ tokenId, rank, owner, listing, lastSale }) => {
						const [order, sale] = [listing?.orderHash, lastSale?.transactionHash ?? null];
						return { tokenId, rank, owner, order, sale };
					}),
				}).toEqual({
					...{ seed, query },
					rows: expected.map((token) => ({
						tokenId: String(token.tokenId),
						rank: token.rank,
						owner: owners[Number(token.tokenId)] ?? null,
						order: listingOf(token)?.orderHash,
						sale: last(token.tokenId),
					})),
				});
			}
		}
	});

	test("what nobody has read is not answered with an empty list", async () => {
		const { path, id } = await openWorld(1);
		const { db } = database;
		const reasonOf = async (query: string) => {
			const { status, body } = await ask(`${path}/tokens?${query}`);
			expect({ query, status, isNull: body.data === null }).toEqual({
				query,
				status: 200,
				isNull: body.reason !== null,
			});
			return body.reason;
		};
		const traits = `traits=${encodeURIComponent('[{"type":"a","value":"b"}]')}`;
		expect(await reasonOf("sort=tokenId")).toBe("tokens_not_read");
		await db.execute("update market_index.collection set learned_at = now() where id = $1", [id]);
		expect(await reasonOf("sort=tokenId")).toBeNull();
		expect(await reasonOf("sort=price")).toBe("listings_not_read");
		expect(await reasonOf("maxPriceNative=1")).toBe("listings_not_read");
		expect(await reasonOf(`owner=${contractOf(1)}`)).toBe("owners_not_walked");
		expect(await reasonOf("maxRank=5")).toBe("not_ranked");
		expect(await reasonOf(traits)).toBe("traits_not_read");
		await markBookRead(db, id);
		await noteTraits(db, id);
		expect(await reasonOf(traits)).toBeNull();
		expect(await reasonOf("sort=price&minPriceNative=1")).toBeNull();
	});
});

type Kept = Required<NewEvent>;

const newestFirst = (a: Kept, b: Kept) =>
	b.occurredAtMs - a.occurredAtMs ||
	b.blockNumber - a.blockNumber ||
	b.logIndex - a.logIndex ||
	b.subIndex - a.subIndex;
const nameOf = ({ blockHash, logIndex, subIndex }: Kept) => `${blockHash}:${logIndex}:${subIndex}`;

/** Draws filters as a request has them, and what they mean, worked out a second time. */
function drawFilters(dice: Dice, { isSales }: { isSales: boolean }) {
	const parts: string[] = [];
	const tests: ((event: Kept) => boolean)[] = [];
	const may = (share: number, add: () => [string, (event: Kept) => boolean]) => {
		if (dice(share) !== 0) return;
		const [part, passes] = add();
		parts.push(part);
		tests.push(passes);
	};
	const account = pickAccount(dice);
	const time = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
	const type = isSales ? "sale" : pick(dice, ["sale", "sale", "transfer", null, null]);
	if (!isSales && type !== null) may(1, () => [`type=${type}`, ({ kind }) => kind === type]);
	may(3, () => {
		const tokenId = BigInt(dice(10));
		return [`tokenId=${tokenId}`, (event) => event.tokenId === tokenId];
	});
	may(4, () => [`account=${account}`, ({ from, to }) => from === account || to === account]);
	may(5, () => [`from=${account}`, ({ from }) => from === account]);
	may(5, () => [`to=${account.toUpperCase().replace("0X", "0x")}`, ({ to }) => to === account]);
	if (type !== "transfer") {
		may(4, () => {
			const venue = pick(dice, VENUES);
			return [`venue=${venue}`, (event) => event.venue === venue];
		});
		may(4, () => {
			const wei = (BigInt(dice(15)) * ETH) / 10n;
			const passes = ({ totalRaw, currency, quantity }: Kept) =>
				totalRaw !== null && currency !== STRANGE_COIN && totalRaw / quantity >= wei;
			return [`minPriceNative=${Number(wei) / 1e18}`, passes];
		});
	}
	may(4, () => {
		const sinceMs = NOW_MS - 1_000 - dice(24) * 40 * HOUR_MS;
		return [`after=${time(sinceMs)}`, ({ occurredAtMs }) => occurredAtMs >= sinceMs];
	});
	may(5, () => {
		const untilMs = NOW_MS - dice(3) * 40 * HOUR_MS;
		const ends = `before=${time(untilMs)}`;
		return parts.some((part) => part.startsWith("after"))
			? ["", () => true]
			: [ends, ({ occurredAtMs }) => occurredAtMs < untilMs];
	});
	may(8, () => {
		const block = Math.floor((NOW_MS - 1_000 - dice(24) * 40 * HOUR_MS) / 1_000) - 1_600_000_000;
		return [`block=${block}`, ({ blockNumber }) => blockNumber === block];
	});
	return {
		query: parts.filter((part) => part !== "").join("&"),
		passes: (event: Kept) => tests.every((passes) => passes(event)),
	};
}

/** Takes back what is above a random moment, and tells of another branch. */
async function forkWorld(dice: Dice, contract: Address, events: readonly Kept[]): Promise<Kept[]> {
	const forkBlock = Math.floor((NOW_MS - dice(30) * 40 * HOUR_MS) / 1_000) - 1_600_000_000;
	await database.db.transaction((tx) => revert(tx, { chainId: ethereum.id, forkBlock }));
	const branch = worldEvents(dice, contract, 20).filter(
		({ blockNumber }) => blockNumber > forkBlock,
	);
	await fixture.seed(ethereum, branch);
	return [...events.filter(({ blockNumber }) => blockNumber <= forkBlock), ...branch];
}

describe("getActivity and getSales", () => {
	test(`filtered events are those of a plain reading, after forks too (${WORLDS} worlds)`, async () => {
		for (const seed of seeds) {
			const { dice, path, id, contract, first } = await openWorld(seed);
			let events = worldEvents(dice, contract, 60);
			await fixture.seed(ethereum, events);
			if (dice(2) === 0) events = await forkWorld(dice, contract, events);
			events = [...events, first];
			const tokens = await seedTokens(database.db, dice, { collectionId: id, count: TOKENS });
			for (const isSales of [false, false, true, true]) {
				const { query: drawn, passes } = drawFilters(dice, { isSales });
				const traits = isSales && dice(3) === 0 ? drawTraits(dice) : null;
				const query = `limit=${1 + dice(20)}&${drawn}${traits === null ? "" : `&${traits.query}`}`;
				const expected = events.filter(passes).sort(newestFirst);
				const found = isSales
					? await walk(`${path}/sales?${query}`, ({ points }) => points)
					: await walk(`${path}/activity?${query}`);
				const sold = expected.filter(
					({ kind, accepted, tokenId }) =>
						kind === "sale" &&
						accepted &&
						(traits?.passes(tokens.find((token) => token.tokenId === tokenId)) ?? true),
				);
				expect({
					...{ seed, query },
					rows: found.map((row) => (isSales ? row.transactionHash : row.id)),
				}).toEqual({
					...{ seed, query },
					rows: isSales ? sold.map(({ transactionHash }) => transactionHash) : expected.map(nameOf),
				});
			}
		}
	});

	test("a token's activity is that of its collection, of that token", async () => {
		const { dice, path, contract } = await openWorld(77);
		const events = worldEvents(dice, contract, 120);
		await fixture.seed(ethereum, events);
		const rows = await walk(`/assets/ethereum/${contract}/3/activity?limit=2`);
		const expected = events.filter(({ tokenId }) => tokenId === 3n).sort(newestFirst);
		expect(expected.length).toBeGreaterThan(3);
		expect(rows.map(({ id }) => id)).toEqual(expected.map(nameOf));
		expect(await walk(`${path}/activity?tokenId=3`)).toEqual(rows);
		expect(await walk(`/assets/ethereum/${contract}/3/activity?type=mint&limit=1`)).toEqual(
			rows.filter(({ eventType }) => eventType === "mint"),
		);
	});

	test("a filter that nothing passes stops after 20,000 events, says where, and goes on from there", async () => {
		const { path, id, first } = await openWorld(78);
		await database.db.execute(
			`insert into market_index.event (occurred_at, block_number, chain_id, collection_id,
				log_index, sub_index, kind, accepted, onchain_verified, block_hash, transaction_hash,
				from_address, to_address, token_id, quantity, total_raw, total_native, venue)
			select $2::timestamptz - n * interval '1 second', 50000000 - n, 1, $1, 1, 0, 1 + n % 2, true,
				true, int8send(n), int8send(n), '\\x01', '\\x02', n, 1, 1, 1, 'seaport'
			from generate_series(1, 20500) as n`,
			[id, new Date(NOW_MS)],
		);
		const asked = `${path}/activity?tokenId=99999999`;
		const { body } = await ask(asked);
		expect(body).toMatchObject({ data: [], page: { hasMore: true } });
		expect(body.scannedTo).toBe(new Date(NOW_MS - 20_000_000).toISOString());
		const next = await ask(`${asked}&cursor=${body.page.nextCursor}`);
		expect(next.body).toMatchObject({ data: [], page: { hasMore: false }, scannedTo: null });
		// What is beyond the first page's bound is found by the next one, once.
		const oldest = await walk(`${path}/activity?tokenId=20400&limit=1`);
		expect(oldest.map(({ tokenId }) => tokenId)).toEqual(["20400"]);
		const seller = await walk(`${path}/activity?from=${first.from}&limit=200`);
		expect(seller.map(({ id }) => id)).toEqual([nameOf(first)]);
	});
});

describe("getSales, view=points", () => {
	const sold = (events: readonly Kept[]) =>
		events.filter(({ kind, accepted }) => kind === "sale" && accepted).sort(newestFirst);
	const priceOf = ({ totalRaw, currency, quantity }: Kept) =>
		totalRaw === null || currency === STRANGE_COIN ? null : totalRaw / quantity;

	test(`points are the first, last and dearest sale of each cell of time (${WORLDS / 2} worlds)`, async () => {
		for (const seed of seeds.slice(0, WORLDS / 2)) {
			const { dice, path, contract } = await openWorld(seed);
			const events = worldEvents(dice, contract, 60);
			await fixture.seed(ethereum, events);
			const sales = sold(events);
			const max = 10 + dice(40);
			const { status, body } = await ask(`${path}/sales?view=points&max=${max}`);
			expect(status).toBe(200);
			const shown: string[] = body.points.map((point: any) => point.transactionHash);
			expect({ seed, drawn: body.drawn }).toEqual({
				seed,
				drawn: { shown: shown.length, leftOut: sales.length - shown.length, from: null },
			});
			expect(body.page).toEqual({ nextCursor: null, hasMore: false });
			expect(shown.length).toBeLessThanOrEqual(max);
			const all = sales.map(({ transactionHash }) => transactionHash as string);
			expect(shown).toEqual(all.filter((hash) => shown.includes(hash)));
			if (sales.length <= max) expect(shown).toEqual(all);
			else expect({ seed, max, shown }).toEqual({ seed, max, shown: chosenOf(sales, max) });
		}
	});

	/** The same choice, worked out a second time. */
	function chosenOf(sales: readonly Kept[], max: number): string[] {
		const lowMs = sales.at(-1)?.occurredAtMs ?? 0;
		const lengthMs = (sales[0]?.occurredAtMs ?? 0) + 1_000 - lowMs;
		const count = Math.floor(max / 3);
		const cells = Map.groupBy(sales, ({ occurredAtMs }) =>
			Math.floor(((occurredAtMs - lowMs) * count) / lengthMs),
		);
		const chosen = new Set<string>();
		for (const cell of cells.values()) {
			const dearest = [...cell].sort(
				(a, b) => compareKnown(priceOf(a), priceOf(b), -1) || newestFirst(a, b),
			);
			for (const one of [cell[0], cell.at(-1), dearest[0]]) {
				if (one) chosen.add(one.transactionHash);
			}
		}
		return sales.map((one) => one.transactionHash as string).filter((hash) => chosen.has(hash));
	}

	test("points are of the time that is asked for", async () => {
		const { dice, path, contract } = await openWorld(79);
		const events = worldEvents(dice, contract, 60);
		await fixture.seed(ethereum, events);
		const [after, before] = [NOW_MS - 20 * DAY_MS, NOW_MS - 5 * DAY_MS];
		const times = [after, before].map((ms) => encodeURIComponent(new Date(ms).toISOString()));
		const { body } = await ask(
			`${path}/sales?view=points&after=${times[0]}&before=${times[1]}&max=5000`,
		);
		const within = sold(events).filter(({ occurredAtMs: ms }) => ms >= after && ms < before);
		expect(within.length).toBeGreaterThan(5);
		expect(body.points.map((point: any) => point.transactionHash)).toEqual(
			within.map(({ transactionHash }) => transactionHash),
		);
	});
});

/** Notes that tokens were looked for, their traits counted, and all ranked. */
async function noteTraits(db: Database, collectionId: number): Promise<void> {
	await db.execute(
		`with noted as (update market_index.collection set learned_at = now() where id = $1)
		update market_index.sync set traits_at = now(), ranked_at = now() where collection_id = $1`,
		[collectionId],
	);
}
