import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createReveals } from "#plugins/market-index/tokens/createReveals.ts";
import { readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/tokens.ts";
import {
	createTokenLab,
	documentOf,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: Fixture;
let made: ReturnType<typeof createTokenLab>;
let reveals: ReturnType<typeof createReveals>;
let next = 0x900;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
});
afterAll(() => database.drop());
beforeEach(() => {
	made = createTokenLab(database.db);
	reveals = createReveals(made.context);
});

const LARGEST = 2n ** 256n - 1n;
const uriOf = (id: bigint) => `ipfs://cats/${id}`;

/** A collection whose tokens were read, and all show the same. */
async function hidden(ids: readonly bigint[]) {
	const contract = contractOf(++next);
	await fixture.seed(
		ethereum,
		ids.map((tokenId) => mintOf(contract, { tokenId })),
	);
	const id = await fixture.idOf(ethereum, contract);
	await database.db.transaction((tx) =>
		learnTokens(tx, { collectionId: id, at: new Date(NOW_MS) }),
	);
	show(ids, () => ({ Status: "Sealed" }));
	await made.run(readTokensTask(made.context), { collectionId: id });
	made.lab.asked.length = 0;
	made.lab.nowMs += 60_000;
	return { id, contract };
}

function show(ids: readonly bigint[], traitsOf: (id: bigint) => Record<string, string>) {
	for (const id of ids) {
		made.tell(id, uriOf(id));
		made.lab.documents.set(uriOf(id), documentOf(traitsOf(id)));
	}
}

const begin = async (collectionId: number) => {
	const at = new Date(made.lab.nowMs);
	await reveals.learn(collectionId, at);
	await database.db.transaction((tx) => reveals.beginReread(tx, { collectionId, at }));
};
const SEALED = [{ type: "Status", value: "Sealed" }];
type RereadOptions = Parameters<typeof reveals.reread>[1];
const reread = (collectionId: number, given: Partial<RereadOptions> = {}) =>
	reveals.reread(collectionId, {
		...{ signal: made.lab.signal, untilMs: Number.POSITIVE_INFINITY, again: [], passes: 0 },
		after: null,
		...{ enough: new AbortController().signal, onStored: () => {} },
		...given,
	});

test("[RVL-03] after a reveal all tokens are read again, each once, with new and abandoned ones", async () => {
	const ids = [0n, 1n, 2n, LARGEST];
	const { id, contract } = await hidden(ids);
	await fixture.seed(ethereum, [mintOf(contract, { tokenId: 7n })]);
	await database.db.execute(
		"update market_index.token set failures = 8, next_at = null where collection_id = $1 and token_id = 2",
		[id],
	);
	expect(await reread(id)).toBeNull();
	show([...ids, 7n], (token) => ({ Hat: String(token) }));
	await begin(id);
	expect(await reread(id)).toMatchObject({ end: "done", tokens: 5, read: 5, failed: 0 });
	expect(made.lab.asked.sort()).toEqual([...ids, 7n].map(uriOf).sort());
	expect(await reread(id)).toMatchObject({ end: "done", read: 5 });
	expect(made.lab.asked).toHaveLength(5);
});

test("tokens whose reading began before the reveal are read again, even if it ended later", async () => {
	const { id } = await hidden([0n, 1n]);
	const { context, lab } = made;
	let isBegun = false;
	const readUri: typeof context.readUri = async (...given) => {
		const outcome = await context.readUri(...given);
		lab.nowMs += 1_000;
		if (!isBegun) {
			isBegun = true;
			await begin(id);
		}
		return outcome;
	};
	await database.db.execute("update market_index.token set next_at = $2 where collection_id = $1", [
		id,
		new Date(lab.nowMs),
	]);
	await made.run(readTokensTask({ ...context, readUri }), { collectionId: id });
	lab.asked.length = 0;
	show([0n, 1n], (token) => ({ Hat: String(token) }));
	expect(await reread(id)).toMatchObject({ read: 2 });
	expect(lab.asked).toHaveLength(2);
});

test("a part that ran out of time leaves the rest to the next; failed tokens are retried later", async () => {
	const { id } = await hidden([0n, 1n, 2n]);
	await begin(id);
	expect(await reread(id, { untilMs: made.lab.nowMs - 1 })).toMatchObject({ end: "late", read: 0 });
	made.lab.documents.delete(uriOf(1n));
	expect(await reread(id)).toMatchObject({ end: "done", read: 2, failed: 1 });
	made.lab.asked.length = 0;
	show([1n], () => ({ Hat: "Red" }));
	await reread(id);
	expect(made.lab.asked).toEqual([]);
	made.lab.nowMs += 120_000;
	expect(await reread(id)).toMatchObject({ read: 3, failed: 0 });
	expect(made.lab.asked).toEqual([uriOf(1n)]);
});

test("[RVL-03] one part of the reading takes 30 s, and the next one is queued after it", async () => {
	const ids = Array.from({ length: 300 }, (_, index) => BigInt(index));
	const { id } = await hidden(ids);
	await begin(id);
	const { context, lab } = made;
	const { readUri } = context;
	const fromMs = lab.nowMs;
	context.readUri = async (...given) => {
		lab.nowMs += 250;
		return readUri(...given);
	};
	const first = await reread(id);
	expect(first).toMatchObject({ end: "late", failed: 0 });
	expect(first?.read).toBeGreaterThanOrEqual(120);
	expect(lab.nowMs - fromMs).toBeGreaterThanOrEqual(30_000);
	context.readUri = readUri;
	expect(await reread(id)).toMatchObject({ end: "done", read: 300 });
	expect(new Set(lab.asked).size).toBe(300);
	expect(lab.asked).toHaveLength(300);
});

test("documents that never answer hold no other token up, also where a part runs out of time", async () => {
	const ids = Array.from({ length: 150 }, (_, index) => BigInt(index));
	const { id } = await hidden(ids);
	await begin(id);
	const { context, lab } = made;
	const { readUri } = context;
	const isSilent = (uri: string) => ids.slice(0, 20).some((token) => uriOf(token) === uri);
	context.readUri = async (uri, options) => {
		lab.nowMs += 300;
		const { promise, resolve } = Promise.withResolvers<void>();
		options.signal.addEventListener("abort", () => resolve(), { once: true });
		if (isSilent(uri)) {
			lab.asked.push(uri);
			await promise;
			return { kind: "failed", code: "timeout", isUnreachable: true };
		}
		return readUri(uri, options);
	};
	const first = await reread(id);
	expect(first?.end).toBe("late");
	expect(first?.after).toBeGreaterThan(20n);
	expect(first?.read).toBeLessThan(130);
	lab.asked.length = 0;
	// The next part goes on behind it, and those that are silent come after all others.
	const second = await reread(id, { after: first?.after ?? null });
	expect(second).toMatchObject({ end: "late", after: null, read: 130 });
	expect(lab.asked.filter(isSilent)).toEqual([]);
	context.readUri = readUri;
	expect(await reread(id, { passes: 1 })).toMatchObject({ end: "done", read: 150 });
});

test("each token is published when it is stored, and given tokens are read once more", async () => {
	const ids = [0n, 1n, 2n, 3n];
	const { id } = await hidden(ids);
	show([2n], () => ({ Hat: "Red" }));
	made.tell(3n, "");
	await begin(id);
	const told = new Map<bigint, unknown>();
	const onStored: RereadOptions["onStored"] = (tokens) => {
		for (const { tokenId, shown } of tokens) told.set(tokenId, shown && shown.traits);
	};
	expect(await reread(id, { onStored })).toMatchObject({ tokens: 4, read: 3, failed: 1 });
	const hat = [{ type: "Hat", value: "Red" }];
	// The contract tells no document of the last.
	expect([...told].sort()).toEqual([
		...([
			[0n, SEALED],
			[1n, SEALED],
			[2n, hat],
			[3n, null],
		] as [bigint, unknown][]),
	]);
	const { tokens, read } = await reveals.rereadTokens(id);
	expect([tokens, read.map(({ tokenId }) => tokenId).sort()]).toEqual([4, [0n, 1n, 2n]]);
	made.lab.asked.length = 0;
	show([1n], () => ({ Hat: "Blue" }));
	await reread(id, { onStored, again: [0n, 1n] });
	expect(made.lab.asked).toEqual([uriOf(0n), uriOf(1n)]);
	expect(told.get(1n)).toEqual([{ type: "Hat", value: "Blue" }]);
});

test("documents that never arrive delay nobody, and are abandoned once enough tokens were read", async () => {
	const ids = Array.from({ length: 60 }, (_, index) => BigInt(index));
	const { id } = await hidden(ids);
	await begin(id);
	const { context } = made;
	const { readUri } = context;
	const hangs = new Set([0n, 1n].map(uriOf));
	context.readUri = async (uri, options) => {
		if (!hangs.has(uri)) return readUri(uri, options);
		await new Promise((over) => options.signal.addEventListener("abort", over));
		return { kind: "failed", code: "fetch_timeout", isUnreachable: true };
	};
	const enough = new AbortController();
	let stored = 0;
	const part = await reread(id, {
		enough: enough.signal,
		onStored(tokens) {
			stored += tokens.length;
			if (stored === 58) enough.abort();
		},
	});
	expect(part).toMatchObject({ end: "late", read: 58, failed: 0 });
	// Without that they are put aside, and read by the next pass.
	expect(await reread(id)).toMatchObject({ end: "late", read: 58, failed: 0 });
	context.readUri = readUri;
	expect(await reread(id, { passes: 1 })).toMatchObject({ end: "done", read: 60 });
});

test("tokens that were not revealed keep no traits, get no rank, and are read again", async () => {
	const ids = [0n, 1n, 2n, 3n];
	const { id } = await hidden(ids);
	await begin(id);
	show([0n, 1n, 2n], (token) => ({ Hat: `Hat ${token}` }));
	made.lab.documents.set(uriOf(2n), documentOf({}, { traits: null }));
	await reread(id);
	await database.db.transaction((tx) =>
		reveals.keepTraitsOf(tx, { collectionId: id, out: [0n, 1n, 2n], hiddenTraits: SEALED }),
	);
	await reveals.countTraits(id, { signal: made.lab.signal });
	const ranks = async () => (await storedTokens(database.db, id)).map(({ rank }) => rank);
	await reveals.rank(id);
	expect(await ranks()).toEqual([2, 2, 1, null]);
	await database.db.transaction((tx) => reveals.endReread(tx, id));
	made.lab.asked.length = 0;
	// Still the old document: it has no rank later either.
	await made.run(readTokensTask(made.context), { collectionId: id });
	expect(made.lab.asked).toEqual([uriOf(3n)]);
	await reveals.rank(id);
	expect(await ranks()).toEqual([2, 2, 1, null]);
});

test("ranks of a reveal that is withdrawn during their computation are not written", async () => {
	const ids = [0n, 1n];
	const { id } = await hidden(ids);
	await begin(id);
	show(ids, (token) => ({ Hat: `Hat ${token}` }));
	await reread(id);
	const { core } = made.context;
	// Withdrawn after the tokens were read for their ranks, before these are written.
	const { db } = core;
	const late: typeof db = Object.create(db);
	late.transaction = async (work) => {
		late.transaction = db.transaction.bind(db);
		await db.transaction(async (tx) => {
			await reveals.endReread(tx, id);
			await reveals.unrank(tx, id);
		});
		return db.transaction(work);
	};
	await createReveals({ ...made.context, core: { ...core, db: late } }).rank(id);
	expect((await storedTokens(database.db, id)).map(({ rank }) => rank)).toEqual([null, null]);
});

test("sample tokens are spread over the ids, and all are sampled if there are few", async () => {
	const few = await hidden([5n, 6n]);
	expect(await reveals.probeTokens(few.id, 8)).toEqual([5n, 6n]);
	const ids = Array.from({ length: 100 }, (_, index) => BigInt(index));
	const many = await hidden(ids);
	const chosen = await reveals.probeTokens(many.id, 8);
	expect(chosen).toHaveLength(8);
	expect(chosen.at(-1)).toBe(99n);
	for (const [place, token] of chosen.entries()) {
		expect(Number(token)).toBeWithin(place * 12, (place + 1) * 13);
	}
});

test("[RVL-04] a placeholder is still counted and ranked at once, rarest first", async () => {
	const ids = [0n, 1n, 2n];
	const { id } = await hidden(ids);
	await database.db.execute(
		"update market_index.collection set reveal_state = 'placeholder' where id = $1",
		[id],
	);
	// Counted a moment ago: a count that is not forced would wait a quarter of an hour.
	await reveals.countTraits(id, { signal: made.lab.signal });
	show(ids, (token) => ({ Hat: token === 2n ? "Crown" : "Cap" }));
	await begin(id);
	await reread(id);
	await reveals.countTraits(id, { signal: made.lab.signal });
	await reveals.rank(id);
	expect((await storedTokens(database.db, id)).map(({ rank }) => rank)).toEqual([2, 2, 1]);
	const [rarest] = await reveals.ranked(id);
	expect(rarest).toEqual({ tokenId: "2", rank: 1, traits: [{ type: "Hat", value: "Crown" }] });
	const moved = await database.db.transaction(async (tx) => {
		await reveals.endReread(tx, id);
		return reveals.move(tx, { collectionId: id, event: "covered", at: new Date(made.lab.nowMs) });
	});
	expect(moved).toEqual({ from: "placeholder", to: "revealed" });
	expect(await reveals.subjects([id])).toMatchObject([
		{ id, revealState: "revealed", revealedAt: new Date(made.lab.nowMs) },
	]);
	expect(await reread(id)).toBeNull();
});

test("an event that changes no state updates only the time of the last check", async () => {
	const { id } = await hidden([0n]);
	const at = new Date(made.lab.nowMs);
	const move = (event: "looks_hidden" | "looks_shown" | "covered") =>
		database.db.transaction((tx) => reveals.move(tx, { collectionId: id, event, at }));
	expect(await move("looks_hidden")).toEqual({ from: "unknown", to: "placeholder" });
	expect(await move("looks_shown")).toBeNull();
	expect(await move("covered")).toEqual({ from: "placeholder", to: "revealed" });
	expect(await move("looks_hidden")).toEqual({ from: "revealed", to: "placeholder" });
	const [subject] = await reveals.subjects([id]);
	expect(subject).toMatchObject({ revealState: "placeholder", revealedAt: null });
	expect(await reveals.subjects([id, 999_999])).toHaveLength(1);
});
