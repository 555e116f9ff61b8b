import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeAbiParameters, encodeEventTopics, padHex, parseAbi, toHex } from "viem";
import { type Address, type Hex, type RawLog, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { ADDRESSES_PER_QUERY_MAX } from "#plugins/chain-scanner/limits.ts";
import { mintLog } from "#plugins/chain-scanner/testing/laneWorld.ts";
import {
	bloomsTell,
	decodeMoves,
	transferSource,
} from "#plugins/chain-scanner/transfer/transferSource.ts";
import { createFakeChain, type FakeChain } from "#test/harness/fakeChain.ts";

describe("decodeMoves", () => {
	const abi = parseAbi([
		"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
		"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
		"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
		"event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)",
	]);
	const NFT: Address = "0x0000000000000000000000000000000000000721";
	const FROM: Address = "0x00000000000000000000000000000000000000a1";
	const TO: Address = "0x00000000000000000000000000000000000000b0";

	function logOf(topics: readonly unknown[], data: Hex = "0x"): RawLog {
		return {
			address: NFT,
			topics: topics as Hex[],
			data,
			blockNumber: "0x10",
			blockHash: `0x${"1".repeat(64)}`,
			transactionHash: `0x${"2".repeat(64)}`,
			transactionIndex: "0x0",
			logIndex: "0x3",
		};
	}

	const parties = { operator: FROM, from: FROM, to: TO };
	const uint = { type: "uint256" } as const;
	const uints = { type: "uint256[]" } as const;
	const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

	function single(id: bigint, value: bigint): RawLog {
		const topics = encodeEventTopics({ abi, eventName: "TransferSingle", args: parties });
		return logOf(topics, encodeAbiParameters([uint, uint], [id, value]));
	}

	function batch(ids: bigint[], values: bigint[]): RawLog {
		const topics = encodeEventTopics({ abi, eventName: "TransferBatch", args: parties });
		return logOf(topics, encodeAbiParameters([uints, uints], [ids, values]));
	}

	function consecutive(first: bigint, data: Hex): RawLog {
		const args = { fromTokenId: first, fromAddress: ZERO_ADDRESS, toAddress: TO };
		return logOf(encodeEventTopics({ abi, eventName: "ConsecutiveTransfer", args }), data);
	}

	test("[IDX-11] each kind of transfer is decoded as its standard encodes it", () => {
		fc.assert(
			fc.property(word, fc.array(fc.tuple(word, word), { maxLength: 8 }), (id, pairs) => {
				const topics = encodeEventTopics({
					abi,
					eventName: "Transfer",
					args: { from: FROM, to: TO, tokenId: id },
				});
				const units = pairs.map(([tokenId, quantity]) => ({ tokenId, quantity }));
				const ids = units.map(({ tokenId }) => tokenId);
				const values = units.map(({ quantity }) => quantity);
				const all = [logOf(topics), ...units.map((one) => single(one.tokenId, one.quantity))];
				const { moves, undecoded } = decodeMoves([...all, batch(ids, values)]);
				expect(undecoded).toEqual([]);
				const [own, ...rest] = moves;
				expect(own).toMatchObject({
					standard: "erc721",
					from: FROM,
					to: TO,
					tokenId: id,
					quantity: 1n,
				});
				const expected = units.filter(({ quantity }) => quantity > 0n);
				const read = rest.map(({ tokenId, quantity }) => ({ tokenId, quantity }));
				expect(read).toEqual([...expected, ...expected]);
			}),
		);
	});

	test("[IDX-11] a range of ids is one move", () => {
		const last = 2n ** 255n;
		const { moves } = decodeMoves([consecutive(7n, encodeAbiParameters([uint], [last]))]);
		expect(moves).toEqual([
			expect.objectContaining({ from: ZERO_ADDRESS, to: TO, tokenId: 7n, lastTokenId: last }),
		]);
	});

	test("logs of ERC-20s and of other events give no moves, and are not reported", () => {
		const topics = encodeEventTopics({
			abi,
			eventName: "Transfer",
			args: { from: FROM, to: TO, tokenId: 1n },
		});
		const erc20 = logOf(topics.slice(0, 3), encodeAbiParameters([uint], [1n]));
		const other = logOf([`0x${"3".repeat(64)}`]);
		expect(decodeMoves([erc20, other])).toEqual({ moves: [], undecoded: [] });
	});

	test("malformed logs are reported one by one, and the other moves are kept", () => {
		const cut = { ...single(1n, 1n), data: "0x12" as const };
		const uneven = batch([1n, 2n], [1n]);
		const long = { ...batch([1n], [1n]), data: batch([1n], [1n]).data.slice(0, -2) as Hex };
		const backward = consecutive(7n, encodeAbiParameters([uint], [6n]));
		const empty = consecutive(7n, "0x");
		const { moves, undecoded } = decodeMoves([cut, uneven, single(5n, 1n), long, backward, empty]);
		expect(moves.map(({ tokenId }) => tokenId)).toEqual([5n]);
		expect(undecoded.map(({ problem }) => problem)).toEqual([
			"TransferSingle is cut short",
			"TransferBatch has 2 ids and 1 amounts",
			"TransferBatch has a list outside its data",
			"ConsecutiveTransfer ends before it begins",
			"ConsecutiveTransfer is cut short",
		]);
	});
});

describe("transferSource", () => {
	const NFT: Address = padHex("0x721", { size: 20 });
	const quiet = { undecoded() {}, noise() {}, unlisted() {} };
	const unsettled = { signal: new AbortController().signal, unsettledFrom: 0 };

	const sourceOf = (chain: FakeChain, watched: readonly Address[]) =>
		transferSource(chain.rpc, quiet, async () => watched);
	const methods = (chain: FakeChain) => chain.calls.map(({ method }) => method);

	test("[IDX-11] a read names the contracts that it covers, and leaves out others", async () => {
		const chain = createFakeChain();
		chain.mine([{ logs: [mintLog(1), mintLog(2, padHex("0x99", { size: 20 }))] }]);
		const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
		expect(read.moved?.watched).toEqual([NFT]);
		expect(read.moved?.moves).toMatchObject([{ contract: NFT, tokenId: 1n, blockNumber: 1 }]);
	});

	test("a query has at most as many contracts as nodes accept", async () => {
		const chain = createFakeChain();
		chain.mine();
		const watched = Array.from({ length: 2 * ADDRESSES_PER_QUERY_MAX + 1 }, (_, index) => {
			return padHex(toHex(index + 1), { size: 20 });
		});
		await sourceOf(chain, watched).read({ from: 1, to: 1 }, unsettled);
		expect(methods(chain).filter((method) => method === "eth_getLogs")).toHaveLength(3);
	});

	test("moves have no time, so no header is read for them", async () => {
		const chain = createFakeChain({ timestamps: false });
		for (let block = 0; block < 9; block++) chain.mine([{ logs: [mintLog(block)] }]);
		const settled = { ...unsettled, unsettledFrom: 100 };
		const read = await sourceOf(chain, [NFT]).read({ from: 1, to: 9 }, settled);
		expect(read.moved?.moves).toHaveLength(9);
		// The two ends of the range.
		expect(methods(chain).filter((method) => method === "eth_getBlockByNumber")).toHaveLength(2);
	});

	test("[ING-14] moves that the bloom indicates and the node omits are noticed", async () => {
		const chain = createFakeChain({ blooms: true });
		chain.mine([{ logs: [mintLog(1)] }]);
		chain.troubles.tamper = ({ method }, answer) => (method === "eth_getLogs" ? [] : answer);
		const reading = sourceOf(chain, [NFT]).read({ from: 1, to: 1 }, unsettled);
		await expect(reading).rejects.toMatchObject({ code: "rpc_inconsistent" });
	});
});

describe("bloomsTell", () => {
	const bloomWith = (byte: string) => `0x${byte.repeat(256)}` as const;

	test("an empty bloom is conclusive for any number of contracts, a full one for none", () => {
		expect(bloomsTell(bloomWith("00"), 5_000)).toBe(true);
		expect(bloomsTell(bloomWith("ff"), 1)).toBe(false);
		expect(bloomsTell(null, 1)).toBe(false);
	});

	test("the more contracts are watched, the emptier a bloom must be to be conclusive", () => {
		// A quarter of the bits: one address in 64 is a false alarm.
		expect(bloomsTell(bloomWith("11"), 3)).toBe(true);
		expect(bloomsTell(bloomWith("11"), 4)).toBe(false);
	});
});
