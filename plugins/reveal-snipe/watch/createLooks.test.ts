import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { takeLease } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { RevealIndex, RevealSubject, ShownToken } from "#plugins/market-index/contract.ts";
import { SIGNALS, type Trigger } from "#plugins/reveal-snipe/detection.ts";
import { DOCUMENTS_APART_MS, PROBE_TOKENS } from "#plugins/reveal-snipe/limits.ts";
import { readLastDetections, readSeen } from "#plugins/reveal-snipe/sql/detections.ts";
import { makePlansDue } from "#plugins/reveal-snipe/sql/plans.ts";
import { createLooks, type LookDeps } from "#plugins/reveal-snipe/watch/createLooks.ts";
import { type Watched, watchedOf } from "#plugins/reveal-snipe/watch/judgeLook.ts";
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

const TOKENS = Array.from({ length: PROBE_TOKENS }, (_, id) => BigInt(id));
const hat = (value: string) => [{ type: "Hat", value }];

/** Opens looks over a real database, with contracts and servers that a test fills. */
async function open() {
	const lab = {
		nowMs: NOW_MS,
		/** The URI of a token's document, and its content; null: cannot be read. */
		uriOf: (id: bigint): string | null => `sealed/${id}`,
		show: (uri: string): Omit<ShownToken, "uri"> | "gone" | "silent" | null =>
			uri.startsWith("sealed") || uri.startsWith("moved")
				? { imageUrl: "sealed.png", traits: null }
				: { imageUrl: uri, traits: hat(uri) },
		/** Collections whose contracts hold their documents. */
		long: new Set<number>(),
		/** Tokens of each question, documents read, moves, and detections reported. */
		questions: [] as number[],
		documents: 0,
		moves: [] as string[],
		detected: 0,
		hasLease: true,
		/** Aborts when the service ends. */
		ending: new AbortController(),
		/** The node's newest block; null: no node answers. */
		head: 7 as number | null,
		/** Tokens that exist, and what the index stored of them. */
		alive: TOKENS,
		stored: [] as Awaited<ReturnType<RevealIndex["stored"]>>,
	};
	const index = {
		probeTokens: async () => lab.alive,
		async uris(
			_chainId: number,
			tokens: readonly { tokenId: bigint; contract: { id: number; address: Address } }[],
			{ apart }: { apart?: Set<Address> },
		) {
			lab.questions.push(tokens.length);
			return tokens.map(({ tokenId, contract: { id, address } }) => {
				const isLong = lab.long.has(id);
				if (isLong) apart?.add(address);
				return isLong && apart ? null : lab.uriOf(tokenId);
			});
		},
		async document(uri: string, { signal }: { signal: AbortSignal }) {
			lab.documents++;
			const shown = lab.show(uri);
			if (shown === "silent") {
				await new Promise((resolve) => signal.addEventListener("abort", resolve));
				return { kind: "unknown" };
			}
			if (shown === "gone") return { kind: "none" };
			return shown === null ? { kind: "unknown" } : { kind: "read", ...shown };
		},
		stored: async () => lab.stored,
		subjects: async () => [],
		unrank: async () => void lab.moves.push("unrank"),
		endReread: async () => void lab.moves.push("endReread"),
		reading: (tokens: readonly ShownToken[]) =>
			new Set(tokens.map(({ traits }) => JSON.stringify(traits))).size > 1 ? "shown" : "hidden",
		async move(_tx: unknown, { event }: { event: string }) {
			lab.moves.push(event);
			return { from: "unknown", to: event === "looks_hidden" ? "placeholder" : "revealed" };
		},
	} as unknown as RevealIndex;
	const name = `looks.${++next}`;
	const lease = await takeLease(database.db, { name, holder: name, durationMs: 3_600_000 });
	const settle: Rpc["settle"] = async (calls) =>
		calls.slice(0, lab.head === null ? 0 : calls.length).map(() => {
			const number = `0x${(lab.head ?? 0).toString(16)}`;
			const header = { number, timestamp: `0x${Math.floor(NOW_MS / 1_000).toString(16)}` };
			const hashes = { hash: `0x${"1".repeat(64)}`, parentHash: `0x${"2".repeat(64)}` };
			return { kind: "result", result: { ...header, ...hashes } };
		});
	const deps: LookDeps = {
		core: {
			db: database.db,
			clock: { nowMs: () => lab.nowMs },
			log: silentLog,
			outbox: { append: () => {} } as unknown as LookDeps["core"]["outbox"],
			metrics: createMetrics({ processMetrics: false }),
		},
		access: { chain, rpcFor: () => ({ settle }) as unknown as Rpc },
		index,
		signals: new Set(SIGNALS),
		lease: async () => (lab.hasLease ? lease : null),
		onDetected: () => void lab.detected++,
		onLooked: () => {},
		signal: lab.ending.signal,
	};
	const looks = createLooks(deps);
	const look = async (watched: Watched | Watched[], trigger: Partial<Trigger> = {}) => {
		const all = [watched].flat();
		const { signal = "poll" } = trigger;
		const heard = { heardAtMs: lab.nowMs, isPolled: signal === "poll" };
		const reason: Trigger = { signal, block: null, ...heard, ...trigger };
		await looks(all.map((one) => ({ watched: one, trigger: reason })));
		await until(() => all.every(({ isLooking }) => !isLooking), "the look is over");
	};
	return { lab, look };
}

let ids = next * 1_000;
function collection(revealState: RevealSubject["revealState"] = "placeholder"): Watched {
	const id = ++ids;
	return watchedOf(
		{
			...{ id, chainId: chain.id, slug: `c-${id}`, name: null, imageUrl: null },
			...{ revealState, revealedAt: null, standard: "erc721", address: "0x01" },
		},
		undefined,
	);
}
const lastOf = async ({ subject }: Watched) =>
	(await readLastDetections(database.db, [subject.id])).get(subject.id);

test("all checks of a turn are one request to the node", async () => {
	const { lab, look } = await open();
	await look([collection(), collection(), collection()]);
	expect(lab.questions).toEqual([3 * PROBE_TOKENS]);
});

test("a contract that holds its documents is asked alone, and its reveal is noticed as others are", async () => {
	const { lab, look } = await open();
	const [one, other] = [collection(), collection()];
	other.subject.address = "0x02";
	lab.long.add(one.subject.id);
	await look([one, other]);
	expect(lab.questions).toEqual([2 * PROBE_TOKENS, PROBE_TOKENS]);
	expect(one.seen.baseline).toHaveLength(PROBE_TOKENS);
	lab.uriOf = (id) => `shown/${id}`;
	await look([one, other], { signal: "block", block: { number: 7, atMs: NOW_MS } });
	for (const watched of [one, other]) {
		expect(await lastOf(watched)).toMatchObject({ step: "queued", blockNumber: 7 });
	}
});

test("contracts with short documents on silent servers hold up no other that is asked alone", async () => {
	const { lab, look } = await open();
	const silent = Array.from({ length: 6 }, () => collection());
	const good = collection();
	for (const [place, { subject }] of [...silent, good].entries()) {
		subject.address = `0x${place}` as Address;
		lab.long.add(subject.id);
	}
	const shown = lab.show;
	lab.show = () => "silent";
	const late = look(silent).catch(() => {});
	await until(() => lab.documents === silent.length * PROBE_TOKENS, "all of them were asked");
	lab.show = shown;
	await look(good);
	expect(good.seen.baseline).toHaveLength(PROBE_TOKENS);
	expect(silent.every(({ isLooking }) => isLooking)).toBe(true);
	lab.ending.abort();
	await late;
});

test("a refusal before anything was seen is no baseline, is stored as that, and a later look completes it", async () => {
	const { lab, look } = await open();
	const one = collection("unknown");
	const seen = async () => (await readSeen(database.db, [one.subject.id])).get(one.subject.id);
	const shown = lab.show;
	lab.show = () => null;
	for (let turn = 0; turn < 3; turn++) {
		await look(one);
		expect(await seen()).toMatchObject({ tokenIds: TOKENS, baseline: [], latest: [] });
	}
	// A block makes no server that refuses be asked again at once.
	const before = lab.documents;
	await look(one, { signal: "block", block: { number: 6, atMs: NOW_MS } });
	expect(lab.documents).toBe(before);
	// Three of eight cannot be read still, and are compared from when they can be.
	const isRefused = (uri: string) => /[012]$/.test(uri);
	lab.show = (uri) => (isRefused(uri) ? null : shown(uri));
	await look(one);
	expect((await seen())?.baseline).toHaveLength(PROBE_TOKENS - 3);
	lab.show = shown;
	await look(one);
	expect((await seen())?.baseline).toHaveLength(PROBE_TOKENS);
	expect(await lastOf(one)).toBeUndefined();
	lab.nowMs += DOCUMENTS_APART_MS;
	lab.uriOf = (id) => `shown/${id}`;
	await look(one, { signal: "block", block: { number: 7, atMs: NOW_MS } });
	expect(await lastOf(one)).toMatchObject({ step: "queued", blockNumber: 7 });
});

test("a block alone triggers no document read, until a URI changes", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	expect(lab.documents).toBe(PROBE_TOKENS);
	await look(one, { signal: "block" });
	expect(lab.documents).toBe(PROBE_TOKENS);
	lab.uriOf = (id) => `shown/${id}`;
	await look(one, { signal: "block", block: { number: 7, atMs: NOW_MS - 250 } });
	expect(lab.documents).toBe(2 * PROBE_TOKENS);
	expect(await lastOf(one)).toMatchObject({
		...{ signal: "block", evidence: "uri_hash", blockNumber: 7, delayMs: 250, step: "queued" },
	});
	expect(lab.detected).toBe(1);
});

test("the time of a block whose log arrived before its header is requested with the check", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.uriOf = (id) => `shown/${id}`;
	lab.nowMs += 500;
	await look(one, { signal: "metadata_event", block: { number: 7, atMs: null } });
	expect(await lastOf(one)).toMatchObject({ signal: "metadata_event", delayMs: 500 });
});

test("the regular poll reads documents, also together with a block", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.show = (uri) => ({ imageUrl: uri, traits: hat(uri) });
	const block = { number: 7, atMs: NOW_MS };
	await look(one, { signal: "block", block });
	expect(await lastOf(one)).toBeUndefined();
	await look(one, { signal: "block", block, isPolled: true });
	expect(await lastOf(one)).toMatchObject({ evidence: "traits" });
});

test("the same documents at another URI are no reveal, and the new URI is stored", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.uriOf = (id) => `moved/${id}`;
	await look(one, { signal: "block" });
	await look(one, { signal: "block" });
	expect(lab.documents).toBe(2 * PROBE_TOKENS);
	expect(await lastOf(one)).toBeUndefined();
});

test("unreadable servers are not asked for a while, and the reveal is found later", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	const { show } = lab;
	lab.uriOf = (id) => `shown/${id}`;
	lab.show = () => null;
	await look(one, { signal: "block" });
	await look(one, { signal: "block" });
	expect(lab.documents).toBe(2 * PROBE_TOKENS);
	lab.show = show;
	lab.nowMs += DOCUMENTS_APART_MS;
	await look(one, { signal: "block" });
	expect(await lastOf(one)).toMatchObject({ evidence: "uri_hash" });
});

test("tokens that were seen before a restart are compared with those seen after it", async () => {
	const { lab, look } = await open();
	const one = collection("unknown");
	await look(one);
	expect(lab.moves).toEqual(["looks_hidden"]);
	lab.moves = [];
	const seen = await readSeen(database.db, [one.subject.id]);
	expect(seen.get(one.subject.id)).toMatchObject({ reading: "hidden", tokenIds: TOKENS });
	// The index marked it as revealed meanwhile, because its tokens were read for another reason.
	const subject = { ...one.subject, revealState: "revealed" as const };
	lab.uriOf = (id) => `shown/${id}`;
	await look(watchedOf(subject, seen.get(subject.id)), { signal: "poll" });
	expect(await lastOf(one)).toMatchObject({ signal: "poll", evidence: "uri_hash" });
});

test("a process without the lease stores nothing, and finds the reveal again", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.uriOf = (id) => `shown/${id}`;
	lab.hasLease = false;
	await look(one);
	expect(await lastOf(one)).toBeUndefined();
	lab.hasLease = true;
	await look(one);
	expect(await lastOf(one)).toMatchObject({ evidence: "uri_hash" });
});

test("burned tokens are replaced by others, and the remaining ones stay hidden", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.uriOf = (id) => (id === 0n ? "" : `sealed/${id}`);
	lab.alive = [...TOKENS.slice(1), 99n];
	await look(one);
	expect(one.seen.tokenIds).toEqual(lab.alive);
	expect(await lastOf(one)).toBeUndefined();
});

test("no state is derived from tokens whose contract or server does not answer", async () => {
	const { lab, look } = await open();
	const one = collection("unknown");
	lab.uriOf = (id) => (id < 3n ? `sealed/${id}` : null);
	await look(one);
	lab.uriOf = (id) => `sealed/${id}`;
	lab.show = (uri) => (uri < "sealed/3" ? { imageUrl: "sealed.png", traits: null } : null);
	lab.nowMs += DOCUMENTS_APART_MS;
	await look(one);
	expect([lab.moves, one.seen.latest]).toEqual([[], []]);
});

test("a document that a server loses hides no token, and its return is no reveal", async () => {
	const { lab, look } = await open();
	const one = collection("unknown");
	const { show } = lab;
	lab.uriOf = (id) => `shown/${id}`;
	lab.show = () => "gone";
	// The index has read it before.
	lab.stored = TOKENS.map((tokenId) => {
		const uri = `shown/${tokenId}`;
		return { tokenId, uri, imageUrl: uri, traits: hat(uri), isOwnWord: true };
	});
	await look(one);
	expect(lab.moves).toEqual([]);
	lab.show = show;
	lab.nowMs += DOCUMENTS_APART_MS;
	await look(one);
	expect(lab.moves).toEqual(["looks_shown"]);
	expect(await lastOf(one)).toBeUndefined();
});

test("a reveal that its contract hides again ends at once, with its ranks and scheduled work", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	lab.uriOf = (id) => `shown/${id}`;
	await look(one, { signal: "metadata_event" });
	const noticed = await lastOf(one);
	expect(noticed).toMatchObject({ step: "queued", endedAt: null });
	const due = {
		detectionId: noticed?.id ?? -1,
		collectionId: one.subject.id,
		at: new Date(NOW_MS),
	};
	const until = new Date(NOW_MS + 60_000);
	await database.db.execute(
		`insert into reveal_snipe.plan (id, profile_id, wallet_id, collection_id, chain_id, contract,
			max_rank, traits, max_price_raw, budget_raw, max_items, status, profile_revision,
			wallet_revision, created_at, changed_at, expires_at)
		select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, 31337, '\\x00', 1, '[]', 1,
			1, 1, 'armed', 0, 0, now(), now(), now() + interval '10 years'`,
		[one.subject.id],
	);
	expect(await makePlansDue(database.db, { ...due, until })).toBe(1);
	// A server that hands out the old documents does not end it.
	const { show } = lab;
	lab.show = () => ({ imageUrl: "sealed.png", traits: null });
	await look(one, { signal: "metadata_event" });
	expect(await lastOf(one)).toMatchObject({ endedAt: null });
	lab.show = show;
	lab.moves = [];
	lab.uriOf = (id) => `sealed/${id}`;
	await look(one, { signal: "block", block: { number: 9, atMs: NOW_MS } });
	expect(await lastOf(one)).toMatchObject({ step: "ended", outcome: "withdrawn" });
	expect(one.last?.outcome).toBe("withdrawn");
	expect(lab.moves).toEqual(["endReread", "unrank", "looks_hidden"]);
	const plans = await database.db.query(
		"select from reveal_snipe.plan where collection_id = $1 and due_until is not null",
		[one.subject.id],
	);
	expect(plans).toEqual([]);
	// A burst that has not heard of it yet makes no plan due.
	expect(await makePlansDue(database.db, { ...due, until })).toBe(0);
	lab.uriOf = (id) => `shown/${id}`;
	await look(one, { signal: "block", block: { number: 10, atMs: NOW_MS } });
	expect(await lastOf(one)).toMatchObject({ step: "queued", blockNumber: 10 });
});

test("a reveal is withdrawn also where the first look at the old URIs could read too little to decide", async () => {
	const { lab, look } = await open();
	const one = collection();
	lab.uriOf = (id) => `sealed/${id}`;
	await look(one);
	const { show } = lab;
	const isFirst = (uri: string) => Number(uri.split("/")[1]) * 2 < TOKENS.length;
	lab.uriOf = (id) => `shown/${id}`;
	lab.show = (uri) => (isFirst(uri) ? show(uri) : null);
	await look(one, { signal: "metadata_event" });
	expect(await lastOf(one)).toMatchObject({ endedAt: null });
	lab.uriOf = (id) => `sealed/${id}`;
	lab.show = (uri) => (isFirst(uri) ? null : show(uri));
	await look(one, { signal: "block", block: { number: 9, atMs: NOW_MS } });
	expect(await lastOf(one)).toMatchObject({ endedAt: null });
	lab.show = show;
	await look(one);
	expect(await lastOf(one)).toMatchObject({ step: "ended", outcome: "withdrawn" });
});

test("a reveal before the first check is noticed by the documents that the index stored", async () => {
	const { lab, look } = await open();
	const one = collection("unknown");
	lab.uriOf = (id) => `shown/${id}`;
	lab.stored = TOKENS.map((tokenId) => {
		return { tokenId, uri: "sealed", imageUrl: "sealed.png", traits: null, isOwnWord: true };
	});
	await look(one);
	expect(await lastOf(one)).toMatchObject({ step: "queued" });
});

test("rerolled tokens are a reveal once a later block shows the same", async () => {
	const { lab, look } = await open();
	const one = collection("revealed");
	let season = 0;
	lab.uriOf = (id) => `shown/${id}`;
	lab.show = (uri) => ({ imageUrl: uri, traits: hat(`${uri} in ${season}`) });
	const spoken = (number: number) =>
		look(one, { signal: "metadata_event", block: { number, atMs: NOW_MS } });
	await spoken(1);
	for (season = 1; season < 5; season++) await spoken(1 + season);
	expect(await lastOf(one)).toBeUndefined();
	await spoken(7);
	await spoken(7);
	expect(await lastOf(one)).toBeUndefined();
	await spoken(8);
	expect(await lastOf(one)).toMatchObject({ blockNumber: 8 });
});

test("a later block is one that no check has read yet, whichever block caused the check", async () => {
	const { lab, look } = await open();
	const one = collection("revealed");
	let season = 0;
	lab.uriOf = (id) => `shown/${id}`;
	lab.show = (uri) => ({ imageUrl: uri, traits: hat(`${uri} in ${season}`) });
	const spoken = (number: number) =>
		look(one, { signal: "metadata_event", block: { number, atMs: NOW_MS } });
	await spoken(1);
	// Both looks read what the contract says in block 9, and it says something else in block 10.
	[season, lab.head] = [1, 9];
	await spoken(8);
	await spoken(9);
	expect(await lastOf(one)).toBeUndefined();
	[season, lab.head] = [2, 10];
	await spoken(10);
	// Where no node tells how far it is, nothing is certain.
	[season, lab.head] = [3, null];
	await spoken(11);
	await spoken(12);
	expect(await lastOf(one)).toBeUndefined();
	lab.head = 12;
	await spoken(12);
	await spoken(13);
	expect(await lastOf(one)).toMatchObject({ blockNumber: 13 });
});

test("documents that replace a reveal while it is read are read instead, and noticed", async () => {
	const { lab, look } = await open();
	const one = collection();
	await look(one);
	const spoken = (number: number) => {
		lab.head = number;
		return look(one, { signal: "metadata_event", block: { number, atMs: NOW_MS } });
	};
	lab.uriOf = (id) => `shown/${id}`;
	await spoken(1);
	const first = await lastOf(one);
	lab.uriOf = (id) => `other/${id}`;
	await spoken(2);
	expect(await lastOf(one)).toMatchObject({ id: first?.id, endedAt: null });
	lab.moves = [];
	await spoken(3);
	const second = await lastOf(one);
	expect(second).toMatchObject({ step: "queued", blockNumber: 3, endedAt: null });
	expect(second?.id).toBeGreaterThan(first?.id ?? 0);
	expect(lab.moves).toEqual(["endReread", "unrank", "looks_hidden"]);
	// Its burst ended meanwhile, which the next check reads: what comes next is compared with it.
	await database.db.execute(
		"update reveal_snipe.detection set ended_at = now(), outcome = 'revealed', step = 'ended' where id = $1",
		[second?.id ?? -1],
	);
	expect(one.last?.endedAt).toBeNull();
	await spoken(4);
	expect(one.last?.outcome).toBe("revealed");
	expect((await lastOf(one))?.id).toBe(second?.id ?? -1);
	lab.uriOf = (id) => `third/${id}`;
	await spoken(5);
	await spoken(6);
	expect(await lastOf(one)).toMatchObject({ step: "queued", blockNumber: 6 });
});
