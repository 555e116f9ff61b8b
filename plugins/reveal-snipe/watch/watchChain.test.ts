import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { createLeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import type { RevealIndex } from "#plugins/market-index/contract.ts";
import { SIGNALS, type Signal } from "#plugins/reveal-snipe/detection/signals.ts";
import { POLL_EVERY_MS } from "#plugins/reveal-snipe/limits.ts";
import { unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { type ChainWatchDeps, watchChain } from "#plugins/reveal-snipe/watch/watchChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

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
 * Opens a watched chain over a real database and a node's socket, with an index that only records.
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
		...{ core, index, onCovered: [], signals: new Set(signals), signal: ending.signal },
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

test("[RVL-02] the subscription follows the armed set, is asked each tick, and is replaced when dead", async () => {
	const { lab, filters, asked, watched, close } = open();
	await watched([0xa]);
	await until(() => filters().length === 1, "the first is subscribed to");
	await watched([0xa, 0xb]);
	await until(() => filters().length === 2, "both are");
	await watched([0xb]);
	await until(() => filters().length === 3, "the other one is");
	expect(filters()).toEqual([[addressOf(0xa)], [addressOf(0xa), addressOf(0xb)], [addressOf(0xb)]]);
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

test("a log has its own collection looked at, a block has all of them", async () => {
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

test("signals that are off ask for no look, and without those of logs none are subscribed to", async () => {
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

test("a node whose subscriptions are silent while it answers polls is looked at by its blocks", async () => {
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
