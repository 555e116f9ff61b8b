import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Chain, createChainRegistry } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { dbFault } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { MarketIndex, RevealIndex, RevealSubject } from "#plugins/market-index/contract.ts";
import { SIGNALS, type Signal } from "#plugins/reveal-snipe/detection.ts";
import { BLOCK_APART_MS, EVENT_APART_MS, POLL_EVERY_MS } from "#plugins/reveal-snipe/limits.ts";
import { readWatched, unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import {
	type ChainWatchDeps,
	createRoster,
	watchChain,
	watchNamed,
} from "#plugins/reveal-snipe/watch/watchChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("createRoster", () => {
	const subject = (id: number): RevealSubject => ({
		...{ id, chainId: 1, slug: `c-${id}`, name: null, imageUrl: null, revealedAt: null },
		address: `0x${id.toString(16).padStart(40, "0")}`,
		standard: "erc721",
		revealState: "placeholder",
	});

	function lab() {
		const clock = { at: 1_000, nowMs: () => clock.at };
		const roster = createRoster({ clock, onAsked() {} });
		const known = { seen: new Map(), last: new Map() };
		const set = (...ids: number[]) => roster.set(ids.map(subject), known);
		const take = () => {
			const { looks, waitMs } = roster.take(60_000);
			return { ids: looks.map(({ watched }) => watched.subject.id), waitMs };
		};
		return { clock, roster, set, take };
	}

	test("[RVL-01] a collection is checked once in 400 ms for blocks, and signals meanwhile are not lost", () => {
		const { clock, roster, set, take } = lab();
		const [one] = set(1);
		if (!one) throw new Error("nothing is watched");
		const block = (number: number) =>
			roster.ask(one, { signal: "block", block: { number, atMs: 1 } });
		block(1);
		expect(take().ids).toEqual([1]);
		clock.at += 100;
		block(2);
		block(3);
		expect(take()).toEqual({ ids: [], waitMs: BLOCK_APART_MS - 100 });
		clock.at += BLOCK_APART_MS - 100;
		const { looks } = roster.take(60_000);
		expect(looks.map(({ trigger }) => trigger.block?.number)).toEqual([3]);
		expect(take().ids).toEqual([]);
	});

	test("a log of the contract waits for less time than a block", () => {
		const { clock, roster, set, take } = lab();
		const [one] = set(1);
		if (!one) throw new Error("nothing is watched");
		roster.ask(one, { signal: "block", block: null });
		take();
		roster.ask(one, { signal: "log", block: null });
		expect(take().waitMs).toBe(EVENT_APART_MS);
		clock.at += EVENT_APART_MS;
		expect(take().ids).toEqual([1]);
	});

	test("a collection has one check at a time, and a failed check is repeated", () => {
		const { clock, roster, set, take } = lab();
		const [one, two] = set(1, 2);
		if (!one || !two) throw new Error("nothing is watched");
		for (const watched of [one, two]) roster.ask(watched, { signal: "poll", block: null });
		one.isLooking = true;
		const { looks } = roster.take(60_000);
		expect(looks.map(({ watched }) => watched.subject.id)).toEqual([2]);
		roster.giveBack(looks);
		one.isLooking = false;
		clock.at += BLOCK_APART_MS;
		expect(take().ids).toEqual([1, 2]);
	});

	test("a collection that is no longer watched is forgotten; one that stays keeps its state", () => {
		const { roster, set } = lab();
		const [one] = set(1, 2);
		if (!one) throw new Error("nothing is watched");
		one.hiddenLooks = 2;
		expect(set(1, 3).map(({ subject }) => subject.id)).toEqual([3]);
		expect(roster.at(subject(1).address)?.hiddenLooks).toBe(2);
		expect(roster.at(subject(2).address)).toBeUndefined();
		expect(roster.all().map(({ subject }) => subject.id)).toEqual([1, 3]);
	});
});

describe("watchChain", () => {
	const chain = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
	const NOW_MS = Date.parse("2026-11-20T12:00:00.000Z");
	const addressOf = (id: number) => `0x${id.toString(16).padStart(40, "0")}` as const;
	let database: TestDatabase;
	let node: FakeNode;
	beforeAll(async () => {
		database = await createTestDatabase();
		node = fakeNode();
	});
	afterAll(async () => {
		await node.stop();
		await database.drop();
	});

	/**
	 * Opens a watched chain over a real database and a node's socket, with an index that only
	 * records.
	 */
	function open(signals: readonly Signal[] = SIGNALS) {
		/** `polled`: the head that the node answers to a poll; null while it does not answer. */
		const lab = {
			nowMs: NOW_MS,
			looks: [] as number[],
			isMute: false,
			polled: null as number | null,
		};
		const asked: { method: string; params: unknown[] }[] = [];
		const { socketAnswer } = node;
		let names = 0;
		node.socketAnswer = (call) => {
			asked.push(call);
			if (lab.isMute && call.method === "eth_blockNumber") return undefined;
			const [kind] = call.params;
			if (call.method !== "eth_subscribe" || kind !== "logs") return socketAnswer(call);
			return JSON.stringify({ jsonrpc: "2.0", id: call.id, result: `0xlogs${++names}` });
		};
		const clock = { nowMs: () => lab.nowMs };
		const index = {
			subjects: async (ids: readonly number[]) =>
				ids.map((id) => ({
					...{ id, chainId: chain.id, slug: `c-${id}`, name: null, imageUrl: null },
					...{ revealState: "placeholder", revealedAt: null, standard: "erc721" },
					address: addressOf(id),
				})),
			probeTokens: async () => [1n, 2n],
			stored: async () => [],
			async uris(_chainId: number, tokens: readonly { contract: { address: string } }[]) {
				lab.looks.push(...new Set(tokens.map(({ contract }) => Number(contract.address))));
				return tokens.map(() => null);
			},
			checked: async () => {},
		} as unknown as RevealIndex;
		const ending = new AbortController();
		const leases = createLeaseKeeper({
			...{ db: database.db, holder: Bun.randomUUIDv7(), clock, log: silentLog },
		});
		const core = {
			...{ db: database.db, clock, log: silentLog, leases },
			metrics: createMetrics({ processMetrics: false }),
			outbox: { append: () => {} },
		} as unknown as ChainWatchDeps["core"];
		const rpc = {
			async call() {
				if (lab.polled === null) throw new Error("away");
				const number = `0x${lab.polled.toString(16)}`;
				const timestamp = `0x${Math.floor(lab.nowMs / 1_000).toString(16)}`;
				const hash = `0x${number.slice(2).padStart(64, "0")}`;
				return { number, timestamp, hash, parentHash: `0x${"2".repeat(64)}` };
			},
		} as unknown as Rpc;
		const watch = watchChain({
			access: { chain, rpcFor: () => rpc, headUrls: [node.wsUrl] },
			...{
				core,
				index,
				onCovered: async () => {},
				signals: new Set(signals),
				signal: ending.signal,
			},
		});
		return {
			lab,
			/** Returns the addresses of all log subscriptions so far. */
			filters: () =>
				asked.flatMap(({ params: [kind, filter] }) =>
					kind === "logs" ? [(filter as { address: string[] }).address] : [],
				),
			asked: (method: string) => asked.filter((call) => call.method === method).length,
			/** Returns whether the node has a subscription to heads: earlier announcements are lost. */
			hearsHeads: () => asked.some(({ params: [kind] }) => kind === "newHeads"),
			async watched(ids: readonly number[]) {
				// All in one transaction, because the list is read each second.
				await database.db.transaction(async (tx) => {
					for (const collectionId of ids) {
						const at = new Date(NOW_MS);
						const watched = { collectionId, chainId: chain.id, reason: "plan", at } as const;
						await watchCollection(tx, watched);
					}
					await unwatchOthers(tx, "plan", ids);
				});
				lab.nowMs += 1_000;
			},
			async close() {
				ending.abort();
				await watch.ended();
				await leases.stop();
				node.socketAnswer = socketAnswer;
			},
		};
	}

	test("[RVL-02] the subscription follows the watched set, is checked each tick, and is replaced when dead", async () => {
		const { lab, filters, asked, watched, close } = open();
		await watched([0xa]);
		await until(() => filters().length === 1, "the first is subscribed to");
		await watched([0xa, 0xb]);
		await until(() => filters().length === 2, "both are");
		await watched([0xb]);
		await until(() => filters().length === 3, "the other one is");
		expect(filters()).toEqual([
			[addressOf(0xa)],
			[addressOf(0xa), addressOf(0xb)],
			[addressOf(0xb)],
		]);
		const probes = asked("eth_blockNumber");
		lab.nowMs += POLL_EVERY_MS;
		await until(() => asked("eth_blockNumber") > probes, "a tick asks whether it is alive");
		const sockets = node.opened();
		lab.isMute = true;
		lab.nowMs += POLL_EVERY_MS;
		await until(() => asked("eth_blockNumber") > probes + 1, "and the next one, in vain");
		lab.nowMs += POLL_EVERY_MS;
		await until(() => node.opened() > sockets && filters().length === 4, "it is replaced");
		expect(filters().at(-1)).toEqual([addressOf(0xb)]);
		await watched([]);
		await close();
	});

	test("a log makes its own collection checked, a block all of them", async () => {
		const { lab, filters, hearsHeads, watched, close } = open();
		await watched([0xa, 0xb]);
		await until(() => filters().length === 1 && lab.looks.length >= 2, "both were looked at");
		lab.nowMs += 1_000;
		lab.looks.length = 0;
		node.push("0xlogs1", { address: addressOf(0xb), topics: ["0x01"], blockNumber: "0x9" });
		await until(() => lab.looks.length > 0, "the log is heard");
		expect(lab.looks).toEqual([0xb]);
		lab.nowMs += 1_000;
		lab.looks.length = 0;
		await until(hearsHeads, "heads are subscribed to");
		node.announce(10);
		await until(() => lab.looks.length === 2, "the block is heard");
		expect(lab.looks.sort()).toEqual([0xa, 0xb]);
		await watched([]);
		await close();
	});

	test("a disabled signal causes no check, and without the signal of logs none are subscribed to", async () => {
		const { lab, filters, watched, close } = open(["poll", "traits"]);
		await watched([0xa]);
		await until(() => lab.looks.length > 0, "it was looked at");
		lab.nowMs += 1_000;
		lab.looks.length = 0;
		node.announce(11);
		lab.nowMs += POLL_EVERY_MS;
		await until(() => lab.looks.length > 0, "the clock asks");
		expect(filters()).toEqual([]);
		await watched([]);
		await close();
	});

	test("a node whose subscriptions are silent while it answers polls is followed by its blocks", async () => {
		const { lab, filters, hearsHeads, watched, close } = open(["metadata_event", "block"]);
		lab.polled = 40;
		await watched([0xa]);
		await until(() => filters().length === 1 && hearsHeads(), "logs and heads are subscribed to");
		await until(() => lab.looks.length > 0, "it was looked at");
		lab.nowMs += 1_000;
		lab.looks.length = 0;
		lab.polled = 41;
		await until(() => lab.looks.length > 0, "the block is heard of, by asking");
		expect(lab.looks).toEqual([0xa]);
		await watched([]);
		await close();
	});
});

describe("watchNamed", () => {
	const at = new Date("2026-11-20T12:00:00.000Z");
	const chains = createChainRegistry(builtinChains);
	const fault = defineFaults({
		notFound: { status: 404, retry: "never", public: "There is no such collection in the index." },
	});
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const known = new Map([
		["ethereum/cats", 1],
		["base/dogs", 3],
	]);
	const find: MarketIndex["find"] = async (slug, chain = "") => {
		const id = known.get(`${chain}/${slug}`);
		if (id === undefined) throw fault.notFound();
		return { id, chain, slug, address: "0x01" };
	};
	const watched = (chainId = 1) => readWatched(database.db, { chainId, limit: 10 });
	const name = (...names: string[]) => {
		const core = { db: database.db, clock: { nowMs: () => at.getTime() }, chains };
		return watchNamed({ core, find }, names);
	};

	test("named collections are watched once they are indexed, and no longer when they are removed", async () => {
		await name("ethereum/cats", "ethereum/dogs");
		expect(await watched()).toEqual([1]);
		known.set("ethereum/dogs", 2);
		await name("ethereum/cats", "ethereum/dogs");
		expect(await watched()).toEqual([1, 2]);
		await name("base/dogs");
		expect([await watched(), await watched(8453)]).toEqual([[], [3]]);
		await name();
		expect(await watched(8453)).toEqual([]);
	});

	test("a collection that a plan watches stays watched, and an unrelated failure ends nothing", async () => {
		await watchCollection(database.db, { collectionId: 1, chainId: 1, reason: "plan", at });
		await name("ethereum/cats");
		await name();
		expect(await watched()).toEqual([1]);
		await name("ethereum/dogs");
		const core = { db: database.db, clock: { nowMs: () => at.getTime() }, chains };
		const away = async () => Promise.reject(dbFault.fenced());
		await expect(watchNamed({ core, find: away }, ["ethereum/dogs"])).rejects.toThrow();
		expect(await watched()).toEqual([1, 2]);
	});
});
