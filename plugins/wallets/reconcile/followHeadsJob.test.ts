import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { HeadWatchOptions } from "#core/chain/heads/watchHeads.ts";
import { followHeadsJob } from "#plugins/wallets/reconcile/followHeadsJob.ts";
import { FOLLOWED_IDLE_MS, FOLLOWED_SENT_MS } from "#plugins/wallets/reconcile/limits.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("a chain on which nothing is sent is neither subscribed to nor polled", async () => {
	const follow = open();
	await follow.run();
	await lab.pay(await lab.person(), { stays: true });
	await follow.run();
	expect(follow.watches).toEqual([]);
});

test("what is sent is settled with its block, without the other jobs", async () => {
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

test("a chain is followed a while longer, then no more, and again with the next", async () => {
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

test("what hangs for very long keeps no chain followed", async () => {
	const follow = open();
	await lab.pay(await lab.person());
	lab.clock.ms += FOLLOWED_SENT_MS;
	await follow.run();
	expect(follow.watches).toEqual([]);
});

test("one process follows a chain, and leaves it to whoever has its lease", async () => {
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

test("when the service ends nothing is followed any more", async () => {
	const follow = open();
	await lab.pay(await lab.person());
	await follow.run();
	follow.ending.abort();
	await follow.job.ended();
	await follow.run();
	expect(follow.open()).toBe(0);
});
