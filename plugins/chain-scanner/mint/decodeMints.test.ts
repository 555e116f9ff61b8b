import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeEventLog, encodeAbiParameters, type Hex, padHex, parseAbi, toHex } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import {
	CONSECUTIVE_TRANSFER_TOPIC,
	decodeMints,
	TRANSFER_BATCH_TOPIC,
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

describe("decodeMints", () => {
	const erc721 = parseAbi([
		"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	]);
	const erc1155 = parseAbi([
		"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
		"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
	]);
	const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
	const addressWord = fc
		.bigInt({ min: 0n, max: 2n ** 160n - 1n })
		.map((n) => toHex(n, { size: 32 }));
	const idsAndAmounts = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;

	const logOf = (topics: Hex[], data: Hex): RawLog => seaportLogs.log({ topics, data });
	const batchLog = (to: Hex, data: Hex) =>
		logOf([TRANSFER_BATCH_TOPIC, ZERO_TOPIC, ZERO_TOPIC, to], data);
	const someone = padHex("0xb0b", { size: 32 });

	/** What viem makes of a log: its tokens, or null where it refuses. */
	function byViem(log: RawLog): { id: bigint; amount: bigint; to: Hex }[] | null {
		const topics = [...log.topics] as [Hex, ...Hex[]];
		try {
			if (log.topics[0] === TRANSFER_TOPIC) {
				const { args } = decodeEventLog({ abi: erc721, topics, data: log.data });
				return [{ id: args.tokenId, amount: 1n, to: args.to.toLowerCase() as Hex }];
			}
			const event = decodeEventLog({ abi: erc1155, topics, data: log.data });
			const to = event.args.to.toLowerCase() as Hex;
			if (event.eventName === "TransferSingle") {
				return [{ id: event.args.id, amount: event.args.value, to }];
			}
			const { ids, values } = event.args;
			if (ids.length !== values.length) return null;
			return ids.map((id, index) => ({ id, amount: values[index] ?? 0n, to }));
		} catch {
			return null;
		}
	}

	const ours = (log: RawLog) =>
		decodeMints([log]).mints.map(({ tokenId, quantity, to }) => ({
			id: tokenId,
			amount: quantity,
			to,
		}));

	test("[ING-01] every ERC-721 and ERC-1155 mint is decoded as viem decodes it", () => {
		const amounts = fc.array(fc.tuple(uint256, uint256), { maxLength: 12 });
		fc.assert(
			fc.property(addressWord, uint256, uint256, amounts, (to, id, amount, pairs) => {
				const single = encodeAbiParameters(
					[{ type: "uint256" }, { type: "uint256" }],
					[id, amount],
				);
				const ids = pairs.map(([one]) => one);
				const values = pairs.map(([, one]) => one);
				for (const log of [
					logOf([TRANSFER_TOPIC, ZERO_TOPIC, to, toHex(id, { size: 32 })], "0x"),
					logOf([TRANSFER_SINGLE_TOPIC, ZERO_TOPIC, ZERO_TOPIC, to], single),
					batchLog(to, encodeAbiParameters(idsAndAmounts, [ids, values])),
				]) {
					expect(decodeMints([log]).undecoded).toEqual([]);
					expect(ours(log)).toEqual(byViem(log)?.filter((one) => one.amount > 0n) ?? []);
				}
			}),
		);
	});

	test("[ING-01] arbitrary data gives no mint that viem does not decode", () => {
		const words = fc
			.array(fc.oneof(fc.constantFrom(0n, 1n, 2n, 32n, 64n, 96n, 128n), uint256), { maxLength: 10 })
			.map((list) => list.map((word) => toHex(word, { size: 32 }).slice(2)).join(""));
		const ragged = fc.tuple(words, fc.uint8Array({ maxLength: 40 })).map(([whole, rest]): Hex => {
			return `0x${whole}${toHex(rest).slice(2)}`;
		});
		const topic = fc.constantFrom(TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC);
		fc.assert(
			fc.property(topic, ragged, (first, data) => {
				const log = logOf([first, ZERO_TOPIC, ZERO_TOPIC, someone], data);
				const { mints, undecoded } = decodeMints([log]);
				const truth = byViem(log);
				if (mints.length > 0)
					expect(ours(log)).toEqual(truth?.filter((one) => one.amount > 0n) ?? []);
				// A log is read whole or reported, never half of each.
				if (undecoded.length > 0) expect(mints).toEqual([]);
				if (truth === null) expect(undecoded).toHaveLength(1);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("[ING-01] each entry of a batch is a row, also if an id occurs twice", () => {
		const data = encodeAbiParameters(idsAndAmounts, [
			[7n, 8n, 7n],
			[1n, 0n, 5n],
		]);
		expect(
			decodeMints([batchLog(someone, data)]).mints.map((mint) => [
				mint.subIndex,
				mint.tokenId,
				mint.quantity,
			]),
		).toEqual([
			[0, 7n, 1n],
			[2, 7n, 5n],
		]);
	});

	test("[ING-01] ERC-20 mints have the same topic and are ignored, not decoded or reported", () => {
		const log = logOf([TRANSFER_TOPIC, ZERO_TOPIC, someone], toHex(5n, { size: 32 }));
		expect(decodeMints([log])).toEqual({ mints: [], undecoded: [], noise: 1, unlisted: [] });
	});

	test("[ING-01] a transfer between two accounts is no mint, also if a node ignores the filter", () => {
		const from = padHex("0xa11ce", { size: 32 });
		const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [1n, 1n]);
		const logs = [
			logOf([TRANSFER_TOPIC, from, someone, someone], "0x"),
			logOf([TRANSFER_SINGLE_TOPIC, ZERO_TOPIC, from, someone], data),
			batchLog(someone, encodeAbiParameters(idsAndAmounts, [[1n], [1n]])),
		].map((log, index) =>
			index === 2 ? { ...log, topics: [log.topics[0] as Hex, from, from, someone] } : log,
		);
		expect(decodeMints(logs)).toEqual({ mints: [], undecoded: [], noise: 0, unlisted: [] });
	});

	test("lists of different lengths, or longer than their data, are reported with their log", () => {
		const uneven = encodeAbiParameters(idsAndAmounts, [[1n, 2n], [1n]]);
		const endless =
			`0x${[64n, 64n, 2n ** 255n].map((n) => toHex(n, { size: 32 }).slice(2)).join("")}` as Hex;
		const { mints, undecoded } = decodeMints([
			batchLog(someone, uneven),
			batchLog(someone, endless),
		]);
		expect(mints).toEqual([]);
		expect(undecoded.map(({ problem }) => problem)).toEqual([
			"TransferBatch has 2 ids and 1 amounts",
			"TransferBatch has a list outside its data",
		]);
	});

	test("a batch with one word that is not hex is reported as a whole", () => {
		const sound = encodeAbiParameters(idsAndAmounts, [
			[1n, 2n],
			[3n, 4n],
		]);
		const data = `${sound.slice(0, -2)}zz` as Hex;
		const { mints, undecoded } = decodeMints([batchLog(someone, data)]);
		expect(mints).toEqual([]);
		expect(undecoded).toHaveLength(1);
	});

	const word = (value: bigint) => padHex(toHex(value), { size: 32 });
	const consecutive = (first: bigint, last: bigint, from = ZERO_TOPIC) =>
		logOf([CONSECUTIVE_TRANSFER_TOPIC, word(first), from, someone], word(last));
	const inBlock = (log: RawLog, block: number) => ({ ...log, blockHash: word(BigInt(block)) });
	const MOST = 2n ** 256n - 1n;

	test("[ING-01] each id of a consecutive mint is a row, and moves between accounts are none", () => {
		const { mints, undecoded, unlisted } = decodeMints([
			consecutive(7n, 9n),
			consecutive(1n, 5n, someone),
		]);
		expect(mints.map(({ tokenId, subIndex }) => [tokenId, subIndex])).toEqual([
			[7n, 0],
			[8n, 1],
			[9n, 2],
		]);
		expect(mints[0]).toMatchObject({
			standard: "erc721",
			quantity: 1n,
			to: padHex("0xb0b", { size: 20 }),
		});
		expect([undecoded, unlisted]).toEqual([[], []]);
		const [backwards] = decodeMints([consecutive(9n, 7n)]).undecoded;
		expect(backwards?.problem).toBe("ConsecutiveTransfer ends before it begins");
	});

	test("a consecutive mint of more ids than a log or a block may list is counted for the rest", () => {
		const one = decodeMints([consecutive(0n, MOST)]);
		expect(one.mints).toHaveLength(5_000);
		expect(one.unlisted.map(({ ids }) => ids)).toEqual([MOST + 1n - 5_000n]);
		const last = decodeMints([consecutive(MOST, MOST)]);
		expect(last.mints.map(({ tokenId }) => tokenId)).toEqual([MOST]);
		// A collection of 10,000 is two logs; a block full of such logs fills no table.
		const flood = Array.from({ length: 1_000 }, () => inBlock(consecutive(0n, 4_999n), 1));
		const next = inBlock(consecutive(0n, 1n), 2);
		const { mints, unlisted } = decodeMints([...flood, next]);
		expect(mints).toHaveLength(10_000 + 2);
		expect(unlisted).toHaveLength(998);
	});
});
