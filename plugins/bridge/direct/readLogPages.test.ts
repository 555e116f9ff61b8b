import { describe, expect, test } from "bun:test";
import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex } from "viem";
import { deliveryOf, oftAbi } from "#plugins/bridge/direct/oft.ts";
import { type Read, readLogPages } from "#plugins/bridge/direct/readLogPages.ts";

// Guarantee: a message is found in whatever block it arrives, by questions that nodes answer, and
// no look asks for more than a few pages.

const OFT: Hex = `0x${"0f".repeat(20)}`;
const OTHER: Hex = `0x${"bb".repeat(20)}`;
const GUID: Hex = `0x${"ab".repeat(32)}`;
const HASH: Hex = `0x${"cd".repeat(32)}`;
const DEPOSIT: Hex = `0x${"de".repeat(32)}`;
const { signal } = new AbortController();

const eventOf = (name: "OFTSent" | "OFTReceived") =>
	oftAbi.find((one): one is AbiEvent & typeof one => one.type === "event" && one.name === name);
const topicsOf = (eventName: "OFTSent" | "OFTReceived") =>
	eventName === "OFTSent"
		? encodeEventTopics({ abi: oftAbi, eventName, args: { guid: GUID, fromAddress: OTHER } })
		: encodeEventTopics({ abi: oftAbi, eventName, args: { guid: GUID, toAddress: OTHER } });
const dataOf = (name: "OFTSent" | "OFTReceived") => {
	const inputs = (eventOf(name)?.inputs ?? []).filter(({ indexed }) => !indexed);
	return encodeAbiParameters(
		inputs,
		inputs.map(({ type }) => (type === "uint32" ? 1 : 5n)) as never,
	);
};
const logOf = (name: "OFTSent" | "OFTReceived", address = OFT) => ({
	...{ address, transactionHash: HASH, topics: topicsOf(name), data: dataOf(name) },
});

/** A chain with one log, whose nodes answer so many blocks at once. */
function chainOf(given: { head: bigint; at: bigint; blocksMax: bigint; address?: Hex }) {
	const asked: [bigint, bigint][] = [];
	let isDown = false;
	const read: Read = async (method, [filter]) => {
		if (method === "eth_blockNumber") return `0x${given.head.toString(16)}`;
		const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
		const [from, to] = [BigInt(fromBlock), BigInt(toBlock)];
		if (isDown || to - from + 1n > given.blocksMax) throw new Error("refused");
		asked.push([from, to]);
		return given.at >= from && given.at <= to ? [logOf("OFTReceived", given.address)] : [];
	};
	return {
		...{ read, asked, given },
		down(is: boolean) {
			isDown = is;
		},
	};
}
const range = { address: OFT, topics: [] };

describe("readLogPages", () => {
	test("each block is read once, in pages, up to the newest", async () => {
		const { read, asked } = chainOf({ head: 0n, at: 4_999n, blocksMax: 2_000n });
		const found = await readLogPages(read, { ...range, fromBlock: 1n, toBlock: 5_000n, signal });
		expect(asked).toEqual([
			[1n, 2_000n],
			[2_001n, 4_000n],
			[4_001n, 5_000n],
		]);
		expect([found.logs.length, found.readTo]).toEqual([1, 5_000n]);
	});

	test("fewer blocks are asked for where a node refuses as many, and reading stops after ten pages", async () => {
		const { read, asked } = chainOf({ head: 0n, at: 0n, blocksMax: 500n });
		const told = { ...range, fromBlock: 1n, toBlock: 1_000_000n, signal };
		expect((await readLogPages(read, told)).readTo).toBe(5_000n);
		expect(asked).toHaveLength(10);
	});

	test("down to one block at a time is asked for where a node answers no more, so far at once", async () => {
		for (const blocksMax of [124n, 31n, 5n, 1n]) {
			const { read, asked } = chainOf({ head: 0n, at: 5n, blocksMax });
			const told = { ...range, fromBlock: 1n, toBlock: 1_000_000n, signal };
			const found = await readLogPages(read, told);
			expect([blocksMax, found.logs.length, asked.length]).toEqual([blocksMax, 1, 60]);
			const widest = asked.map(([from, to]) => to - from + 1n).reduce((a, b) => (a > b ? a : b));
			expect([blocksMax, widest <= blocksMax]).toEqual([blocksMax, true]);
		}
	});

	test("from the newest block down is read where what is new is looked for", async () => {
		const { read, asked } = chainOf({ head: 0n, at: 9_990n, blocksMax: 10n });
		const told = { ...range, fromBlock: 1n, toBlock: 10_000n, isNewestFirst: true, signal };
		const found = await readLogPages(read, told);
		expect([found.logs.length, found.readTo]).toEqual([1, 9_581n]);
		expect(asked[0]).toEqual([9_994n, 10_000n]);
	});

	test("keeps what was read before a node failed, and throws where nothing was", async () => {
		const chain = chainOf({ head: 0n, at: 10n, blocksMax: 2_000n });
		const failing: Read = async (method, params, aborted) => {
			if (chain.asked.length === 2) chain.down(true);
			return await chain.read(method, params, aborted);
		};
		const asked = { ...range, fromBlock: 1n, toBlock: 9_000n, signal };
		const found = await readLogPages(failing, asked);
		expect([found.logs.length, found.readTo]).toEqual([1, 4_000n]);
		expect(readLogPages(failing, asked)).rejects.toThrow("refused");
	});

	test("another contract's log is left out", async () => {
		const { read } = chainOf({ head: 0n, at: 5n, blocksMax: 2_000n, address: OTHER });
		const found = await readLogPages(read, { ...range, fromBlock: 1n, toBlock: 9n, signal });
		expect(found.logs).toEqual([]);
	});
});

describe("a message", () => {
	const ends = {
		from: { chainId: 1, eid: 1, oft: OFT },
		to: { chainId: 2, eid: 2, oft: OFT },
	};
	const here: Read = async () => ({ logs: [logOf("OFTSent")] });
	const look = (there: Read, searchedBlock: bigint | null) =>
		deliveryOf({
			...{ here, there, depositHash: DEPOSIT, ends, newestBlock: 1_000n, searchedBlock, signal },
		});

	test("a message that arrived 200,000 blocks after its quote is found, look by look", async () => {
		const { read, asked } = chainOf({ head: 300_000n, at: 201_000n, blocksMax: 2_000n });
		let searched: bigint | null = null;
		let looks = 0;
		for (; looks < 20; looks++) {
			const { word, searchedBlock, isWhole } = await look(read, searched);
			if (word.kind === "seen" && word.status === "success") {
				expect(word.outHashes).toEqual([{ hash: HASH, chainId: 2 }]);
				break;
			}
			expect([isWhole, (searchedBlock ?? 0n) > (searched ?? 0n)]).toEqual([false, true]);
			searched = searchedBlock;
		}
		expect(looks).toBe(10);
		expect(asked.every(([from, to]) => to - from < 2_000n)).toBe(true);
		expect(asked[0]?.[0]).toBe(936n);
	});

	test("a message is searched for in new blocks only, and in the last 64 once more", async () => {
		const chain = chainOf({ head: 2_000n, at: 0n, blocksMax: 2_000n });
		const first = await look(chain.read, null);
		expect([first.searchedBlock, first.isWhole]).toEqual([2_000n, true]);
		chain.given.head = 2_010n;
		await look(chain.read, first.searchedBlock);
		expect(chain.asked.at(-1)).toEqual([1_936n, 2_010n]);
	});

	test("by a node that is behind is searched for no further back than before", async () => {
		const { read } = chainOf({ head: 1_500n, at: 0n, blocksMax: 2_000n });
		expect((await look(read, 1_990n)).searchedBlock).toBe(1_990n);
	});
});
