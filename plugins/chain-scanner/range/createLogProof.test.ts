import { expect, test } from "bun:test";
import type { Fault } from "#core/fault/Fault.ts";
import { PROOFS_REFUSED_MAX } from "#plugins/chain-scanner/limits.ts";
import { HEAD_MINT_FILTERS } from "#plugins/chain-scanner/mint/mintTopics.ts";
import { createLogProof } from "#plugins/chain-scanner/range/createLogProof.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { mintLog, unitsLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain, type FakeChain, type FakeLog } from "#test/harness/fakeChain.ts";

const filters = HEAD_MINT_FILTERS.map((topics) => ({ topics }));
const { signal } = new AbortController();

/** A chain whose newest block holds these logs, and what an honest node answers about it. */
async function blockWith(...logs: FakeLog[]) {
	const chain = createFakeChain({ blooms: true });
	chain.mine([{ logs }]);
	const params = [{ fromBlock: "0x1", toBlock: "0x1", topics: [] }];
	const honest = parseLogs(await chain.rpc.call({ method: "eth_getLogs", params }), {
		from: 1,
		to: 1,
	});
	return { chain, honest, header: chain.headOf(1) };
}

/** What a proof says: the kind of the contradiction, or that there is none. */
const verdict = (proof: Promise<void>): Promise<string> =>
	proof.then(
		() => "believed",
		(error: Fault) => String(error.meta["kind"] ?? error.code),
	);
const receiptsAsked = (chain: FakeChain) =>
	chain.calls.filter(({ method }) => method === "eth_getBlockReceipts").length;

test("[ING-14] logs that explain their block's bloom are believed, and nothing else is asked", async () => {
	const { chain, honest, header } = await blockWith(mintLog(1), unitsLog(2n, 3n));
	const prove = createLogProof(chain.rpc);
	expect(await verdict(prove({ headers: [header], logs: honest, filters }, signal))).toBe(
		"believed",
	);
	expect(receiptsAsked(chain)).toBe(0);
});

test("[ING-14] logs that the bloom says are there and the node leaves out are missed", async () => {
	const { chain, honest, header } = await blockWith(mintLog(1), unitsLog(2n, 3n));
	for (const logs of [[], honest.slice(1), honest.slice(0, 1)]) {
		const prove = createLogProof(chain.rpc);
		expect(await verdict(prove({ headers: [header], logs, filters }, signal))).toBe("missing_logs");
	}
});

test("[ING-14] a node that has neither the logs of a block nor its receipts yet is not believed", async () => {
	const { chain, header } = await blockWith(mintLog(1));
	for (const receipts of [[], null, [{ logs: [] }]]) {
		const prove = createLogProof(chain.rpc);
		chain.troubles.tamper = ({ method }, answer) =>
			method === "eth_getBlockReceipts" ? receipts : answer;
		const asked = () => verdict(prove({ headers: [header], logs: [], filters }, signal));
		for (let times = 0; times < PROOFS_REFUSED_MAX; times++) {
			expect(await asked()).toBe("missing_logs");
		}
		// A chain whose blooms say more than its receipts must not stand still for ever.
		expect(await asked()).toBe("believed");
	}
});

test("[ING-14] a log that the bloom rules out and the receipts do not have is made up", async () => {
	const { chain, honest, header } = await blockWith(mintLog(1));
	const [log] = honest;
	if (!log) throw new Error("no log");
	const prove = createLogProof(chain.rpc);
	const logs = [
		log,
		{ ...log, logIndex: "0x1" as const, address: `0x${"99".repeat(20)}` as const },
	];
	expect(await verdict(prove({ headers: [header], logs, filters }, signal))).toBe("foreign_log");
	// One liar does not make the chain's blooms worthless.
	expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
		"missing_logs",
	);
});

test("[ING-14] receipts of another block prove nothing, and are told as what they are", async () => {
	const { chain, header } = await blockWith(mintLog(1));
	const prove = createLogProof(chain.rpc);
	chain.troubles.tamper = ({ method }, answer) => {
		if (method !== "eth_getBlockReceipts" || !Array.isArray(answer)) return answer;
		return answer.map(({ logs }) => ({
			logs: logs.map((log: object) => ({ ...log, blockHash: `0x${"e".repeat(64)}` })),
		}));
	};
	expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
		"hash_mismatch",
	);
});

test("a chain that leaves its blooms empty is believed after one look at the receipts", async () => {
	const { chain, honest } = await blockWith(mintLog(1));
	chain.troubles.emptyBlooms = true;
	const header = chain.headOf(1);
	const prove = createLogProof(chain.rpc);
	for (let times = 0; times < 3; times++) {
		expect(await verdict(prove({ headers: [header], logs: honest, filters }, signal))).toBe(
			"believed",
		);
	}
	expect(receiptsAsked(chain)).toBe(1);
});

test("a node without eth_getBlockReceipts is taken at its word; one that is away is not", async () => {
	const { chain, honest, header } = await blockWith(mintLog(1));
	const prove = createLogProof(chain.rpc);
	chain.troubles.receipts = false;
	expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe("believed");
	chain.troubles.down = true;
	expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe(
		"rpc_transport",
	);
	chain.troubles.emptyBlooms = true;
	const empty = { headers: [chain.headOf(1)], logs: honest, filters };
	expect(await verdict(prove(empty, signal))).toBe("rpc_transport");
});

test("a header without a bloom, or logs of other kinds in it, raise no doubt that stays", async () => {
	const other = { address: mintLog(1).address, topics: [`0x${"77".repeat(32)}` as const] };
	const { chain, header } = await blockWith(other);
	const prove = createLogProof(chain.rpc);
	expect(await verdict(prove({ headers: [header], logs: [], filters }, signal))).toBe("believed");
	const bare = { ...chain.headOf(1), logsBloom: null };
	expect(await verdict(prove({ headers: [bare], logs: [], filters }, signal))).toBe("believed");
});
