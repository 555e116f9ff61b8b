import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { MINUTE_MS } from "#core/time/units.ts";
import {
	type ApplierLab,
	createApplierLab,
} from "#plugins/market-index/apply/testing/applierLab.ts";
import { MINT_FRAMES_MAX } from "#plugins/market-index/frames/limits.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
	wholeSpans,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what is stored is told, in the same transaction, and shows what the routes show.

let database: TestDatabase;
let lab: ApplierLab;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createApplierLab(database.db);
	ask = createAsk(createMarketFixture(database.db, [ethereum]));
});
afterAll(() => database.drop());
beforeEach(async () => {
	await lab.clear();
	lab.hooks.onJobs = async () => {};
});

const CATS = contractOf(0xca75);
const DOGS = contractOf(0xd065);
const now = { occurredAtMs: NOW_MS - MINUTE_MS };
const told = (contract: string) => lab.frames(`collection:ethereum:${contract}`);
const discover = () => lab.frames("discover:ethereum");
const typesOf = (frames: { type: string }[]) => frames.map(({ type }) => type);
const sectionsOf = (frames: { data: unknown }[]) =>
	frames.map(({ data }) => (data as { section: string }).section);

test("[STR-04] a sale is told as the row that activity then answers, with the candle that it moved", async () => {
	const sale = saleOf(CATS, {
		...now,
		currency: STRANGE_COIN,
		payload: { image_url: "https://x.test/1" },
	});
	await lab.apply(ethereum, [sale, saleOf(CATS, { ...now, totalRaw: 3n * ETH })], { live: true });
	const frames = await told(CATS);
	expect(typesOf(frames)).toEqual(["market_event", "market_event", "candle_update"]);
	const { body } = await ask(`/collections/${CATS}/activity`);
	expect(frames.slice(0, 2).map(({ data }) => data)).toEqual(body.data.toReversed());
	const { candles } = (await ask(`/collections/${CATS}/candles?interval=1m`)).body;
	expect(frames[2]?.data).toEqual({ interval: "1m", candle: candles.at(-1) });
	await lab.apply(ethereum, [saleOf(CATS, { ...now, totalRaw: 5n * ETH })], { live: true });
	const [again] = (await told(CATS)).filter(({ type }) => type === "candle_update").slice(1);
	expect(again?.data).toMatchObject({ candle: { open: 3, close: 5, sales: 3 } });
});

test("[STR-04] a run that is rolled back publishes nothing, and a replay nothing twice", async () => {
	const sale = saleOf(CATS, now);
	const failing = database.db.transaction(async (tx) => {
		await lab.applier(tx, { chainId: ethereum.id, live: true, events: [sale] });
		throw new Error("lost its lease");
	});
	await expect(failing).rejects.toThrow("lost its lease");
	expect(await told(CATS)).toEqual([]);
	await lab.apply(ethereum, [sale], { live: true });
	const once = [await told(CATS), await discover()];
	expect(once.map((frames) => frames.length)).toEqual([2, 1]);
	await lab.apply(ethereum, [sale], { live: true });
	await lab.apply(ethereum, [sale], { live: false });
	expect([await told(CATS), await discover()]).toEqual(once);
});

test("a sale without a known price opens no candle, and counts in one that is open", async () => {
	const odd = () => saleOf(CATS, { ...now, currency: STRANGE_COIN });
	await lab.apply(ethereum, [odd()], { live: true });
	expect(typesOf(await told(CATS))).toEqual(["market_event"]);
	expect(sectionsOf(await discover())).toEqual(["market"]);
	await lab.apply(ethereum, [saleOf(CATS, now)], { live: true });
	await lab.apply(ethereum, [odd()], { live: true });
	const updates = (await told(CATS)).filter(({ type }) => type === "candle_update");
	expect(updates.map(({ data }) => data)).toMatchObject([
		{ candle: { sales: 2, volumeNative: 1 } },
		{ candle: { sales: 3, volumeNative: 1 } },
	]);
});

test("what is not accepted is told to its collection, and moves no row of discover", async () => {
	const refused = { ...now, accepted: false, reason: "zero_price" } as const;
	await lab.apply(ethereum, [saleOf(CATS, refused), mintOf(CATS, refused)], { live: true });
	expect(typesOf(await told(CATS))).toEqual(["market_event", "market_event"]);
	expect(await discover()).toEqual([]);
});

test("discover hears of mints as the route shows them, then of the rows that they moved", async () => {
	await lab.apply(ethereum, [mintOf(CATS, now), saleOf(DOGS, now)], { live: true });
	const frames = await discover();
	expect(sectionsOf(frames)).toEqual(["mints", "market", "minting"]);
	const { body } = await ask("/discover?chain=ethereum");
	const rows = frames.map(({ data }) => (data as { row: unknown }).row);
	expect(rows).toEqual([
		body.mints[0],
		body.market.find(({ slug }: { slug: string }) => slug === DOGS),
		body.minting[0],
	]);
});

test("a collection that is renamed while its batch is applied is still told to discover", async () => {
	await lab.apply(ethereum, [saleOf(DOGS, now)]);
	lab.hooks.onJobs = async (tx) => {
		await tx.execute("update market_index.collection set slug = 'cats' where slug = $1", [CATS]);
	};
	await lab.apply(ethereum, [saleOf(CATS, now), mintOf(CATS, now)], { live: true });
	const named = (await discover()).filter(({ data }) => {
		return (data as { row: { slug?: string } }).row?.slug === "cats";
	});
	expect(sectionsOf(named)).toEqual(["market", "minting"]);
});

test("[STR-03] 40 live mints go out one by one, 41 as one snapshot_required; by topic", async () => {
	const mints = (contract: typeof CATS, count: number) =>
		Array.from({ length: count }, () => mintOf(contract, now));
	await lab.apply(ethereum, [...mints(CATS, MINT_FRAMES_MAX), saleOf(CATS, now)], { live: true });
	expect(typesOf(await told(CATS)).filter((type) => type === "market_event")).toHaveLength(41);
	expect(sectionsOf(await discover()).filter((one) => one === "mints")).toHaveLength(40);

	await lab.clear();
	await lab.apply(ethereum, [...mints(CATS, 41), saleOf(CATS, now), ...mints(DOGS, 1)], {
		live: true,
	});
	const crowded = await told(CATS);
	expect(typesOf(crowded)).toEqual(["snapshot_required", "market_event", "candle_update"]);
	expect(crowded[0]?.data).toEqual({ reason: "too_many_mints" });
	expect(crowded[1]?.data).toMatchObject({ eventType: "sale" });
	expect(typesOf(await told(DOGS))).toEqual(["market_event"]);
	const [first, ...rest] = await discover();
	expect(first?.type).toBe("snapshot_required");
	expect(sectionsOf(rest)).toEqual(["market", "minting", "minting"]);

	// Each collection stays below the limit, the chain does not.
	await lab.clear();
	await lab.apply(ethereum, [...mints(CATS, 30), ...mints(DOGS, 30)], { live: true });
	expect(typesOf(await told(CATS))).toEqual(Array(30).fill("market_event"));
	expect(typesOf(await discover()).filter((type) => type === "snapshot_required")).toHaveLength(1);
});

test("a run that catches up tells each topic once that all it knows is old", async () => {
	const sales = Array.from({ length: 30 }, () => saleOf(CATS, now));
	await lab.apply(ethereum, [...sales, mintOf(DOGS, now)]);
	const frame = { type: "snapshot_required", data: { reason: "catching_up" } };
	expect([await told(CATS), await told(DOGS), await discover()]).toEqual([
		[frame],
		[frame],
		[frame],
	]);
});

test("[MRG-02] a frame's figures that the lanes covered in part say how much, and unknown is null", async () => {
	const span = { fromMs: NOW_MS - 6 * 60 * MINUTE_MS, untilMs: NOW_MS };
	lab.options.spansOf = async () => ({ sales: span, mints: null, movesUntilMs: null });
	try {
		await lab.apply(ethereum, [saleOf(CATS, now)], { live: true });
		const [frame] = await discover();
		const covered = {
			from: new Date(span.fromMs).toISOString(),
			until: new Date(NOW_MS).toISOString(),
			fraction: 0.2499,
		};
		expect(frame?.data).toMatchObject({
			section: "market",
			row: {
				sales24h: 1,
				volume24hNative: 1,
				volumeRaw: ETH.toString(),
				mints1h: null,
				coverage: { sales24h: covered, volume24hNative: covered },
			},
		});
	} finally {
		lab.options.spansOf = async () => wholeSpans(NOW_MS);
	}
});
