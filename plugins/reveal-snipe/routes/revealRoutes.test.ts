import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { RevealSubject } from "#plugins/market-index/contract.ts";
import { RECENT_MS } from "#plugins/reveal-snipe/limits.ts";
import { revealRoutes } from "#plugins/reveal-snipe/routes/revealRoutes.ts";
import { insertDetection, moveDetection } from "#plugins/reveal-snipe/sql/detections.ts";
import { watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z");
const chains = createChainRegistry(builtinChains);
const indexed = ["ethereum", "base"].map((slug) => ({ chain: chains.bySlug(slug) }));
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	for (const id of [1, 2, 3, 4]) await watch(id, 1);
	await watch(5, 8453);
	await reveal(2, "reading");
	await reveal(3, "ended", NOW_MS - 1_000);
	await reveal(4, "ended", NOW_MS - RECENT_MS - 1_000);
	// It is no longer watched.
	await reveal(6, "ended", NOW_MS - 2_000);
});
afterAll(() => database.drop());

const watch = (collectionId: number, chainId: number) =>
	watchCollection(database.db, {
		...{ collectionId, chainId, reason: "plan", at: new Date(NOW_MS) },
	});

async function reveal(collectionId: number, step: "reading" | "ended", endedMs = NOW_MS) {
	const at = new Date(NOW_MS);
	await database.db.transaction(async (tx) => {
		const id = await insertDetection(tx, {
			...{ collectionId, chainId: 1, signal: "log", evidence: "traits", blockNumber: 7 },
			...{ blockAt: at, heardAt: at, detectedAt: at, delayMs: 120 },
			...{ contentDigest: "aa", hiddenTraits: null, baseline: [] },
		});
		await moveDetection(tx, { id: id ?? 0, from: "queued", to: "reading" }, { at });
		const move = { id: id ?? 0, from: "reading", to: "ended" } as const;
		const end = { at: new Date(endedMs), outcome: "revealed" } as const;
		if (step === "ended") await moveDetection(tx, move, end);
	});
}

const subjectOf = (id: number): RevealSubject => ({
	...{ id, chainId: id === 5 ? 8453 : 1, standard: "erc721", slug: `cats-${id}` },
	...{ name: null, imageUrl: null, revealState: "placeholder", revealedAt: null },
	address: `0x${id.toString(16).padStart(40, "0")}`,
});

async function get(query = "") {
	const core = { db: database.db, clock: { nowMs: () => NOW_MS }, chains, indexed };
	const app = testHttpApp({
		routes: [
			revealRoutes({
				core: core as unknown as Core,
				index: { subjects: async (ids) => ids.map(subjectOf) },
			}),
		],
	});
	const url = `http://localhost/v1/nft-market/reveals${query}`;
	const response = await app.handle(new Request(url));
	return { status: response.status, body: await response.json() };
}

const slugs = (body: { data: { slug: string; phase: string }[] }) =>
	body.data.map(({ slug, phase }) => `${slug} ${phase}`);

test("200: recent reveals and bursts come first, the newest at the top, then awaited ones", async () => {
	const { status, body } = await get();
	expect(status).toBe(200);
	expect(slugs(body)).toEqual([
		...["cats-6 revealed", "cats-4 armed", "cats-3 revealed", "cats-2 burst"],
		...["cats-1 armed", "cats-5 armed"],
	]);
	expect(body.data[3]).toMatchObject({
		chain: "ethereum",
		revealState: "placeholder",
		detection: { signal: "log", evidence: "traits", blockNumber: 7, delayMs: 120 },
		burst: { step: "reading", outcome: null, endedAt: null },
	});
	expect(body.data[4]).toMatchObject({ detection: null, burst: null });
	expect(body.page).toEqual({ nextCursor: null, hasMore: false });
});

test("200: pages follow each other without a gap, for any page size", async () => {
	const whole = slugs((await get()).body);
	for (const limit of [1, 2, 4]) {
		const seen: string[] = [];
		let cursor: string | null = "";
		while (cursor !== null) {
			const { body }: Awaited<ReturnType<typeof get>> = await get(
				`?limit=${limit}${cursor && `&cursor=${cursor}`}`,
			);
			seen.push(...slugs(body));
			cursor = body.page.nextCursor;
		}
		expect(seen).toEqual(whole);
	}
});

test("200: filtered by one phase or one chain, in any spelling", async () => {
	expect(slugs((await get("?phase=burst")).body)).toEqual(["cats-2 burst"]);
	expect(slugs((await get("?chain=8453")).body)).toEqual(["cats-5 armed"]);
	expect(slugs((await get("?chain=Base&phase=revealed")).body)).toEqual([]);
});

test("422: a chain that is not indexed, a cursor of another filter, an invalid limit", async () => {
	const { body } = await get("?limit=1");
	const cursor = body.page.nextCursor;
	for (const query of [
		...["?chain=polygon", "?chain=nowhere", "?phase=soon", "?limit=0", "?limit=201", "?limit=1e1"],
		...[`?limit=1&phase=armed&cursor=${cursor}`, "?cursor=x"],
	]) {
		expect([query, (await get(query)).status]).toEqual([query, 422]);
	}
});
