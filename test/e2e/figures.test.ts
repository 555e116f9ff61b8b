import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { Deed } from "#test/e2e/oracle/model.ts";
import { readChain } from "#test/e2e/oracle/openOracleLab.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { type Sandbox, startSandbox } from "#test/sandbox/startSandbox.ts";

// Guarantee: every figure of the service equals what the chain gives, recomputed by an oracle that
// shares no code with the service.

const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const ZERO = "0x0000000000000000000000000000000000000000";

let sandbox: Sandbox;
let service: TestService;
let deeds: Deed[];
let dataDir: string;
const contracts = () => [...new Set(deeds.map(({ contract }) => contract))];

beforeAll(async () => {
	dataDir = mkdtempSync(join(tmpdir(), "tapeline-figures-"));
	sandbox = await startSandbox({ dataDir, seed: 11, paceMs: 0, historyBlocks: 120 });
	deeds = await readChain(sandbox.httpUrl);
	service = await startTestService({
		chain: { url: sandbox.httpUrl, wsUrl: sandbox.wsUrl },
		scanFrom: sandbox.firstBlock,
	});
	await service.indexed(Math.max(...deeds.map(({ block }) => block)));
});

afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await sandbox?.stop();
	rmSync(dataDir, { recursive: true, force: true });
});

const ether = (wei: bigint) => Number(wei) / 1e18;
const isPriced = ({ currency, total }: Deed) =>
	total !== null && (currency === ZERO || currency === WETH);
const salesOf = (contract: string) =>
	deeds.filter((deed) => deed.kind === "sale" && deed.contract === contract && deed.accepted);
const unitOf = ({ total, quantity }: Deed) => (total ?? 0n) / quantity;
const volumeOf = (sales: readonly Deed[]) =>
	sales.filter(isPriced).reduce((sum, { total }) => sum + (total ?? 0n), 0n);
const since = (list: readonly Deed[], atMs: number) => list.filter((deed) => deed.atMs >= atMs);
/** Returns the start of a window: a whole minute. */
const windowStart = (servedAt: string, lengthMs: number) =>
	Math.floor(Date.parse(servedAt) / MINUTE_MS) * MINUTE_MS - lengthMs;

async function pages(path: string, key: string): Promise<any[]> {
	const all: any[] = [];
	let cursor: string | null = null;
	do {
		const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
		const { status, body } = await service.get(`${path}${next}`);
		expect(status).toBe(200);
		all.push(...body[key]);
		cursor = body.page.nextCursor;
		if (!body.page.hasMore) break;
	} while (cursor !== null);
	return all;
}

test("[ING-12] [ING-07] every sale and every mint of the chain is stored once, and nothing else", async () => {
	expect(deeds.filter(({ kind }) => kind === "sale").length).toBeGreaterThan(500);
	for (const contract of contracts()) {
		const path = `/v1/nft-market/collections/${contract}/activity?chain=anvil&limit=200`;
		const told = await pages(path, "data");
		const line = (deed: Deed) =>
			[
				deed.kind,
				deed.transactionHash,
				deed.tokenId,
				deed.quantity,
				deed.from,
				deed.to,
				deed.total,
				deed.currency,
				deed.accepted,
				new Date(deed.atMs).toISOString(),
			].join(" ");
		const expected = deeds.filter((deed) => deed.contract === contract).map(line);
		const got = told.map((event) =>
			[
				event.eventType,
				event.transactionHash,
				event.tokenId,
				event.quantity,
				event.from,
				event.to,
				event.totalRaw,
				// A gift is paid in nothing, so its currency does not matter.
				event.settlementCurrency?.address ?? ZERO,
				event.accepted,
				event.occurredAt,
			].join(" "),
		);
		expect(got.sort()).toEqual(expected.sort());
	}
});

test("[IDX-01] [IDX-10] volumes and counts of the list are those of the chain's last 24 hours", async () => {
	const { body } = await service.get(
		"/v1/nft-market/collections?chain=anvil&mode=trending&limit=200",
	);
	expect(body.normalized.map((row: any) => row.contractAddress).sort()).toEqual(contracts().sort());
	expect(body.freshness.listRefreshedAt).toBeNull();
	const from = windowStart(body.freshness.servedAt, DAY_MS);
	for (const row of body.normalized) {
		// The page was built before it was served: its window may begin a minute earlier.
		const told = [from, from - MINUTE_MS].map((at) => since(salesOf(row.contractAddress), at));
		const sales = told.find(({ length }) => length === row.sales24h);
		if (!sales) throw new Error(`${row.sales24h} sales of ${row.contractAddress}`);
		const volume = volumeOf(sales);
		if (sales.length > 0 && volume === 0n) expect(row.volume24hNative).toBeNull();
		else expect(row.volume24hNative).toBeCloseTo(ether(volume), 9);
		expect(row.volumeRaw).toBe(row.volume24hNative === null ? null : volume.toString());
		expect(row.floorNative).toBeNull();
		const mints = deeds.filter((d) => d.kind === "mint" && d.contract === row.contractAddress);
		const last = mints.at(-1);
		expect(row.lastMintAt).toBe(last ? new Date(last.atMs).toISOString() : null);
	}
	const order = body.normalized.map((row: any) => row.sales24h);
	expect(order).toEqual([...order].sort((a, b) => b - a));
});

const INTERVALS = { "1m": 1, "15m": 15, "30m": 30, "1h": 60, "4h": 240, "1d": 1440 };

for (const [interval, minutes] of Object.entries(INTERVALS)) {
	test(`[IDX-09] [API-08] candles of ${interval} are those of the chain's accepted sales`, async () => {
		for (const contract of contracts().slice(0, 6)) {
			const path = `/v1/nft-market/collections/${contract}/candles?chain=anvil`;
			const expected = candlesOf(salesOf(contract), minutes * MINUTE_MS);
			const got: any[] = [];
			let cursor = "";
			for (let page = 0; page < 200; page++) {
				const { status, body } = await service.get(
					`${path}&interval=${interval}&limit=50${cursor}`,
				);
				expect(status).toBe(200);
				got.unshift(...body.candles);
				if (!body.page.hasMore) break;
				cursor = `&cursor=${encodeURIComponent(body.page.nextCursor)}`;
			}
			expect(got.map(({ openTime }) => openTime)).toEqual(expected.map(({ openTime }) => openTime));
			for (const [index, candle] of got.entries()) {
				const truth = expected[index];
				for (const key of ["open", "high", "low", "close", "volumeNative"] as const) {
					expect(candle[key]).toBeCloseTo(truth?.[key] ?? Number.NaN, 9);
				}
				expect(candle.sales).toBe(truth?.sales ?? -1);
			}
		}
	});
}

function candlesOf(sales: readonly Deed[], lengthMs: number) {
	const buckets = new Map<number, Deed[]>();
	for (const sale of sales) {
		const start = Math.floor(sale.atMs / lengthMs) * lengthMs;
		buckets.set(start, [...(buckets.get(start) ?? []), sale]);
	}
	return [...buckets]
		.sort(([a], [b]) => a - b)
		.flatMap(([start, all]) => {
			const units = all.filter(isPriced).map((sale) => ether(unitOf(sale)));
			if (units.length === 0) return [];
			return [
				{
					openTime: new Date(start).toISOString(),
					open: units[0] ?? 0,
					high: Math.max(...units),
					low: Math.min(...units),
					close: units.at(-1) ?? 0,
					volumeNative: ether(volumeOf(all)),
					sales: all.length,
				},
			];
		});
}

test("[API-06] a collection's detail has the last sale and the mints of the chain", async () => {
	for (const contract of contracts()) {
		const { body } = await service.get(`/v1/nft-market/collections/${contract}?chain=anvil`);
		const last = salesOf(contract).at(-1);
		expect(body.lastSale?.transactionHash ?? null).toBe(last?.transactionHash ?? null);
		expect(body.lastSale?.tokenId ?? null).toBe(last?.tokenId.toString() ?? null);
		if (last && isPriced(last))
			expect(body.lastSale.priceNative).toBeCloseTo(ether(unitOf(last)), 9);
		const mints = deeds.filter((deed) => deed.kind === "mint" && deed.contract === contract);
		const supply = mints.reduce((sum, { quantity }) => sum + quantity, 0n);
		// Zero seen mints mean unknown: the index began after the chain did.
		expect(body.mint.mintedSupply).toBe(supply === 0n ? null : Number(supply));
		const newest = mints.at(-1);
		if (newest) expect(body.mint.priceNative).toBeCloseTo(ether(unitOf(newest)), 12);
		// The hour begins at a whole minute, so an event within that minute may or may not count.
		const from = Date.parse(body.observedAt) - HOUR_MS;
		expect(body.mint.mints1h).toBeGreaterThanOrEqual(since(mints, from).length);
		expect(body.mint.mints1h).toBeLessThanOrEqual(since(mints, from - MINUTE_MS).length);
	}
});

test("the 13 tiles equal those computed from the chain's last 24 hours, and unknown ones are null", async () => {
	for (const contract of contracts()) {
		const path = `/v1/nft-market/collections/${contract}/sales?chain=anvil&range=all&limit=200`;
		const { body } = await service.get(path);
		expect(body.tiles).toHaveLength(13);
		const tiles = new Map<string, any>(body.tiles.map((tile: any) => [tile.key, tile.value]));
		const asOf = body.tiles.find((tile: any) => tile.key === "sales24h").asOf;
		const day = since(salesOf(contract), windowStart(asOf, DAY_MS));
		const units = day.filter(isPriced).map((sale) => ether(unitOf(sale)));
		expect(tiles.get("sales24h")).toBe(day.length);
		expect(tiles.get("floor")).toBeNull();
		// Null until its tokens were walked; a slow machine may not have done that yet.
		const owners = tiles.get("owners");
		if (owners !== null) expect(owners).toBeGreaterThan(0);
		if (units.length === 0) continue;
		expect(tiles.get("volume24h")).toBeCloseTo(ether(volumeOf(day)), 9);
		expect(tiles.get("highestSale24h")).toBeCloseTo(Math.max(...units), 9);
		expect(tiles.get("lowestSale24h")).toBeCloseTo(Math.min(...units), 9);
	}
});

test("[API-12] [API-22] trending counts each window's sales; sold-out collections are listed as ended", async () => {
	for (const [window, lengthMs] of [
		["5m", 5 * MINUTE_MS],
		["1h", HOUR_MS],
		["6h", 6 * HOUR_MS],
		["24h", DAY_MS],
		["7d", 7 * DAY_MS],
	] as const) {
		const path = `/v1/nft-market/trending?chain=anvil&window=${window}&limit=200`;
		const { body } = await service.get(path);
		const from = windowStart(body.freshness.servedAt, lengthMs);
		for (const row of body.rows) {
			const contract = await contractOf(row.slug);
			// The page was built before it was served: its window may begin a minute earlier.
			const told = [from, from - MINUTE_MS].map((start) => since(salesOf(contract), start));
			expect(told.map((sales) => sales.length)).toContain(row.sales);
			if (row.volumeNative === null) continue;
			const volumes = told.map((sales) => ether(volumeOf(sales)).toFixed(9));
			expect(volumes).toContain(row.volumeNative.toFixed(9));
		}
		if (lengthMs === 7 * DAY_MS) expect(body.rows).toHaveLength(contracts().length);
	}
	let ended: { lifecycle: string }[] = [];
	// Whether a collection is sold out is known once its maximum supply was read, which is after its
	// events are indexed.
	await until(async () => {
		const path = "/v1/nft-market/trending?chain=anvil&lifecycle=ended&limit=200";
		ended = (await service.get(path)).body.rows;
		return ended.length > 0;
	}, "a collection is known to be sold out");
	for (const row of ended) expect(["minted_out", "secondary"]).toContain(row.lifecycle);
});

test("[API-23] discover shows the newest mints, each with its collection", async () => {
	const { body } = await service.get("/v1/nft-market/discover?chain=anvil&limit=20");
	const newest = deeds
		.filter(({ kind }) => kind === "mint")
		.slice(-20)
		.map((deed) => deed.block);
	const got = body.mints.map((mint: any) => mint.blockNumber);
	expect([...got].sort((a, b) => a - b)).toEqual([...newest].sort((a, b) => a - b));
	for (const mint of body.mints) {
		expect(mint.collection.slug).toBeString();
		expect(mint.collection).toHaveProperty("imageUrl");
	}
	const order = body.trending.map((row: any) => row.sales24h);
	expect(order).toEqual([...order].sort((a, b) => b - a));
	const whole = (await service.get("/v1/nft-market/discover?chain=anvil&limit=200")).body;
	const from = windowStart(new Date().toISOString(), DAY_MS);
	for (const row of [...whole.trending, ...whole.market]) {
		const contract = await contractOf(row.slug);
		const told = [from, from - MINUTE_MS].map((start) => since(salesOf(contract), start).length);
		expect(told).toContain(row.sales24h);
	}
	const minted = (atMs: number) =>
		new Set<string>(
			since(deeds, atMs).flatMap(({ kind, contract }) => (kind === "mint" ? contract : [])),
		);
	const minting: string[] = [];
	for (const { slug } of whole.minting) minting.push(await contractOf(slug));
	const hour = Date.now() - HOUR_MS;
	for (const contract of minted(hour)) expect(minting).toContain(contract);
	for (const contract of minting) expect([...minted(hour - MINUTE_MS)]).toContain(contract);
});

test("[API-01] top is ordered by volume of all time, and new by the first event of a collection", async () => {
	const top = (await service.get("/v1/nft-market/collections?chain=anvil&mode=top&limit=200")).body;
	const volumes = top.normalized.map((row: any) => ether(volumeOf(salesOf(row.contractAddress))));
	expect(volumes).toHaveLength(contracts().length);
	expect(volumes).toEqual([...volumes].sort((a, b) => b - a));
	const fresh = (await service.get("/v1/nft-market/collections?chain=anvil&mode=new&limit=3")).body;
	expect(fresh.normalized).toHaveLength(3);
});

async function contractOf(slug: string): Promise<string> {
	const { body } = await service.get(`/v1/nft-market/collections/${slug}?chain=anvil`);
	return body.market.contractAddress;
}
