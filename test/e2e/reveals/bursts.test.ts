import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import type { TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { openRevealLab, type RevealLab, sealed, shownAs } from "./openRevealLab.ts";

// Guarantee: the content of documents decides, not their address; every token is read once after a
// reveal, also if the process ends in the middle, servers fail, or the reveal is reorged away.

let made: RevealLab;
let service: TestService;
/** For each folder, which of its tokens are revealed. */
const shown = new Map<string, (id: number) => boolean>();
/** For each folder that shows something else once it is revealed, its season. */
const seasons = new Map<string, string>();
/** While set, tokens above the id are not answered, of folders whose names begin so. */
let held: { folder: string; above: number; gate: Promise<void> } | null = null;

beforeAll(async () => {
	made = await openRevealLab();
	made.lab.served = async (path) => {
		const [, folder = "", id = ""] = path.split("/");
		if (held && folder.startsWith(held.folder) && Number(id) > held.above) await held.gate;
		if (!shown.get(folder)?.(Number(id))) return sealed;
		const season = seasons.get(folder);
		return season ? inSeason(season, Number(id)) : shownAs(Number(id));
	};
	service = await made.start();
});
afterAll(() => made?.close());

/** A document in which each token says something else than in another season. */
const inSeason = (season: string, id: number) => ({
	...shownAs(id),
	attributes: [
		{ trait_type: "Hat", value: `${season} ${id % 10 === 0 ? "Halo" : `Hood ${id % 3}`}` },
		{ trait_type: "Number", value: `${season} No. ${id}` },
	],
});

async function rowOf(contract: Hex): Promise<any> {
	const { body } = await service.get("/v1/nft-market/reveals?chain=anvil&limit=200");
	return body.data.find((row: { contractAddress: Hex }) => row.contractAddress === contract);
}

const detections = (id: number) =>
	service.core.db.query<{ outcome: string | null; step: string; runs: number }>(
		"select outcome, step, runs from reveal_snipe.detection where collection_id = $1 order by id",
		[id],
	);

const readingOf = async (id: number) =>
	(
		await service.core.db.query<{ reading: string }>(
			"select reading from reveal_snipe.seen where collection_id = $1",
			[id],
		)
	)[0]?.reading;

/** Makes a watched collection of tokens with their own URIs that all show the same document. */
async function hidden(folder: string, count: number, moreId?: bigint) {
	const more = moreId !== undefined && { moreId };
	const given = { name: folder, base: `${folder}/`, isShared: false, count, ...more };
	const { contract, id } = await made.collection(service, given);
	await made.watch(service, id);
	await until(async () => (await readingOf(id)) === "hidden", `${folder} is seen to be hidden`);
	made.lab.asked.length = 0;
	return { contract, id };
}

/** Returns how often each token of a folder was requested. */
function timesAsked(folder: string): Map<number, number> {
	const times = new Map<number, number>();
	for (const path of made.lab.asked) {
		const [, own, id] = path.split("/");
		if (own === folder) times.set(Number(id), (times.get(Number(id)) ?? 0) + 1);
	}
	return times;
}

async function revealed(contract: Hex): Promise<void> {
	await until(
		async () => (await rowOf(contract))?.revealState === "revealed",
		() => `${contract} is revealed`,
	);
}

test("a new document under the same URI is a reveal, the same document under a new URI is not", async () => {
	const largest = 2n ** 256n - 1n;
	const { contract, id } = await hidden("same", 20, largest);
	shown.set("same", () => true);
	made.advance(20_000);
	await revealed(contract);
	expect(await rowOf(contract)).toMatchObject({
		// By the next look: a block that came meanwhile may be what it is told by.
		detection: { signal: expect.stringMatching(/^(poll|block)$/), evidence: "traits" },
	});
	const asset = await service.get(`/v1/nft-market/assets/anvil/${contract}/${largest}`);
	expect(asset.body).toMatchObject({ tokenId: String(largest), rank: expect.any(Number) });
	shown.set("moved", () => true);
	made.lab.asked.length = 0;
	await made.setBase(contract, "moved/", { isShared: false, tells: 1 });
	await until(() => timesAsked("moved").size > 0, "the new place is looked at");
	made.advance(20_000);
	await until(() => [...timesAsked("moved").values()].some((n) => n > 1), "and again");
	expect(await detections(id)).toHaveLength(1);
	expect((await rowOf(contract)).revealState).toBe("revealed");
});

test("tokens that are revealed one by one are a reveal once nearly all are revealed", async () => {
	const { contract, id } = await hidden("slowly", 20);
	shown.set("slowly", (token) => token > 6);
	made.advance(20_000);
	const asset = async () => service.get(`/v1/nft-market/assets/anvil/${contract}/20`);
	await until(async () => ((await asset()).body.traits ?? []).length === 2, "most have come out");
	expect(await rowOf(contract)).toMatchObject({ phase: "burst", revealState: "placeholder" });
	expect((await asset()).body.rank).toBeNull();
	const before = timesAsked("slowly");
	shown.set("slowly", () => true);
	// Without a poll, or another burst: those that are hidden still are read each second at first.
	await revealed(contract);
	expect((await detections(id)).map(({ outcome }) => outcome)).toEqual(["revealed"]);
	const times = timesAsked("slowly");
	const again = [...times.keys()].filter((token) => {
		return token > 6 && (times.get(token) ?? 0) > (before.get(token) ?? 0);
	});
	// Only those, but for the tokens that looks sample.
	expect(again.length).toBeLessThanOrEqual(8);
});

test("[RVL-03] a run that takes too long continues in the next tick, and requests no token twice", async () => {
	const { contract, id } = await hidden("long", 120);
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	held = { folder: "out", above: 60, gate };
	shown.set("out", () => true);
	await made.setBase(contract, "out/", { isShared: false, tells: 1 });
	const step = async () => (await detections(id))[0];
	await until(async () => (await step())?.step === "reading", "all are being read");
	await until(() => timesAsked("out").size >= 60, "half of them are read");
	expect(await rowOf(contract)).toMatchObject({ phase: "burst", revealState: "placeholder" });
	made.advance(181_000);
	open();
	await revealed(contract);
	expect((await step())?.runs).toBeGreaterThan(1);
	const times = timesAsked("out");
	expect(times.size).toBe(120);
	// Tokens that are sampled for reveals are requested by these looks too. One that is silent for
	// long is put aside and asked again.
	const often = [...times].filter(([token, count]) => token <= 60 && count > 1);
	expect(often.length).toBeLessThanOrEqual(8);
});

test("[RVL-03] after a process ends in the burst, another one reads the rest", async () => {
	const { contract, id } = await hidden("crash", 300);
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	held = { folder: "after", above: 220, gate };
	shown.set("after", () => true);
	await made.setBase(contract, "after/", { isShared: false, tells: 1 });
	await until(async () => {
		const [row] = await service.core.db.query<{ read: number }>(
			`select count(*)::int as read from market_index.token
			where collection_id = $1 and jsonb_array_length(traits) > 0`,
			[id],
		);
		return (row?.read ?? 0) >= 200;
	}, "a part is stored");
	expect(await rowOf(contract)).toMatchObject({ phase: "burst", revealState: "placeholder" });
	const before = [...timesAsked("after").keys()].filter((token) => token <= 200);
	const ending = made.restart(service);
	made.lab.asked.length = 0;
	service = await ending;
	open();
	await revealed(contract);
	const again = [...timesAsked("after").keys()].filter((token) => before.includes(token));
	expect(before).toHaveLength(200);
	expect(again.length).toBeLessThanOrEqual(8);
});

test("a reveal that is hidden again during its burst ends at once, and leaves no rank", async () => {
	const { contract, id } = await hidden("regret", 40);
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	held = { folder: "rash", above: 20, gate };
	shown.set("rash", () => true);
	await made.setBase(contract, "rash/", { isShared: false, tells: 1 });
	const step = async () => (await detections(id))[0];
	await until(async () => (await step())?.step === "reading", "all are being read");
	await made.setBase(contract, "regret/", { isShared: false, tells: 0 });
	// By the next block, where the look at this one was under way already.
	const isOver = () => minedUntil(async () => (await step())?.outcome === "withdrawn");
	await until(isOver, "it is withdrawn");
	open();
	expect(await rowOf(contract)).toMatchObject({ phase: "armed", revealState: "placeholder" });
	const asset = await service.get(`/v1/nft-market/assets/anvil/${contract}/20`);
	expect(asset.body.rank).toBeNull();
	shown.set("calm", () => true);
	await made.setBase(contract, "calm/", { isShared: false, tells: 1 });
	await revealed(contract);
	expect((await detections(id)).map(({ outcome }) => outcome)).toEqual(["withdrawn", "revealed"]);
});

test("documents that replace a reveal during its burst are read instead", async () => {
	const { contract, id } = await hidden("doubt", 40);
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	held = { folder: "found", above: 20, gate };
	for (const folder of ["found", "found2"]) shown.set(folder, () => true);
	seasons.set("found2", "Second");
	await made.setBase(contract, "found/", { isShared: false, tells: 1 });
	const step = async () => (await detections(id))[0];
	await until(async () => (await step())?.step === "reading", "all are being read");
	await made.setBase(contract, "found2/", { isShared: false, tells: 1 });
	// A later block shows the same.
	await until(() => minedUntil(async () => (await detections(id)).length === 2), "it is replaced");
	open();
	await revealed(contract);
	expect((await detections(id)).map(({ outcome }) => outcome)).toEqual(["withdrawn", "revealed"]);
	const { body } = await service.get(`/v1/nft-market/assets/anvil/${contract}/20`);
	expect(body.rank).toBeWithin(1, 5);
	expect(JSON.stringify(body.traits)).toContain("Second Halo");
});

test("a rerolled collection is compared with what it showed last, also after a withdrawn reveal", async () => {
	const { contract, id } = await hidden("seasons", 20);
	const outcomes = async () => (await detections(id)).map(({ outcome }) => outcome);
	const hat = async () => {
		const { body } = await service.get(`/v1/nft-market/assets/anvil/${contract}/20`);
		return body.rank > 0 ? body.traits.map(({ value }: { value: string }) => value)[0] : null;
	};
	const turnTo = async (season: string) => {
		shown.set("seasons", () => true);
		seasons.set("seasons", season);
		await made.setBase(contract, "seasons/", { isShared: false, tells: 1 });
		await until(
			() => minedUntil(async () => (await hat()) === `${season} Halo`),
			() => `${season} is ranked`,
		);
		await revealed(contract);
	};
	await turnTo("First");
	await turnTo("Second");
	await turnTo("Third");
	expect(await outcomes()).toEqual(["revealed", "revealed", "revealed"]);
	// One that is taken back by its contract before all of it was read.
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	held = { folder: "error", above: 10, gate };
	shown.set("error", () => true);
	seasons.set("error", "Error");
	await made.setBase(contract, "error/", { isShared: false, tells: 1 });
	const isNoticed = () => minedUntil(async () => (await detections(id)).length === 4);
	await until(isNoticed, "the wrong one is noticed");
	await made.setBase(contract, "seasons/", { isShared: false, tells: 1 });
	const isBack = () => minedUntil(async () => (await outcomes())[3] === "withdrawn");
	await until(isBack, "it is taken back");
	open();
	held = null;
	expect(await hat()).toBeNull();
	await turnTo("Fourth");
	expect(await outcomes()).toEqual([...Array(3).fill("revealed"), "withdrawn", "revealed"]);
});

test("a server's rate limit is respected, and the burst still completes", async () => {
	const { contract, id } = await hidden("busy", 40);
	shown.set("free", () => true);
	let refusals = 12;
	const { served } = made.lab;
	made.lab.served = (path) => {
		if (path.startsWith("/free/") && refusals-- > 0) return 429;
		return served(path);
	};
	await made.setBase(contract, "free/", { isShared: false, tells: 1 });
	await until(async () => (await detections(id)).length === 1, "it is noticed all the same");
	made.advance(61_000);
	await revealed(contract);
	made.lab.served = served;
	const { burst } = await rowOf(contract);
	expect(burst).toMatchObject({ outcome: "revealed", tokens: 40 });
});

test("a server with old documents for a while, or a 200 MB document, does not stop the burst", async () => {
	const { contract, id } = await hidden("stale", 40);
	let sentMb = 0;
	const { served } = made.lab;
	made.lab.served = (path) => (path === "/fresh/40" ? endless(() => sentMb++) : served(path));
	await made.setBase(contract, "fresh/", { isShared: false, tells: 1 });
	await until(() => timesAsked("fresh").size > 0, "the new place is looked at");
	expect(await rowOf(contract)).toMatchObject({ phase: "armed", revealState: "placeholder" });
	shown.set("fresh", () => true);
	made.advance(20_000);
	await revealed(contract);
	made.lab.served = served;
	expect(await rowOf(contract)).toMatchObject({
		burst: { outcome: "revealed", tokens: 40, read: 39, failed: 1 },
	});
	expect((await detections(id)).map(({ outcome }) => outcome)).toEqual(["revealed"]);
	// Each time the download was given up long before its end.
	expect(sentMb).toBeLessThan(100);
});

test("a collection that is revealed, hidden and revealed again is a placeholder in between", async () => {
	const { contract, id } = await hidden("twice", 20);
	shown.set("first", () => true);
	shown.set("second", () => true);
	await made.setBase(contract, "first/", { isShared: false, tells: 1 });
	await revealed(contract);
	await made.setBase(contract, "twice/", { isShared: false, tells: 1 });
	made.advance(20_000);
	await until(
		async () => (await rowOf(contract)).revealState === "placeholder",
		"it is hidden again",
	);
	await made.setBase(contract, "second/", { isShared: false, tells: 1 });
	made.advance(20_000);
	await until(
		async () => (await detections(id)).filter(({ outcome }) => outcome === "revealed").length === 2,
		"it is revealed once more",
	);
	await revealed(contract);
	const asset = await service.get(`/v1/nft-market/assets/anvil/${contract}/20`);
	expect(asset.body.rank).toBeGreaterThan(0);
});

test("a reveal that leaves the chain is withdrawn, and the next one is noticed again", async () => {
	const { contract, id } = await hidden("fork", 20);
	shown.set("forked", () => true);
	const snapshot = await made.anvil.rpc<string>("evm_snapshot");
	await made.setBase(contract, "forked/", { isShared: false, tells: 1 });
	await revealed(contract);
	// The row of a plan that was armed in time.
	await service.core.db.execute(
		`insert into reveal_snipe.plan (id, profile_id, wallet_id, collection_id, chain_id, contract,
			max_rank, traits, max_price_raw, budget_raw, max_items, status, profile_revision,
			wallet_revision, created_at, changed_at, expires_at, due_at, due_until)
		select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, 31337, '\\x00', 1, '[]', 1,
			1, 1, 'paused', 0, 0, now(), now(), now() + interval '10 years', now(),
			now() + interval '10 years'`,
		[id],
	);
	const due = () =>
		service.core.db.query(
			"select from reveal_snipe.plan where collection_id = $1 and due_until is not null",
			[id],
		);
	expect(await due()).toHaveLength(1);
	await made.anvil.rpc("evm_revert", [snapshot]);
	await made.anvil.rpc("anvil_mine", ["0x3"]);
	// For a while after a reorg the node announces no heads.
	made.advance(20_000);
	await until(
		async () => (await rowOf(contract)).revealState === "placeholder",
		"it is hidden again",
	);
	// Nothing is bought by ranks of a reveal that is gone.
	expect(await due()).toEqual([]);
	await made.setBase(contract, "forked/", { isShared: false, tells: 0 });
	made.advance(20_000);
	await until(
		async () => (await detections(id)).filter(({ outcome }) => outcome === "revealed").length === 2,
		"it is revealed once more",
	);
	expect((await rowOf(contract)).revealState).toBe("revealed");
	expect(await due()).toHaveLength(1);
});

/** Mines a block, and says whether a condition holds. */
async function minedUntil(holds: () => Promise<boolean>): Promise<boolean> {
	if (await holds()) return true;
	await made.anvil.rpc("anvil_mine", ["0x1"]);
	return holds();
}

/** Returns an answer of 200 MB, sent one megabyte at a time as it is read. */
function endless(onSent: () => void): Response {
	const part = new Uint8Array(1_048_576).fill(32);
	let left = 200;
	return new Response(
		new ReadableStream({
			pull(controller) {
				if (left-- === 0) return controller.close();
				onSent();
				controller.enqueue(part);
			},
		}),
		{ headers: { "content-type": "application/json" } },
	);
}
