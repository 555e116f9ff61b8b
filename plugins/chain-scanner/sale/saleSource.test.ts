import { describe, expect, test } from "bun:test";
import { padHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { DEAR_RECEIPTS_MAX } from "#plugins/chain-scanner/limits.ts";
import {
	readTransaction,
	saleSource,
	sampleStrangersJob,
} from "#plugins/chain-scanner/sale/saleSource.ts";
import { aSale } from "#plugins/chain-scanner/sale/testing/aSale.ts";
import { moveLogs } from "#plugins/chain-scanner/sale/testing/moveLogs.ts";
import { seaportAdapters } from "#plugins/chain-scanner/venues/seaport/readLogs.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

describe("readTransaction", () => {
	const market = padHex("0x33", { size: 20 });
	const topic = padHex("0x70", { size: 32 });
	const log = (logIndex: number, changes: Partial<RawLog> = {}): RawLog => ({
		...seaportLogs.log({ address: market, topics: [topic], data: "0x", logIndex }),
		...changes,
	});

	const saleAt = (logIndex: number, changes: Partial<Sale> = {}) => aSale({ logIndex, ...changes });

	function venueOf(decode: Venue["decode"], id = "bazaar"): Venue {
		return { id, contracts: [market], topics: [topic], decode };
	}

	test("[ING-13] a venue gets only the logs of its own contracts and topics", () => {
		const seen: number[][] = [];
		const venue = venueOf((logs) => {
			seen.push(logs.map(({ logIndex }) => Number(logIndex)));
			return { sales: [saleAt(1)], undecoded: [] };
		});
		const foreign = [
			log(2, { address: padHex("0x44", { size: 20 }) }),
			log(3, { topics: [padHex("0x71", { size: 32 })] }),
			log(4, { topics: [] }),
		];
		const { sales, undecoded } = readTransaction([log(1), ...foreign, log(5)], [venue]);
		expect(seen).toEqual([[1, 5]]);
		expect(sales).toEqual([{ sale: saleAt(1), venue }]);
		expect(undecoded).toEqual([]);
	});

	test("[ING-13] if a venue throws, its own logs are reported as undecoded, and other venues' are read", () => {
		const bad = venueOf(() => {
			throw new TypeError("undefined is not a function");
		}, "bad");
		const good = venueOf(() => ({ sales: [saleAt(1)], undecoded: [] }));
		const { sales, undecoded } = readTransaction([log(1)], [bad, good]);
		expect(sales).toHaveLength(1);
		expect(undecoded[0]?.problem).toContain("venue bad failed");
		expect(undecoded[0]?.log.logIndex).toBe("0x1");
	});

	const flaws: [string, Partial<Sale>][] = [
		["of no log of the venue", { logIndex: 9 }],
		["without units", { quantity: 0n }],
		["of more units than 256 bits hold", { quantity: 2n ** 256n }],
		["at a negative price", { totalRaw: -1n }],
		["at a price that 256 bits do not hold", { totalRaw: 2n ** 256n }],
		["with a price and no currency", { currency: null }],
		["of a contract that is no address", { contract: "0x12" }],
		["by a seller who is no address", { seller: padHex("0x5e", { size: 32 }) }],
		["to a buyer who is no address", { buyer: "0x" }],
		["in a currency that is no address", { currency: "0x12" }],
		["of a token id beyond 256 bits", { tokenId: 2n ** 256n }],
		["without a place", { subIndex: 0.5 }],
	];

	for (const [what, changes] of flaws) {
		test(`[ING-13] a sale ${what} is reported and not stored, because it would stop the lane`, () => {
			const venue = venueOf(() => ({ sales: [saleAt(1, changes), saleAt(2)], undecoded: [] }));
			const { sales, undecoded } = readTransaction([log(1), log(2)], [venue]);
			expect(sales.map(({ sale }) => sale.logIndex)).toEqual([2]);
			expect(undecoded).toHaveLength(1);
			expect(undecoded[0]?.problem).toStartWith("a sale of venue bazaar ");
		});
	}

	test("[ING-12] a position in a block holds one sale, also if two venues claim it", () => {
		const one = venueOf(() => ({ sales: [saleAt(1), saleAt(1, { subIndex: 1 })], undecoded: [] }));
		const two = venueOf(() => ({ sales: [saleAt(1)], undecoded: [] }), "other");
		const { sales, undecoded } = readTransaction([log(1)], [one, two]);
		expect(sales.map(({ venue, sale }) => [venue.id, sale.subIndex])).toEqual([
			["bazaar", 0],
			["bazaar", 1],
		]);
		expect(undecoded.map(({ problem }) => problem)).toEqual([
			"a sale of venue other was read twice",
		]);
	});
});

describe("saleSource", () => {
	const far = { signal: new AbortController().signal, unsettledFrom: Number.POSITIVE_INFINITY };
	const nobody = padHex("0x0", { size: 20 });
	const seller = padHex("0x5e", { size: 20 });
	const buyer = padHex("0xb0", { size: 20 });
	const nft = padHex("0xaa", { size: 20 });

	/** A listing filled for 100 wei, as Seaport logs it. */
	const fulfilled = (identifier: bigint, item = { itemType: 2, token: nft, amount: 1n }) =>
		seaportLogs.fulfilled({
			orderHash: padHex("0x1", { size: 32 }),
			offerer: seller,
			zone: nobody,
			recipient: buyer,
			offer: [{ ...item, identifier }],
			consideration: [
				{ itemType: 0, token: nobody, identifier: 0n, amount: 100n, recipient: seller },
			],
		});

	function listening() {
		const problems: string[] = [];
		const report = {
			undecoded: (_: string, __: unknown, problem: string) => void problems.push(problem),
			noise() {},
			unlisted() {},
		};
		return { problems, report };
	}

	test("[ING-02] fulfilments of any contract are decoded on the whole chain, with their position", async () => {
		const chain = createFakeChain();
		const block = chain.mine([{ logs: [fulfilled(7n)] }, { logs: [fulfilled(8n)] }]);
		const { report } = listening();
		const source = saleSource(chain.rpc, [seaportVenue], report);
		const { events } = await source.read({ from: 1, to: block }, far);
		expect(events).toHaveLength(2);
		expect(events[0]).toMatchObject({
			kind: "sale",
			blockNumber: block,
			blockHash: chain.hashOf(block),
			logIndex: 0,
			occurredAtMs: 1_700_000_012_000,
			contract: nft,
			tokenId: 7n,
			totalRaw: 100n,
			from: seller,
			to: buyer,
			venue: "seaport",
			accepted: true,
		});
		expect(new Set(events.map(({ transactionHash }) => transactionHash)).size).toBe(2);
	});

	test("[ING-02] only the venues' contracts are queried, and a copy's logs with the same topic give no sales", async () => {
		const chain = createFakeChain();
		const fork = { ...fulfilled(7n), address: padHex("0xf0", { size: 20 }) };
		chain.mine([{ logs: [fork, fulfilled(8n)] }]);
		const { report } = listening();
		const source = saleSource(chain.rpc, [seaportVenue], report);
		const { events } = await source.read({ from: 1, to: 1 }, far);
		expect(events.map(({ tokenId }) => tokenId)).toEqual([8n]);
	});

	test("a fulfilment that cannot be decoded is reported, and the others in its range are kept", async () => {
		const chain = createFakeChain();
		const torn = { ...fulfilled(7n), data: "0x1234" as const };
		chain.mine([{ logs: [torn] }, { logs: [fulfilled(8n)] }]);
		const { report, problems } = listening();
		const source = saleSource(chain.rpc, [seaportVenue], report);
		const reading = await source.read({ from: 1, to: 1 }, far);
		expect(reading.events.map(({ tokenId }) => tokenId)).toEqual([8n]);
		expect(problems).toEqual([]);
		reading.report();
		expect(problems).toHaveLength(1);
	});

	test("[ING-13] events are in chain order, in whatever order a venue returns its sales", async () => {
		const topic = padHex("0x70", { size: 32 });
		const market = padHex("0x33", { size: 20 });
		const sale = { contract: nft, standard: "erc721", tokenId: 1n, quantity: 1n } as const;
		const paid = { totalRaw: 1n, currency: nobody, seller, buyer, accepted: true, reason: null };
		const venue: Venue = {
			id: "backwards",
			contracts: [market],
			topics: [topic],
			decode: (logs) => ({
				sales: logs
					.map((log): Sale => ({ ...sale, ...paid, logIndex: Number(log.logIndex), subIndex: 0 }))
					.reverse(),
				undecoded: [],
			}),
		};
		const chain = createFakeChain();
		const log = { address: market, topics: [topic] };
		chain.mine([{ logs: [log, fulfilled(7n), log] }]);
		const { report } = listening();
		const source = saleSource(chain.rpc, [venue, seaportVenue], report);
		const { events } = await source.read({ from: 1, to: 1 }, far);
		expect(events.map(({ logIndex, venue: id }) => [logIndex, id])).toEqual([
			[0, "backwards"],
			[1, "seaport"],
			[2, "backwards"],
		]);
	});

	const { adapter, token } = seaportAdapters[0] ?? { adapter: nobody, token: nobody };
	const adapted = { itemType: 3, token: adapter, amount: 1n };
	/** A listing of the storefront's token 7, which its adapter stands for. */
	const throughAdapter = () => fulfilled(7n, adapted);
	const receiptsAsked = (chain: FakeChain) =>
		chain.calls.filter(({ method }) => method === "eth_getTransactionReceipt").length;
	const readAll = (chain: FakeChain) =>
		saleSource(chain.rpc, [seaportVenue], listening().report).read(
			{ from: 1, to: chain.head() },
			far,
		);

	test("[ING-12] a sale through a storefront's adapter belongs to the storefront, proved by its own log", async () => {
		const chain = createFakeChain();
		const moved = moveLogs.single({ address: token, from: seller, to: buyer, tokenId: 7n });
		chain.mine([{ logs: [throughAdapter(), moved] }, { logs: [fulfilled(8n)] }]);
		const { events } = await readAll(chain);
		expect(events).toMatchObject([
			{
				contract: token,
				standard: "erc1155",
				tokenId: 7n,
				accepted: true,
				from: seller,
				to: buyer,
			},
			{ contract: nft, tokenId: 8n, accepted: true },
		]);
		// The other transaction leaves nothing open.
		expect(receiptsAsked(chain)).toBe(1);
	});

	test("[ING-12] a sale without the storefront's log is kept, and not counted in statistics", async () => {
		const chain = createFakeChain();
		const lie = moveLogs.single({ address: adapter, from: seller, to: buyer, tokenId: 7n });
		chain.mine([{ logs: [throughAdapter(), lie] }]);
		const { events } = await readAll(chain);
		expect(events).toMatchObject([{ contract: token, accepted: false, reason: "not_delivered" }]);
	});

	test("[ING-12] listings alone need no receipt; one beside a sale with a receipt must be delivered", async () => {
		const chain = createFakeChain();
		const moved = moveLogs.single({ address: token, from: seller, to: buyer, tokenId: 7n });
		chain.mine([{ logs: [fulfilled(8n)] }]);
		chain.mine([{ logs: [throughAdapter(), moved, fulfilled(9n)] }]);
		const { events } = await readAll(chain);
		expect(events.map(({ tokenId, reason }) => [tokenId, reason])).toEqual([
			[8n, null],
			[7n, null],
			[9n, "not_delivered"],
		]);
		expect(receiptsAsked(chain)).toBe(1);
	});

	test("[ING-11] a receipt of another fork is no proof: the range is read again", async () => {
		const chain = createFakeChain();
		const moved = moveLogs.single({ address: token, from: seller, to: buyer, tokenId: 7n });
		chain.mine([{ logs: [throughAdapter(), moved] }]);
		chain.troubles.tamper = ({ method }, answer) =>
			method === "eth_getTransactionReceipt"
				? { ...(answer as object), blockHash: padHex("0xf0", { size: 32 }) }
				: answer;
		await expect(readAll(chain)).rejects.toThrow("rpc_inconsistent");
		chain.troubles.tamper = (_, answer) => answer;
		expect((await readAll(chain)).events).toMatchObject([{ contract: token, accepted: true }]);
	});

	test("[ING-12] a sale far above the floor counts with its receipt; without one its price is unproven", async () => {
		const chain = createFakeChain();
		const moved = (tokenId: bigint) =>
			moveLogs.erc721({ address: nft, from: seller, to: buyer, tokenId });
		chain.mine([
			{ logs: [fulfilled(1n), moved(1n)] },
			{ logs: [fulfilled(2n)] },
			{ logs: [fulfilled(3n)] },
		]);
		const many = Array.from({ length: DEAR_RECEIPTS_MAX }, (_, at) => BigInt(at + 10));
		chain.mine(many.map((tokenId) => ({ logs: [fulfilled(tokenId), moved(tokenId)] })));
		const { report } = listening();
		const asked: number[] = [];
		const source = saleSource(chain.rpc, [seaportVenue], report, async (sales) => {
			asked.push(sales.length);
			// All but the third.
			return sales.map((_, at) => at !== 2);
		});
		const { events } = await source.read({ from: 1, to: 2 }, far);
		expect(asked).toEqual([DEAR_RECEIPTS_MAX + 3]);
		expect(receiptsAsked(chain)).toBe(DEAR_RECEIPTS_MAX);
		const said = events.map(({ accepted, reason }) => [accepted, reason]);
		expect(said.slice(0, 4)).toEqual([
			[true, null],
			[false, "not_delivered"],
			[true, null],
			[true, null],
		]);
		// One batch a range: what did not fit is a sale whose price nobody has proven.
		expect(said.slice(-2)).toEqual([
			[true, "price_unproven"],
			[true, "price_unproven"],
		]);
		expect(events.filter(({ reason }) => reason === "price_unproven")).toHaveLength(2);
	});

	test("[ING-12] a tip in another currency is noted on its event", async () => {
		const chain = createFakeChain();
		const coin = { itemType: 1, token: padHex("0xc0", { size: 20 }), identifier: 0n };
		const tipped = seaportLogs.fulfilled({
			orderHash: padHex("0x1", { size: 32 }),
			offerer: seller,
			zone: nobody,
			recipient: buyer,
			offer: [{ itemType: 2, token: nft, amount: 1n, identifier: 7n }],
			consideration: [
				{ itemType: 0, token: nobody, identifier: 0n, amount: 100n, recipient: seller },
				{ ...coin, amount: 1n, recipient: padHex("0xa6", { size: 20 }) },
			],
		});
		chain.mine([{ logs: [tipped] }]);
		const { events } = await readAll(chain);
		expect(events).toMatchObject([
			{ totalRaw: 100n, accepted: true, reason: "other_currency_tip" },
		]);
	});

	test("without a venue no log is requested", async () => {
		const chain = createFakeChain();
		chain.mine([{ logs: [fulfilled(7n)] }]);
		const { report } = listening();
		const { events } = await saleSource(chain.rpc, [], report).read({ from: 1, to: 1 }, far);
		expect(events).toEqual([]);
		expect(chain.asked()).toEqual([]);
	});
});

describe("sampleStrangersJob", () => {
	const fork = padHex("0xf0", { size: 20 });
	const [orderFulfilled = "0x"] = seaportVenue.topics;
	const written = (address: `0x${string}`) => ({ address, topics: [orderFulfilled] });

	test("logs of a venue's kind by other contracts are counted with their addresses", async () => {
		const chain = createFakeChain();
		const known = seaportVenue.contracts[0] ?? fork;
		for (let number = 0; number < 30; number++) {
			chain.mine([{ logs: [written(fork), written(known)] }]);
		}
		// More contracts than are named: a stranger cannot fill the metric.
		const others = Array.from({ length: 40 }, (_, at) => padHex(`0x${at + 500}`, { size: 20 }));
		chain.mine([{ logs: others.map(written) }]);
		chain.mineTo(chain.head() + 16);
		const metrics = createMetrics();
		const access = { chain: { slug: "test" }, rpcFor: () => chain.rpc } as unknown as ChainAccess;
		const job = sampleStrangersJob({ indexed: [access], metrics, log: silentLog }, [seaportVenue]);
		const { signal } = new AbortController();
		await job.run({ signal });
		const counted = async () => {
			const { body } = await metrics.expose();
			return body.split("\n").filter((line) => /^tapeline_venue_\w+_total\{/.test(line));
		};
		const lines = await counted();
		expect(lines).toContain(
			`tapeline_venue_stranger_logs_total{chain="test",contract="${fork}"} 15`,
		);
		expect(lines).toContain('tapeline_venue_stranger_logs_total{chain="test",contract="other"} 21');
		expect(lines.some((line) => line.includes(known))).toBe(false);
		expect(lines).toHaveLength(20 + 1 + 1);
		// A node that does not answer is no sample without strangers.
		chain.troubles.down = true;
		await job.run({ signal });
		expect(await counted()).toContain(
			'tapeline_venue_samples_total{chain="test",outcome="failed"} 1',
		);
	});
});
