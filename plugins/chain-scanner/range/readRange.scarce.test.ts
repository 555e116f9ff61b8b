import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import type { Hex } from "#core/chain/Hex.ts";
import { type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault.ts";
import type { Venue } from "#plugins/chain-scanner/contract.ts";
import { planRange } from "#plugins/chain-scanner/lane/planRange.ts";
import { REORG_DEPTH_LEAST, WINDOW_BLOCKS_MAX } from "#plugins/chain-scanner/limits.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import type { HeaderMemory, LaneSource, RangeReading } from "#plugins/chain-scanner/range/model.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { distrustingSource } from "#plugins/chain-scanner/range/sources.ts";
import { saleSource } from "#plugins/chain-scanner/sale/saleSource.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

const { signal } = new AbortController();
const quiet = { undecoded() {}, noise() {}, unlisted() {} };
const venue: Venue = {
	id: "stall",
	contracts: [`0x${"5a".repeat(20)}`],
	topics: [`0x${"5b".repeat(32)}`],
	decode: () => ({ sales: [], undecoded: [] }),
};
const HEADER = "eth_getBlockByNumber";
const FROM = 10;
const TO = 30;
const near = { from: FROM, to: TO };

/** Every block has three mint transactions, that paid 1, 2 and 3 and so on. */
function mintingChain(blocks: number, { isScarce = true } = {}): FakeChain {
	const chain = createFakeChain({ blooms: true });
	let id = 0;
	for (let block = 1; block <= blocks; block++) {
		chain.mine([++id, ++id, ++id].map((n) => ({ value: BigInt(n), logs: [mintLog(n)] })));
	}
	chain.rpc.isScarce = () => isScarce;
	return chain;
}

const read = (chain: FakeChain, remembered: HeaderMemory, range = near) =>
	mintSource(chain.rpc, quiet).read(range, { signal, unsettledFrom: 1, remembered });
const readSales = (chain: FakeChain, remembered: HeaderMemory, range = near) =>
	saleSource(chain.rpc, [venue], quiet).read(range, { signal, unsettledFrom: 1, remembered });

const isWhole = ({ method, params }: RpcCall) =>
	method.startsWith("eth_getBlockBy") && params[1] === true;
const isHeader = ({ method, params }: RpcCall) =>
	method.startsWith("eth_getBlockBy") && params[1] === false;
const asked = (chain: FakeChain) => ({
	whole: chain.calls.filter(isWhole).length,
	headers: chain.calls.filter(isHeader).length,
	transactions: chain.calls.filter(({ method }) => method === "eth_getTransactionByHash").length,
});
const untilAsked = async (chain: FakeChain, name: string) => {
	while (!chain.calls.some(({ method }) => method === name)) await setImmediate();
};
const codeOf = (reading: Promise<unknown>) =>
	reading.then(
		() => "nothing failed",
		(error: Fault) => error.code,
	);

/** Without what a closure cannot be compared by. */
const told = ({ report: _, ...reading }: RangeReading) => reading;

/** Reads a chain up to its head as a lane does, each range once. */
async function readAll(chain: FakeChain, source: LaneSource, remembered: HeaderMemory) {
	const head = chain.head();
	const events: RangeReading["events"] = [];
	for (let from = 0; from <= head; ) {
		const given = { from, head, blocksMax: WINDOW_BLOCKS_MAX, reorgDepthMax: REORG_DEPTH_LEAST };
		const plan = planRange(given);
		const reading = await source.read(plan.range, { ...plan.read, signal, remembered });
		events.push(...reading.events);
		from = plan.range.to + 1;
	}
	return events;
}

describe("where calls are scarce", () => {
	test("a block that is read whole for its mints costs no call for its header", async () => {
		const chain = mintingChain(TO);
		const reading = await read(chain, createHeaderMemory());
		// The last block alone is requested twice: its header has to come before the logs.
		expect(asked(chain)).toEqual({ whole: TO - FROM + 1, headers: 1, transactions: 0 });
		const plain = await read(mintingChain(TO, { isScarce: false }), createHeaderMemory());
		expect(told(reading)).toEqual(told(plain));
	});

	test("the header of the last block is requested before the logs, all others after them", async () => {
		const chain = mintingChain(TO);
		await read(chain, createHeaderMemory());
		const places = chain.calls.flatMap(({ method }, at) => (method === "eth_getLogs" ? [at] : []));
		const headersAt = chain.calls.flatMap(({ method }, at) => (method === HEADER ? [at] : []));
		expect(chain.calls[0]?.params[0]).toBe(`0x${TO.toString(16)}`);
		expect(headersAt.filter((at) => at < (places[0] ?? 0))).toEqual([0]);
	});

	test("two lanes of a chain request each of its newest blocks once, also at the same time", async () => {
		const blocks = 200;
		const chain = mintingChain(blocks);
		const remembered = createHeaderMemory();
		const sales = saleSource(chain.rpc, [venue], quiet);
		const mints = mintSource(chain.rpc, quiet);
		const [events] = await Promise.all([
			readAll(chain, mints, remembered),
			readAll(chain, sales, remembered),
		]);
		expect(events).toHaveLength(3 * blocks);
		const numbers = chain.calls.filter(isWhole).map(({ params }) => params[0]);
		expect(new Set(numbers).size).toBe(numbers.length);
		// Of each lane's settled range four, and the last one of what may leave the chain.
		expect(asked(chain).headers).toBeLessThanOrEqual(2 * (4 + 1));
		expect(chain.calls.length).toBeLessThanOrEqual(blocks + 20);
	});

	test("a block with few mints is read by its header, and its value by its transaction", async () => {
		const chain = createFakeChain({ blooms: true });
		for (let block = 1; block <= TO; block++) {
			chain.mine(block % 5 === 0 ? [{ value: 7n, logs: [mintLog(block)] }] : []);
		}
		chain.rpc.isScarce = () => true;
		const { events } = await read(chain, createHeaderMemory());
		expect(events.map(({ totalRaw }) => totalRaw)).toEqual(Array.from({ length: 5 }, () => 7n));
		expect(asked(chain)).toEqual({ whole: 0, headers: TO - FROM + 1, transactions: 5 });
	});

	test("what a block paid is taken from the whole block that another lane read for its header", async () => {
		const chain = mintingChain(TO);
		const remembered = createHeaderMemory();
		remembered.noteWhole({ blocks: 10, whole: 9 });
		await readSales(chain, remembered);
		expect(asked(chain).whole).toBe(TO - FROM);
		const { events } = await read(chain, remembered);
		expect(asked(chain).whole).toBe(TO - FROM + 1);
		expect(events.map(({ totalRaw }) => Number(totalRaw))).toEqual(
			Array.from({ length: 3 * (TO - FROM + 1) }, (_, index) => 3 * (FROM - 1) + index + 1),
		);
	});

	test("a lane without mints reads headers alone where few blocks are read whole", async () => {
		const chain = mintingChain(TO);
		const remembered = createHeaderMemory();
		remembered.noteWhole({ blocks: 10, whole: 4 });
		await readSales(chain, remembered);
		expect(asked(chain)).toEqual({ whole: 0, headers: TO - FROM + 1, transactions: 0 });
	});

	test("a lane that comes first waits a moment for the mint lane's word, and once for all", async () => {
		const chain = mintingChain(TO);
		const remembered = createHeaderMemory();
		const sales = readSales(chain, remembered);
		await untilAsked(chain, "eth_getLogs");
		remembered.noteWhole({ blocks: 1, whole: 1 });
		await sales;
		expect(asked(chain).whole).toBe(TO - FROM);
		// Without a mint lane in this process nobody ever says it.
		const alone = createHeaderMemory();
		const given = new AbortController();
		given.abort();
		expect(await alone.areMostWhole(given.signal)).toBe(false);
		await readSales(chain, alone);
		expect(asked(chain)).toMatchObject({ whole: TO - FROM, headers: 1 + TO - FROM + 1 });
	});

	test("a node that refuses whole blocks, or sends only hashes, is asked for headers and transactions", async () => {
		for (const refusal of [null, rpcFault.range({ detail: "no" }), rpcFault.refused({})]) {
			const chain = mintingChain(TO);
			chain.troubles.tamper = (call, answer) => {
				if (!isWhole(call)) return answer;
				if (refusal) throw refusal;
				return { ...(answer as object), transactions: ["0x1", "0x2", "0x3"] };
			};
			const { events } = await read(chain, createHeaderMemory());
			expect(events).toHaveLength(3 * (TO - FROM + 1));
			expect(events.every(({ totalRaw }) => totalRaw !== null && totalRaw > 0n)).toBe(true);
		}
	});

	test("the answers are as those of a node whose calls are not scarce, whatever is remembered", async () => {
		for (const noted of [0, 10]) {
			const remembered = createHeaderMemory();
			remembered.noteWhole({ blocks: 10, whole: noted });
			const chain = mintingChain(60);
			const plain = mintingChain(60, { isScarce: false });
			for (const range of [
				{ from: 1, to: 20 },
				{ from: 15, to: 40 },
				{ from: 2, to: 60 },
			]) {
				const expected = await readSales(plain, createHeaderMemory(), range);
				expect(told(await readSales(chain, remembered, range))).toEqual(told(expected));
				const mints = await read(plain, createHeaderMemory(), range);
				expect(told(await read(chain, remembered, range))).toEqual(told(mints));
			}
		}
	});
});

describe("a node whose calls are scarce, and", () => {
	const refusedAs = async (
		tamper: (call: RpcCall, answer: unknown) => unknown,
		code = "rpc_inconsistent",
	) => {
		const chain = mintingChain(TO);
		chain.troubles.tamper = tamper;
		expect(await codeOf(read(chain, createHeaderMemory()))).toBe(code);
		return chain;
	};
	const isAt = ({ method, params }: RpcCall, block: number) =>
		method === HEADER && Number(params[0]) === block;

	test("[ING-14] a whole block that is not linked to the last one is refused", async () => {
		const wrong: Hex = `0x${"0b".repeat(32)}`;
		for (const member of ["hash", "parentHash"]) {
			await refusedAs((call, answer) =>
				isAt(call, 20) ? { ...(answer as object), [member]: wrong } : answer,
			);
		}
	});

	test("[ING-14] a block that the node lacks, or another one in its place, is refused", async () => {
		await refusedAs((call, answer) => (isAt(call, 20) && isWhole(call) ? null : answer));
		await refusedAs((call, answer) =>
			isAt(call, 20) ? { ...(answer as object), number: "0x15" } : answer,
		);
		await refusedAs((call) => (isAt(call, 20) ? "<html>502</html>" : undefined));
	});

	test("[ING-14] logs that a whole block's bloom proves are missed where they are left out", async () => {
		const chain = await refusedAs((call, answer) =>
			call.method === "eth_getLogs"
				? (answer as { blockNumber: Hex }[]).filter(({ blockNumber }) => blockNumber !== "0x14")
				: answer,
		);
		expect(chain.calls.some(({ method }) => method === "eth_getBlockReceipts")).toBe(true);
	});

	test("[ING-14] a value of another block is not taken from a whole block", async () => {
		const of = (transaction: object) => ({ ...transaction, blockHash: `0x${"0c".repeat(32)}` });
		await refusedAs((call, answer) => {
			if (!isWhole(call)) return answer;
			const { transactions, ...block } = answer as { transactions: object[] };
			return { ...block, transactions: transactions.map(of) };
		});
	});

	test("[ING-14] what a block paid is not remembered from a block that is not linked to the last one", async () => {
		const [chain, other] = [mintingChain(TO), mintingChain(TO)];
		const remembered = createHeaderMemory();
		remembered.noteWhole({ blocks: 1, whole: 1 });
		let isLying = true;
		chain.troubles.tamper = (call, answer) => {
			if (!isLying || !isWhole(call)) return answer;
			// Each block under the hash of the next one, and its values with it.
			const next = chain.hashOf(Number(call.params[0]) + 1);
			const { transactions, ...block } = answer as { transactions: object[] };
			const under = transactions.map((one) => ({ ...one, blockHash: next, value: "0x1" }));
			return { ...block, hash: next, transactions: under };
		};
		await readSales(chain, remembered).catch(() => null);
		isLying = false;
		const { events } = await read(chain, remembered);
		const plain = await read(other, createHeaderMemory());
		expect(events.map(({ totalRaw }) => totalRaw)).toEqual(
			plain.events.map(({ totalRaw }) => totalRaw),
		);
	});

	test("[ING-14] a chain that moved on while it was read is read again, and no node is distrusted", async () => {
		for (const depth of [1, 4, 12]) {
			const chain = mintingChain(TO);
			let forked = false;
			chain.troubles.before = (call) => {
				// All logs are there, and no header but the last one.
				if (forked || !isWhole(call)) return;
				forked = true;
				chain.drop(depth);
				const mined = { value: 5n, logs: [mintLog(1_000)] };
				while (chain.head() < TO) chain.mine([mined, mined]);
			};
			const source = distrustingSource(mintSource(chain.rpc, quiet), chain.rpc);
			const given = { signal, unsettledFrom: 1, remembered: createHeaderMemory() };
			// A node without the old fork has no whole block of it: the lane asks again.
			const first = await source.read(near, given).catch(() => null);
			const { blocks, events } = first ?? (await source.read(near, given));
			expect(blocks.at(-1)?.hash).toBe(chain.hashOf(TO));
			const last = events.filter(({ blockNumber }) => blockNumber === TO);
			expect(last).toHaveLength(2);
			expect(chain.distrusted).toEqual([]);
		}
	});

	test("[ING-14] a node that lags proves no range", async () => {
		const chain = mintingChain(TO);
		chain.troubles.lagBlocks = 1;
		expect(await codeOf(read(chain, createHeaderMemory()))).toBe("rpc_inconsistent");
	});

	test("what another reader requested and did not get is requested after all", async () => {
		const chain = mintingChain(TO);
		const remembered = createHeaderMemory();
		const giveUp = new AbortController();
		const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
		const { promise: held, resolve: release } = Promise.withResolvers<void>();
		chain.troubles.before = async (call) => {
			if (!isWhole(call)) return;
			reach();
			await held;
		};
		const given = { signal: giveUp.signal, unsettledFrom: 1, remembered };
		const first = codeOf(mintSource(chain.rpc, quiet).read(near, given));
		await reached;
		const second = read(chain, remembered);
		giveUp.abort();
		expect(await first).toBe("rpc_transport");
		release();
		expect((await second).events).toHaveLength(3 * (TO - FROM + 1));
	});
});
