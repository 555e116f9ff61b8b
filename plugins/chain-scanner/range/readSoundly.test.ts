import { describe, expect, test } from "bun:test";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import { MINT_FILTERS } from "#plugins/chain-scanner/mint/mintSource.ts";
import { readSoundly } from "#plugins/chain-scanner/range/createLogProof.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

describe("readSoundly", () => {
	const filters = MINT_FILTERS.map((topics) => ({ topics }));
	const { signal } = new AbortController();
	const HEAD = 9;

	type Answers = { logs?: unknown; receipts?: (answer: unknown[]) => unknown };

	/** A chain with a mint in block 1, whose node answers about logs as it is told. */
	function chainWith({ logs = [7], receipts = (answer) => answer }: Answers = {}): FakeChain {
		const chain = createFakeChain({ blooms: true });
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.mineTo(HEAD);
		chain.troubles.tamper = ({ method }, answer) => {
			if (method === "eth_getLogs") return logs;
			const isReceipts = method === "eth_getBlockReceipts" && Array.isArray(answer);
			return isReceipts ? receipts(answer) : answer;
		};
		return chain;
	}

	/** How many logs block 1 is said to have, or the kind of the contradiction. */
	const told = (rpc: Rpc, settledBy = 5): Promise<unknown> =>
		readSoundly(rpc, filters, { from: 1, to: 1 }, { signal, unsettledFrom: HEAD, settledBy }).then(
			({ logs }) => logs.length,
			(error: Fault) => error.meta["kind"] ?? error.code,
		);
	const receiptsAsked = (chain: FakeChain) =>
		chain.calls.filter(({ method }) => method === "eth_getBlockReceipts").length;

	test("[ING-14] a settled block whose logs are malformed is read from its receipts", async () => {
		expect(await told(chainWith().rpc)).toBe(1);
		expect(await told(chainWith().rpc, 2)).toBe(1);
	});

	test("[ING-14] an empty bloom proves no receipts, and receipts without logs prove nothing", async () => {
		for (const receipts of [() => [], () => [{ status: "0x1" }]]) {
			const chain = chainWith({ receipts });
			chain.troubles.emptyBlooms = true;
			expect(await told(chain.rpc)).toBe("malformed");
		}
		const receipts = (answer: unknown[]) => [...answer, { status: "0x1" }];
		expect(await told(chainWith({ receipts }).rpc)).toBe("malformed");
	});

	test("[ING-14] a block of a node between two forks is not read from its receipts", async () => {
		const chain = chainWith({ logs: [] });
		let asked = 0;
		chain.troubles.before = ({ method, params }) => {
			const isSettling = method === "eth_getBlockByNumber" && Number(params[0]) === 5;
			if (!isSettling || ++asked !== 2) return;
			chain.drop(7);
			chain.mineTo(HEAD);
		};
		expect(await told(chain.rpc)).toBe("hash_mismatch");
		expect(receiptsAsked(chain)).toBe(0);
	});

	test("[ING-14] receipts count only while the block that settles theirs stays the same", async () => {
		const chain = chainWith();
		chain.troubles.before = ({ method }) => {
			if (method !== "eth_getBlockReceipts") return;
			chain.drop(7);
			chain.mineTo(HEAD);
		};
		expect(await told(chain.rpc)).toBe("malformed");
	});

	test("[ING-14] receipts count only if the next block, where it settles theirs, follows on it", async () => {
		const chain = chainWith();
		const { tamper } = chain.troubles;
		let asked = 0;
		chain.troubles.tamper = (call, answer) => {
			const isNext = call.method === "eth_getBlockByNumber" && Number(call.params[0]) === 2;
			// The first two times it is asked for with the logs.
			if (!isNext || ++asked <= 2) return tamper(call, answer);
			return { ...(answer as object), parentHash: `0x${"e".repeat(64)}` };
		};
		expect(await told(chain.rpc, 2)).toBe("malformed");
	});
});
