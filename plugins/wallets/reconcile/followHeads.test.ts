import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import type { HeadWatchOptions } from "#core/chain/heads/watchHeads.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { silentLog } from "#core/log.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import {
	createHeadSearch,
	createRecentHashes,
	followHeads,
	followHeadsJob,
} from "#plugins/wallets/reconcile/followHeads.ts";
import {
	FOLLOWED_IDLE_MS,
	FOLLOWED_SENT_MS,
	HEAD_BLOCKS_MAX,
} from "#plugins/wallets/reconcile/looks.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createHeadSearch", () => {
	// Guarantee: what is mined is settled with its block, for one question a block; a false head or
	// block settles nothing.

	let database: TestDatabase;
	let lab: Lab;
	let asked: RpcCall[];
	let falsify: (call: RpcCall, outcome: RpcOutcome) => RpcOutcome;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		asked = [];
		falsify = (_call, outcome) => outcome;
	});

	function openSearch() {
		const { rpc } = lab.chain;
		const watched: Rpc = {
			...rpc,
			async settle(calls, options) {
				asked.push(...calls);
				const outcomes = await rpc.settle(calls, options);
				return outcomes.map((outcome, place) => falsify(calls[place] as RpcCall, outcome));
			},
		};
		lab.deps.rpcOf = () => watched;
		const search = createHeadSearch(lab.deps, { chainId: CHAIN_ID, rpc: watched });
		return (head: Head | null) => search(head, lab.signal);
	}

	async function head(): Promise<Head> {
		const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
		const { number, hash } = (await lab.chain.rpc.call(call)) as { number: Hex; hash: Hex };
		return { number: Number(number), hash, parentHash: hash, timestampMs: 0, logsBloom: null };
	}

	async function pay(): Promise<Intent> {
		const [intent] = await lab.pay(await lab.person());
		if (!intent) throw new Error("no intent");
		return intent;
	}

	const statusOf = async ({ id }: Intent) => (await lab.intent(id)).status;
	const methods = () => asked.map(({ method }) => method);

	test("a mined payment is settled with its block, before the next scheduled lookup", async () => {
		const search = openSearch();
		const paid = [await pay(), await pay(), await pay()];
		lab.chain.mine();
		await lab.tick(0);
		expect(await Promise.all(paid.map(statusOf))).toEqual(paid.map(() => "submitted"));
		await search(await head());
		expect(await Promise.all(paid.map(statusOf))).toEqual(paid.map(() => "confirmed"));
	});

	test("a payment that reverts is looked up with its block, and reported once a later block agrees", async () => {
		const search = openSearch();
		const intent = await pay();
		const [pending] = lab.chain.pool();
		if (!pending) throw new Error("nothing waits");
		pending.reverts = true;
		lab.chain.mine();
		await search(await head());
		const [row] = await lab.db.query<{ state: string }>("select state from wallets.submission");
		expect([row?.state, await statusOf(intent)]).toEqual(["reverted", "submitted"]);
		lab.chain.mine();
		await lab.tick(5_000);
		expect(await statusOf(intent)).toBe("failed");
	});

	test("a chain with no open payments gets no requests", async () => {
		const search = openSearch();
		const intent = await pay();
		lab.chain.mine();
		await search(await head());
		expect(await statusOf(intent)).toBe("confirmed");
		asked = [];
		lab.chain.mine();
		await search(await head());
		await search(null);
		expect(asked).toEqual([]);
	});

	test("a block costs one request, however many payments wait and are not in it", async () => {
		const search = openSearch();
		for (let n = 0; n < 12; n++) await pay();
		const waiting = lab.chain.pool();
		lab.chain.forgetPool();
		lab.chain.mine();
		await search(await head());
		asked = [];
		lab.chain.mine();
		await search(await head());
		await search(null);
		expect(methods()).toEqual(["eth_getBlockByNumber"]);
		expect(waiting).toHaveLength(12);
	});

	test("skipped blocks are searched as well, up to a limit", async () => {
		const search = openSearch();
		await pay();
		lab.chain.forgetPool();
		await search(await head());
		const intent = await pay();
		for (let n = 0; n < HEAD_BLOCKS_MAX; n++) lab.chain.mine();
		asked = [];
		await search(await head());
		expect(await statusOf(intent)).toBe("confirmed");
		for (let n = 0; n < 5 * HEAD_BLOCKS_MAX; n++) lab.chain.mine();
		asked = [];
		await search(await head());
		expect(asked).toHaveLength(HEAD_BLOCKS_MAX);
	});

	test("a payment that is recorded after its block arrived is found without another head", async () => {
		const search = openSearch();
		await pay();
		lab.chain.forgetPool();
		const intent = await pay();
		const hide = "update wallets.submission set state = $2 where intent_id = $1";
		await lab.db.execute(hide, [intent.id, "sending"]);
		lab.chain.mine();
		await search(await head());
		await lab.db.execute(hide, [intent.id, "sent"]);
		expect(await statusOf(intent)).toBe("submitted");
		await search(null);
		expect(await statusOf(intent)).toBe("confirmed");
	});

	test("a block that replaces one already read is read", async () => {
		const search = openSearch();
		const intent = await pay();
		lab.chain.mine();
		lab.chain.reorg({ depth: 1 });
		await search(await head());
		expect(await statusOf(intent)).toBe("submitted");
		lab.chain.reorg({ depth: 1 });
		lab.chain.mine();
		await search(await head());
		expect(await statusOf(intent)).toBe("confirmed");
	});

	test("a head that the endpoint does not have yet is read with the next search", async () => {
		const search = openSearch();
		const intent = await pay();
		lab.chain.mine();
		const announced = await head();
		lab.chain.state.lagBlocks = 1;
		await search(announced);
		expect(await statusOf(intent)).toBe("submitted");
		lab.chain.state.lagBlocks = 0;
		await search(null);
		expect(await statusOf(intent)).toBe("confirmed");
	});

	test("a block that lists a hash which it does not contain costs one lookup, and settles nothing", async () => {
		const search = openSearch();
		const intent = await pay();
		const [waiting] = lab.chain.pool();
		falsify = (call, outcome) => {
			if (call.method !== "eth_getBlockByNumber" || outcome.kind === "fault") return outcome;
			return {
				kind: "result",
				result: { ...Object(outcome.result), transactions: [waiting?.hash] },
			};
		};
		await search(await head());
		expect(methods()).toContain("eth_getTransactionReceipt");
		expect(await statusOf(intent)).toBe("submitted");
		asked = [];
		await search(await head());
		await search(null);
		expect(asked).toEqual([]);
		lab.chain.mine();
		falsify = (_call, outcome) => outcome;
		await lab.tick();
		expect(await statusOf(intent)).toBe("confirmed");
	});

	test("a payment that is being looked up is not looked up again by its block", async () => {
		const search = openSearch();
		const intent = await pay();
		lab.chain.mine();
		const rows = await lab.db.query<{ id: string }>("select id from wallets.submission");
		for (const { id } of rows) lab.deps.looks.underWay.add(id);
		asked = [];
		await search(await head());
		expect(methods()).toEqual(["eth_getBlockByNumber"]);
		expect(await statusOf(intent)).toBe("submitted");
	});

	test("a payment in blocks that were skipped is found by the next scheduled lookup", async () => {
		const search = openSearch();
		const intent = await pay();
		lab.chain.mine();
		lab.chain.reorg({ depth: 1 });
		await search(await head());
		await lab.db.execute("update wallets.submission set look_at = $1", [
			new Date(lab.clock.ms + 300_000),
		]);
		for (let n = 0; n < 3 * HEAD_BLOCKS_MAX; n++) lab.chain.mine();
		await search(await head());
		expect(await statusOf(intent)).toBe("submitted");
		await lab.tick(0);
		expect(await statusOf(intent)).toBe("confirmed");
	});
});

describe("createRecentHashes", () => {
	test("a hash is matched once, however many blocks have it, and an unlisted one never", () => {
		const recent = createRecentHashes({ blocksMax: 2, hashesMax: 10 });
		recent.add(["0xa", "0xb"]);
		recent.add(["0xa"]);
		expect(["0xa", "0xa", "0xc", "0xb"].map(recent.take)).toEqual([true, false, false, true]);
	});

	const hash = fc.nat(30).map(String);
	const manyBlocks = fc.array(fc.array(hash, { maxLength: 8 }), { minLength: 1, maxLength: 12 });
	const most = fc.record({ blocksMax: fc.integer({ min: 1, max: 4 }), hashesMax: fc.nat(12) });

	test("the newest block is remembered completely, and older ones up to a limit", () => {
		fc.assert(
			fc.property(manyBlocks, most, (blocks, { blocksMax, hashesMax }) => {
				const recent = createRecentHashes({ blocksMax, hashesMax });
				for (const hashes of blocks) recent.add(hashes);
				const newest = new Set(blocks.at(-1));
				for (const one of newest) expect(recent.take(one)).toBe(true);
				const within = new Set(blocks.slice(-blocksMax).flat());
				const older = [...new Set(blocks.flat())].filter((one) => !newest.has(one));
				const kept = older.filter(recent.take);
				expect(kept.filter((one) => !within.has(one))).toEqual([]);
				expect(kept.length === 0 || kept.length + newest.size <= hashesMax).toBe(true);
			}),
		);
	});
});

describe("followHeads", () => {
	// Guarantee: each head is searched at once, one search at a time, whatever comes how fast.

	const stopping: AbortController[] = [];
	afterEach(() => {
		for (const controller of stopping.splice(0)) controller.abort();
	});

	type Search = { head: number | null; end(): void; fail(error: unknown): void };

	function follow({ apartMs = 2 }: { apartMs?: number } = {}) {
		const controller = new AbortController();
		stopping.push(controller);
		const searches = collector<Search>();
		let announce: (head: Head) => void = () => {};
		let underWay = 0;
		const most = { atOnce: 0 };
		const done = followHeads({
			watch(onHead) {
				announce = onHead;
			},
			async search(head) {
				const { promise, resolve, reject } = Promise.withResolvers<void>();
				most.atOnce = Math.max(most.atOnce, ++underWay);
				searches.add({ head: head?.number ?? null, end: resolve, fail: reject });
				await promise.finally(() => underWay--);
			},
			log: silentLog,
			apartMs,
			againMs: 1,
			signal: controller.signal,
		});
		const say = (number: number, hash = `0x${number}` as const) => {
			announce({ number, hash, parentHash: "0x", timestampMs: 0, logsBloom: null });
		};
		return { searches, say, done, most, controller };
	}

	/** Ends searches until one of a head comes. */
	async function nextHead({ searches }: ReturnType<typeof follow>): Promise<Search> {
		for (;;) {
			const search = await searches.next();
			if (search.head !== null) return search;
			search.end();
		}
	}

	test("each head is searched at once, and only once", async () => {
		const { searches, say } = follow();
		say(7);
		const first = await searches.next();
		first.end();
		const second = await searches.next();
		expect([first.head, second.head]).toEqual([7, null]);
	});

	test("heads that arrive during a search are one search, of the highest", async () => {
		const lab = follow();
		lab.say(1);
		const first = await nextHead(lab);
		for (const number of [2, 5, 3, 4]) lab.say(number);
		expect(lab.searches.rest()).toEqual([]);
		first.end();
		expect((await nextHead(lab)).head).toBe(5);
		expect(lab.most.atOnce).toBe(1);
	});

	test("a head that is announced again is not searched again, one that replaces it is", async () => {
		const lab = follow();
		lab.say(1);
		(await nextHead(lab)).end();
		lab.say(1);
		(await lab.searches.next()).end();
		lab.say(1, "0x1b" as "0x1");
		expect((await nextHead(lab)).head).toBe(1);
		expect(lab.searches.rest()).toEqual([]);
	});

	test("a search that fails does not prevent the next one", async () => {
		const lab = follow();
		lab.say(1);
		(await nextHead(lab)).fail(new Error("the node is away"));
		lab.say(2);
		expect((await nextHead(lab)).head).toBe(2);
	});

	test("of many heads between two searches one is searched", async () => {
		const lab = follow({ apartMs: 2 ** 30 });
		lab.say(1);
		(await nextHead(lab)).end();
		for (let number = 2; number < 100; number++) lab.say(number);
		(await lab.searches.next()).end();
		expect(lab.searches.rest()).toEqual([]);
		lab.controller.abort();
		await lab.done;
	});

	test("no head is searched once the signal aborted", async () => {
		const lab = follow();
		lab.controller.abort();
		lab.say(1);
		await lab.done;
		expect(lab.searches.rest()).toEqual([]);
	});
});

describe("followHeadsJob", () => {
	// Guarantee: a chain is followed while something of ours is sent on it, by one process.

	let database: TestDatabase;
	let lab: Lab;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
	});

	function open(headUrls: string[] = []) {
		const chain = builtinChains.find(({ id }) => id === CHAIN_ID);
		if (!chain) throw new Error("no such chain");
		const ending = new AbortController();
		const watches: HeadWatchOptions[] = [];
		const leases = { holder: "us", released: 0 };
		const job = followHeadsJob({
			deps: lab.deps,
			chains: [{ chain, rpcFor: () => lab.chain.rpc, headUrls }],
			leases: {
				hold: async (name) => (leases.holder === "us" ? { name, token: 1 } : null),
				release: async () => void leases.released++,
			},
			ending: ending.signal,
			watch: (options) => void watches.push(options),
		});
		return {
			...{ job, watches, leases, ending },
			run: () => job.run({ signal: lab.signal }),
			open: () => watches.filter(({ signal }) => !signal.aborted).length,
		};
	}

	async function announce(watch: HeadWatchOptions | undefined): Promise<void> {
		const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
		const { number, hash } = (await lab.chain.rpc.call(call)) as { number: Hex; hash: Hex };
		const head: Head = {
			...{ number: Number(number), hash, parentHash: hash },
			...{ timestampMs: 0, logsBloom: null },
		};
		watch?.onHead(head);
	}

	test("a chain with no open payments is neither subscribed to nor polled", async () => {
		const follow = open();
		await follow.run();
		await lab.pay(await lab.person(), { stays: true });
		await follow.run();
		expect(follow.watches).toEqual([]);
	});

	test("a sent payment is settled with its block, without the other jobs", async () => {
		const follow = open();
		const [intent] = await lab.pay(await lab.person());
		await follow.run();
		await follow.run();
		expect(follow.watches).toHaveLength(1);
		lab.chain.mine();
		const settled = Promise.withResolvers<void>();
		lab.deps.log = { ...lab.deps.log, info: () => settled.resolve() };
		await announce(follow.watches[0]);
		await settled.promise;
		follow.ending.abort();
		await follow.job.ended();
		expect((await lab.intent(intent?.id ?? "")).status).toBe("confirmed");
	});

	test("a chain is followed for a while longer, then no more, and again with the next payment", async () => {
		const follow = open();
		await lab.pay(await lab.person());
		await follow.run();
		await lab.db.execute("update wallets.submission set state = 'mined'");
		lab.clock.ms += FOLLOWED_IDLE_MS - 1;
		await follow.run();
		expect(follow.open()).toBe(1);
		lab.clock.ms += 1;
		await follow.run();
		expect([follow.open(), follow.leases.released]).toEqual([0, 1]);
		await follow.job.ended();
		await lab.pay(await lab.person());
		await follow.run();
		expect(follow.open()).toBe(1);
	});

	test("a chain is no longer followed for a payment that is pending for very long", async () => {
		const follow = open();
		await lab.pay(await lab.person());
		lab.clock.ms += FOLLOWED_SENT_MS;
		await follow.run();
		expect(follow.watches).toEqual([]);
	});

	test("one process follows a chain, and stops when another holds its lease", async () => {
		const follow = open();
		await lab.pay(await lab.person());
		follow.leases.holder = "another";
		await follow.run();
		expect(follow.watches).toEqual([]);
		follow.leases.holder = "us";
		await follow.run();
		expect(follow.open()).toBe(1);
		follow.leases.holder = "another";
		await follow.run();
		expect(follow.open()).toBe(0);
		await follow.job.ended();
	});

	test("no chain is followed after the service ends", async () => {
		const follow = open();
		await lab.pay(await lab.person());
		await follow.run();
		follow.ending.abort();
		await follow.job.ended();
		await follow.run();
		expect(follow.open()).toBe(0);
	});
});
