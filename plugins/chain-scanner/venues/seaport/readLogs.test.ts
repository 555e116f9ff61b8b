import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeEventLog, type Hex, padHex } from "viem";
import {
	readOrderFulfilled,
	readOrdersMatched,
} from "#plugins/chain-scanner/venues/seaport/readLogs.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";
import { cpuTimer } from "#test/harness/until.ts";

describe("readOrderFulfilled", () => {
	const hexOf = (size: number) =>
		fc.uint8Array({ minLength: size, maxLength: size }).map((bytes): Hex => `0x${bytes.toHex()}`);
	const uint = fc.oneof(
		fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
		fc.bigInt({ min: 0n, max: 9n }),
	);
	const item = fc
		.record({
			itemType: fc.integer({ min: 0, max: 3 }),
			token: hexOf(20).filter((token) => BigInt(token) > 0n),
			identifier: uint,
			amount: uint,
		})
		.map((drawn) => ({
			...drawn,
			amount: drawn.itemType === 2 ? drawn.amount % 2n : drawn.amount,
		}));
	const order = fc.record({
		orderHash: hexOf(32),
		offerer: hexOf(20),
		zone: hexOf(20),
		recipient: hexOf(20),
		offer: fc.array(item, { maxLength: 6 }),
		consideration: fc.array(
			fc.tuple(item, hexOf(20)).map(([received, recipient]) => ({ ...received, recipient })),
			{ maxLength: 6 },
		),
	});

	const address: Hex = "0x00000000000000000000000000000000000000aa";
	const sample = {
		orderHash: padHex("0x01", { size: 32 }),
		offerer: address,
		zone: address,
		recipient: address,
		offer: [{ itemType: 2, token: address, identifier: 7n, amount: 1n }],
		consideration: [
			{
				itemType: 0,
				token: padHex("0x", { size: 20 }),
				identifier: 0n,
				amount: 5n,
				recipient: address,
			},
		],
	};
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const setWord = (data: Hex, index: number, value: bigint): Hex =>
		`0x${data.slice(2, 2 + index * 64)}${word(value)}${data.slice(2 + (index + 1) * 64)}`;
	const read = (data: Hex) =>
		readOrderFulfilled({ topics: seaportLogs.fulfilled(sample).topics, data });

	describe("readOrderFulfilled", () => {
		test("[ING-12] the fast reader gives the same result as viem's decoder, for any order", () => {
			fc.assert(
				fc.property(order, (drawn) => {
					const log = seaportLogs.fulfilled(drawn);
					const reading = readOrderFulfilled(log);
					const reference = decodeEventLog({
						abi: seaportLogs.abi,
						eventName: "OrderFulfilled",
						topics: log.topics as [Hex, ...Hex[]],
						data: log.data,
					}).args;
					const lower = JSON.parse(
						JSON.stringify(reference, (_, value) =>
							typeof value === "bigint"
								? `${value}n`
								: typeof value === "string"
									? value.toLowerCase()
									: value,
						),
					);
					if (reading.kind !== "order") throw new Error(reading.problem);
					const ours = JSON.parse(
						JSON.stringify(reading.order, (_, value) =>
							typeof value === "bigint" ? `${value}n` : value,
						),
					);
					expect(ours).toEqual(lower);
				}),
				{ numRuns: 300 },
			);
		});

		test("[ING-12] a cut or damaged log is read or reported, without an exception, and in short time", () => {
			const cpuMs = cpuTimer();
			fc.assert(
				fc.property(
					order,
					fc.nat(),
					fc.array(fc.record({ at: fc.nat(), byte: hexOf(1) }), { maxLength: 8 }),
					(drawn, cut, damages) => {
						const log = seaportLogs.fulfilled(drawn);
						let data: string = log.data;
						for (const { at, byte } of damages) {
							const place = 2 + 2 * (at % (data.length / 2 - 1));
							data = data.slice(0, place) + byte.slice(2) + data.slice(place + 2);
						}
						const truncated = data.slice(0, cut % (data.length + 1)) as Hex;
						for (const tried of [data as Hex, truncated]) {
							const reading = readOrderFulfilled({ topics: log.topics, data: tried });
							expect(["order", "undecoded"]).toContain(reading.kind);
						}
					},
				),
				{ numRuns: 1_000 },
			);
			expect(cpuMs()).toBeLessThan(10_000);
		});

		test("[ING-12] a log that is cut anywhere is never read in part", () => {
			const { data } = seaportLogs.fulfilled(sample);
			for (let length = 0; length < data.length; length++) {
				expect(read(data.slice(0, length) as Hex).kind).toBe("undecoded");
			}
			expect(read(data).kind).toBe("order");
		});

		test("[ING-12] a false length or offset starts no long loop", () => {
			const { data } = seaportLogs.fulfilled(sample);
			const lies = [2n ** 255n, 2n ** 256n - 1n, 2n ** 48n - 1n, 2n ** 32n, 2n ** 53n, 10_000n];
			const cpuMs = cpuTimer();
			for (const lie of lies) {
				// The two head offsets, then the two lengths (words 4 and 9 of this order).
				for (const index of [2, 3, 4, 9]) {
					const reading = read(setWord(data, index, lie));
					expect(reading.kind).toBe("undecoded");
				}
			}
			expect(cpuMs()).toBeLessThan(500);
		});

		test("[ING-12] unusual but correct offsets are followed", () => {
			const { data } = seaportLogs.fulfilled(sample);
			const offer = data.slice(2 + 4 * 64, 2 + 9 * 64);
			const consideration = data.slice(2 + 9 * 64);
			const head = data.slice(2, 2 + 2 * 64);
			// Consideration first, one stray byte between, a word of padding behind.
			const offerOffset = 128n + BigInt(consideration.length / 2) + 1n;
			const moved: Hex = `0x${head}${word(offerOffset)}${word(128n)}${consideration}ff${offer}${word(9n)}`;
			expect(read(moved)).toEqual(read(data));
		});

		test("[ING-12] upper-case hex gives lower-case addresses", () => {
			const { data, topics } = seaportLogs.fulfilled(sample);
			const shouted = readOrderFulfilled({
				topics: topics.map((topic): Hex => `0x${topic.slice(2).toUpperCase()}`),
				data: `0x${data.slice(2).toUpperCase()}`,
			});
			expect(shouted).toEqual(read(data));
		});

		test.each([
			["an item type from 4 on", 5, 4n, "offer 0: unknown item type"],
			["a huge item type", 5, 2n ** 200n, "offer 0: unknown item type"],
			["a token that is no address", 6, 2n ** 160n, "offer 0: token is no address"],
			["two of an ERC-721", 8, 2n, "offer 0: more than one of an ERC-721"],
			["an ERC-20 at the zero address", 10, 1n, "consideration 0: an ERC-20 without a token"],
			["a recipient that is no address", 1, 2n ** 255n, "recipient is no address"],
			["a payee that is no address", 14, 2n ** 161n, "consideration 0: recipient is no address"],
		])("[ING-12] %s is reported as undecoded", (_, index, value, problem) => {
			const { data } = seaportLogs.fulfilled(sample);
			const { orderHash } = sample;
			expect(read(setWord(data, index, value))).toEqual({ kind: "undecoded", problem, orderHash });
		});

		test("[ING-12] missing topics, odd hex and no data are reported as undecoded", () => {
			const { data, topics } = seaportLogs.fulfilled(sample);
			for (const log of [
				{ topics: topics.slice(0, 2), data },
				{ topics: [], data },
				{ topics: [...topics.slice(0, 2), "0x12" as Hex], data },
				{ topics, data: "0x" as Hex },
				{ topics, data: `${data}0` as Hex },
				{ topics, data: data.replace("0x", "0xzz") as Hex },
				{ topics, data: "" as Hex },
			]) {
				expect(readOrderFulfilled(log).kind).toBe("undecoded");
			}
		});
	});
});

describe("readOrdersMatched", () => {
	const hash = fc
		.uint8Array({ minLength: 32, maxLength: 32 })
		.map((bytes): Hex => `0x${bytes.toHex()}`);

	test("[ING-12] the order hashes of a match are read in their order", () => {
		fc.assert(
			fc.property(fc.array(hash, { maxLength: 20 }), (orderHashes) => {
				const reading = readOrdersMatched(seaportLogs.matched(orderHashes));
				expect(reading).toEqual({ kind: "matched", orderHashes });
			}),
		);
	});

	test("[ING-12] a cut list of order hashes is reported as undecoded, whatever length it claims", () => {
		const { data } = seaportLogs.matched([`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]);
		for (let length = 0; length < data.length; length++) {
			expect(readOrdersMatched({ data: data.slice(0, length) as Hex }).kind).toBe("undecoded");
		}
		for (const lie of ["f".repeat(64), `8${"0".repeat(63)}`, "0".repeat(63).concat("3")]) {
			const lying = `0x${data.slice(2, 66)}${lie}${data.slice(130)}` as Hex;
			expect(readOrdersMatched({ data: lying }).kind).toBe("undecoded");
		}
	});
});
