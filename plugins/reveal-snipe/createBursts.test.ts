import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { takeLease } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import type { Frame } from "#core/outbox.ts";
import type { RereadPart, RevealIndex } from "#plugins/market-index/contract.ts";
import { type BurstDeps, createBursts } from "#plugins/reveal-snipe/createBursts.ts";
import { BURST_LIFE_MS, BURST_MS } from "#plugins/reveal-snipe/limits.ts";
import { insertDetection, readLastDetections } from "#plugins/reveal-snipe/sql/detections.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

const chain = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z");
let database: TestDatabase;
let next = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.execute("delete from reveal_snipe.detection");
});

/** What a part tells: of the tokens read so many came out, or those, and each hides its number. */
type ToldPart = RereadPart & { out: number };

const part = (given: Partial<ToldPart> = {}): ToldPart => ({
	...{ changed: 0, swapped: 0, end: "done", after: null, tokens: 100, read: 100, failed: 0 },
	out: 100,
	...given,
});

const shownAs = (value: string, imageUrl = "sealed.png") => {
	return { imageUrl, traits: [{ type: "Hat", value }] };
};

/** Opens bursts over a real database, with an index that records its calls. */
async function open() {
	const lab = {
		nowMs: NOW_MS,
		/** The recorded calls, in order. */
		did: [] as string[],
		frames: [] as Frame[],
		/** Answers of the reading, one after the other; the last one is repeated. */
		parts: [part()] as (ToldPart | null)[],
		/** Tokens that were asked for once more, by part. */
		again: [] as bigint[][],
		/** Tokens whose traits were kept. */
		kept: [] as bigint[],
		waitedMs: 0,
		/** When early plans were told. */
		shownAt: [] as number[],
		/** Called before each recorded call; may throw. */
		onDo: (_what: string) => {},
		plansTold: 0,
	};
	const note = (what: string) => {
		lab.onDo(what);
		lab.did.push(what);
	};
	const index = {
		learn: async () => {},
		beginReread: async () => note("begin"),
		rereadTokens: async () => ({ tokens: 100, read: [], before: [] }),
		async reread(_id: number, options: Parameters<RevealIndex["reread"]>[1]) {
			note("read");
			lab.again.push([...options.again]);
			const told = lab.parts.length > 1 ? lab.parts.shift() : lab.parts[0];
			const ids = Array.from({ length: told?.read ?? 0 }, (_, id) => BigInt(id));
			options.onStored(
				ids.map((tokenId) => {
					const isOut = tokenId < (told?.out ?? 0);
					return { tokenId, shown: shownAs(isOut ? `hat ${tokenId}` : "sealed") };
				}),
			);
			return told ?? null;
		},
		async keepTraitsOf(_tx: unknown, { out }: { out: readonly bigint[] }) {
			lab.kept = [...out];
		},
		countTraits: async () => note("count"),
		rank: async () => note("rank"),
		endReread: async () => note("end"),
		async move(_tx: unknown, { event }: { event: string }) {
			note(event);
			return { from: "placeholder", to: "revealed" };
		},
		subjects: async (ids: readonly number[]) =>
			ids.map((id) => ({ id, address: "0x01", slug: "cats", revealState: "revealed" })),
	} as unknown as RevealIndex;
	const session = `burst-${++next}`;
	const lease = await takeLease(database.db, {
		...{ name: `test.${next}`, holder: session, durationMs: 3_600_000 },
	});
	const deps: BurstDeps = {
		core: {
			db: database.db,
			clock: { nowMs: () => lab.nowMs },
			log: silentLog,
			outbox: {
				append: (_tx: unknown, _topic: string, frames: readonly Frame[]) =>
					void lab.frames.push(...frames),
			} as unknown as BurstDeps["core"]["outbox"],
		},
		access: { chain },
		index,
		onCovered: async () => note("plans"),
		onShown: async () => void lab.shownAt.push(lab.nowMs - NOW_MS),
		lease: async () => lease,
		signal: new AbortController().signal,
		async sleep(ms) {
			lab.waitedMs += ms;
			lab.nowMs += ms;
		},
	};
	return { lab, deps, bursts: createBursts(deps) };
}

async function detect(collectionId: number): Promise<void> {
	const at = new Date(NOW_MS);
	await database.db.transaction((tx) =>
		insertDetection(tx, {
			...{ collectionId, chainId: chain.id, signal: "block", evidence: "uri_hash" },
			...{ blockNumber: 7, blockAt: at, heardAt: at, detectedAt: at, delayMs: 0 },
			...{ contentDigest: "aa", hiddenTraits: [{ type: "Hat", value: "sealed" }] },
			baseline: [],
		}),
	);
}

const stateOf = async (id: number) => (await readLastDetections(database.db, [id])).get(id);

test("[RVL-04] a burst reads, counts, ranks, evaluates plans, and then marks as revealed", async () => {
	const { lab, bursts } = await open();
	await detect(1);
	lab.parts = [part({ end: "late", read: 40 }), part()];
	await bursts.tick();
	await bursts.ended();
	expect(lab.kept).toHaveLength(100);
	expect(lab.did).toEqual([
		...["begin", "read", "read", "count", "rank", "plans", "end", "covered"],
	]);
	expect(await stateOf(1)).toMatchObject({ step: "ended", outcome: "revealed", read: 100 });
	expect(lab.frames).toMatchObject([{ type: "reveal", data: { phase: "revealed" } }]);
});

test("[RVL-04] a step that breaks off is done again by the next tick, and none before it", async () => {
	const steps = ["read", "count", "rank", "plans", "end"];
	for (const [place, broken] of steps.entries()) {
		const { lab, deps, bursts } = await open();
		const id = 100 + place;
		await detect(id);
		lab.onDo = (what) => {
			if (what === broken) throw new Error("the process is gone");
		};
		await bursts.tick();
		await bursts.ended();
		expect(lab.did).toEqual(["begin", ...steps.slice(0, place)]);
		expect((await stateOf(id))?.endedAt).toBeNull();
		// Another process takes over.
		lab.did = [];
		lab.onDo = () => {};
		const other = createBursts(deps);
		await other.tick();
		await other.ended();
		expect(lab.did).toEqual([...steps.slice(place), "covered"]);
		expect((await stateOf(id))?.outcome).toBe("revealed");
	}
});

test("[RVL-03] a tick begins one burst and goes on with those under way; a detection begins one", async () => {
	const { lab, bursts } = await open();
	for (const id of [11, 12, 13]) await detect(id);
	lab.parts = [part({ end: "unreachable", read: 10 })];
	const begun = async () =>
		(await Promise.all([11, 12, 13].map(stateOf))).map((state) => state?.step);
	await bursts.tick();
	await bursts.ended();
	expect(await begun()).toEqual(["reading", "queued", "queued"]);
	expect(await bursts.begin()).toBe(true);
	await bursts.ended();
	expect(await begun()).toEqual(["reading", "reading", "queued"]);
	await bursts.tick();
	await bursts.ended();
	expect(await begun()).toEqual(["reading", "reading", "reading"]);
	expect((await stateOf(11))?.runs).toBe(2);
	expect(await bursts.begin()).toBe(false);
});

test("[RVL-03] none of six reveals in one block waits for a tick: each that ends begins the next", async () => {
	const { bursts } = await open();
	const ids = [71, 72, 73, 74, 75, 76];
	for (const id of ids) await detect(id);
	expect(await bursts.begin()).toBe(true);
	await bursts.ended();
	const states = await Promise.all(ids.map(stateOf));
	expect(states.map((state) => state?.outcome)).toEqual(ids.map(() => "revealed"));
});

test("detections that come together begin one burst each, and not all the same one", async () => {
	const { lab, bursts } = await open();
	const ids = [81, 82, 83, 84, 85, 86];
	for (const id of ids) await detect(id);
	lab.parts = [part({ end: "unreachable", read: 10 })];
	expect(await Promise.all(ids.map(() => bursts.begin()))).toEqual(ids.map(() => true));
	await bursts.ended();
	const states = await Promise.all(ids.map(stateOf));
	expect(states.map((state) => state?.step)).toEqual(ids.map(() => "reading"));
});

test("[RVL-03] a run ends after 180 s, the collection is not revealed yet, and the next tick goes on", async () => {
	const { lab, bursts } = await open();
	await detect(21);
	lab.parts = [part({ end: "late", read: 50 })];
	lab.onDo = (what) => {
		if (what === "read") lab.nowMs += BURST_MS / 4;
	};
	await bursts.tick();
	await bursts.ended();
	expect(lab.did).toEqual(["begin", "read", "read", "read", "read"]);
	expect(await stateOf(21)).toMatchObject({ step: "reading", endedAt: null, read: 50 });
	lab.parts = [part()];
	await bursts.tick();
	await bursts.ended();
	expect(await stateOf(21)).toMatchObject({ outcome: "revealed", runs: 2 });
});

test("[RVL-03] tokens that are still hidden end it, and no plan is told", async () => {
	const { lab, bursts } = await open();
	for (const [id, shown, outcome] of [
		[31, 94, "partial"],
		[32, 0, "unchanged"],
	] as const) {
		await detect(id);
		lab.did = [];
		lab.parts = [part({ out: shown })];
		await bursts.tick();
		await bursts.ended();
		expect(lab.did.filter((what) => what !== "read")).toEqual(["begin", "end"]);
		expect(await stateOf(id)).toMatchObject({ outcome });
	}
	expect(lab.frames.map(({ data }) => (data as { phase: string }).phase)).toEqual([
		"hidden_still",
		"hidden_still",
	]);
});

test("a few broken tokens delay nothing, many do, and after an hour the burst is given up", async () => {
	const { lab, bursts } = await open();
	await detect(41);
	lab.parts = [part({ read: 94, failed: 6 })];
	await bursts.tick();
	await bursts.ended();
	expect(await stateOf(41)).toMatchObject({ step: "reading", failed: 6 });
	lab.nowMs += BURST_LIFE_MS + 1;
	await bursts.tick();
	await bursts.ended();
	expect(await stateOf(41)).toMatchObject({ outcome: "given_up" });
	await detect(42);
	lab.parts = [part({ read: 95, failed: 5 })];
	await bursts.tick();
	await bursts.ended();
	expect(await stateOf(42)).toMatchObject({ outcome: "revealed" });
});

test("[RVL-03] only tokens that are hidden still are read again, each second at first, for three minutes", async () => {
	const { lab, bursts } = await open();
	await detect(33);
	lab.parts = [part({ out: 60 }), part({ out: 60 }), part({ out: 96 })];
	await bursts.tick();
	await bursts.ended();
	const hidden = Array.from({ length: 40 }, (_, place) => BigInt(60 + place));
	expect(lab.again).toEqual([[], hidden, hidden]);
	expect(lab.waitedMs).toBeWithin(2_000, 3_000);
	// Early plans hear of the first sixty, and of those that followed.
	expect(lab.shownAt).toEqual([0, 2_300]);
	expect(await stateOf(33)).toMatchObject({ outcome: "revealed" });
	// Those that are hidden still have no traits that count.
	expect(lab.kept).toEqual(Array.from({ length: 96 }, (_, id) => BigInt(id)));
	await detect(34);
	lab.waitedMs = 0;
	lab.parts = [part({ out: 60 })];
	await bursts.tick();
	await bursts.ended();
	expect(await stateOf(34)).toMatchObject({ outcome: "partial" });
	expect(lab.waitedMs).toBeWithin(BURST_MS, BURST_MS + 20_000);
});

test("while a burst waits for tokens to come out the others begin", async () => {
	const { lab, bursts } = await open();
	await detect(91);
	await detect(92);
	lab.parts = [part({ out: 60 }), part()];
	await bursts.begin();
	await until(async () => (await stateOf(92))?.outcome === "revealed", "the second is revealed");
	await bursts.ended();
});

test("a process that lost its lease moves nothing", async () => {
	const { lab, deps, bursts } = await open();
	await detect(51);
	await database.db.execute("update core.lease set token = token + 1 where name = $1", [
		`test.${next}`,
	]);
	await bursts.tick().catch(() => {});
	await bursts.ended();
	expect(await stateOf(51)).toMatchObject({ step: "queued" });
	const gone = createBursts({ ...deps, lease: async () => null });
	expect(await gone.begin()).toBe(false);
	expect(lab.did).toEqual([]);
});

test("two processes at once do each step of a burst once", async () => {
	const { lab, deps, bursts } = await open();
	await detect(61);
	const other = createBursts(deps);
	await Promise.all([bursts.begin(), other.begin()]);
	await Promise.all([bursts.ended(), other.ended()]);
	await until(async () => (await stateOf(61))?.outcome === "revealed", "it is revealed");
	expect(lab.did.filter((what) => what === "covered")).toHaveLength(1);
});
