import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeEventLog, type Hex, padHex, toEventSelector } from "viem";
import { looksRareVenue, readTakerEvent } from "#plugins/looksrare/plugin.ts";
import { looksRareLogs } from "#plugins/looksrare/testing/looksRareLogs.ts";
import { cpuTimer } from "#test/harness/until.ts";

describe("decodeLooksRare.readTakerEvent", () => {
	const hexOf = (size: number) =>
		fc.uint8Array({ minLength: size, maxLength: size }).map((bytes): Hex => `0x${bytes.toHex()}`);
	const uint = fc.oneof(
		fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
		fc.bigInt({ min: 0n, max: 9n }),
	);
	const item = fc.tuple(
		uint,
		uint.map((amount) => amount || 1n),
	);
	const trade = fc
		.record({
			nonceInvalidationParameters: fc.record({
				orderHash: hexOf(32),
				orderNonce: uint,
				isNonceInvalidated: fc.boolean(),
			}),
			taker: hexOf(20),
			recipient: hexOf(20),
			strategyId: uint,
			currency: hexOf(20),
			collection: hexOf(20),
			items: fc.array(item, { minLength: 1, maxLength: 8 }),
			feeRecipients: fc.tuple(hexOf(20), hexOf(20)),
			feeAmounts: fc.tuple(uint, uint, uint),
		})
		.map(({ items, ...drawn }) => ({
			...drawn,
			itemIds: items.map(([id]) => id),
			amounts: items.map(([, amount]) => amount),
		}));
	const name = fc.constantFrom("TakerBid" as const, "TakerAsk" as const);

	const who = (digit: string): Hex => `0x${digit.repeat(40)}`;
	const sample = {
		nonceInvalidationParameters: {
			orderHash: padHex("0x01", { size: 32 }),
			orderNonce: 5n,
			isNonceInvalidated: true,
		},
		taker: who("b"),
		recipient: who("c"),
		strategyId: 0n,
		currency: who("e"),
		collection: who("7"),
		itemIds: [7n, 8n],
		amounts: [1n, 2n],
		feeRecipients: [who("a"), who("f")] as [Hex, Hex],
		feeAmounts: [90n, 7n, 3n] as [bigint, bigint, bigint],
	};
	const log = looksRareLogs.trade("TakerBid", sample);
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const setWord = (data: Hex, index: number, value: bigint): Hex =>
		`0x${data.slice(2, 2 + index * 64)}${word(value)}${data.slice(2 + (index + 1) * 64)}`;
	const read = (data: Hex) => readTakerEvent({ topics: log.topics, data });

	describe("readTakerEvent", () => {
		test("[ING-13] the fast reader gives the same result as viem's decoder, for any trade", () => {
			fc.assert(
				fc.property(name, trade, (eventName, drawn) => {
					const drawnLog = looksRareLogs.trade(eventName, drawn);
					const reference = decodeEventLog({
						abi: looksRareLogs.abi,
						topics: drawnLog.topics as [Hex],
						data: drawnLog.data,
					});
					const { args } = reference;
					if (!args) throw new Error("an event without arguments");
					const [taker, recipient] =
						"askUser" in args ? [args.askUser, args.bidUser] : [args.bidUser, args.bidRecipient];
					const price = args.feeAmounts.reduce((sum, fee) => sum + fee, 0n);
					const reading = readTakerEvent(drawnLog);
					if (price >= 2n ** 256n) {
						expect(reading).toEqual({ kind: "undecoded", problem: "a price beyond 256 bits" });
						return;
					}
					if (reading.kind !== "event") throw new Error(reading.problem);
					expect<unknown>(reading.event).toEqual({
						kind: eventName === "TakerBid" ? "listingBought" : "offerAccepted",
						taker: taker.toLowerCase(),
						recipient: recipient.toLowerCase(),
						payee: args.feeRecipients[0].toLowerCase(),
						currency: args.currency.toLowerCase(),
						collection: args.collection.toLowerCase(),
						itemIds: args.itemIds,
						amounts: args.amounts,
						price,
					});
				}),
				{ numRuns: 300 },
			);
		});

		test("[ING-13] a cut or damaged log is read or reported, without an exception, and in short time", () => {
			const cpuMs = cpuTimer();
			fc.assert(
				fc.property(
					name,
					trade,
					fc.nat(),
					fc.array(fc.record({ at: fc.nat(), byte: hexOf(1) }), { maxLength: 8 }),
					(eventName, drawn, cut, damages) => {
						const { data: whole, topics } = looksRareLogs.trade(eventName, drawn);
						let data: string = whole;
						for (const { at, byte } of damages) {
							const place = 2 + 2 * (at % (data.length / 2 - 1));
							data = data.slice(0, place) + byte.slice(2) + data.slice(place + 2);
						}
						const truncated = data.slice(0, cut % (data.length + 1)) as Hex;
						for (const tried of [data as Hex, truncated]) {
							expect(["event", "undecoded"]).toContain(
								readTakerEvent({ topics, data: tried }).kind,
							);
						}
					},
				),
				{ numRuns: 1_000 },
			);
			expect(cpuMs()).toBeLessThan(10_000);
		});

		test("[ING-13] a log that is cut anywhere is never read in part", () => {
			for (let length = 0; length < log.data.length; length++) {
				expect(read(log.data.slice(0, length) as Hex).kind).toBe("undecoded");
			}
			expect(read(log.data).kind).toBe("event");
		});

		test("[ING-13] a false length or offset starts no long loop", () => {
			const lies = [2n ** 255n, 2n ** 256n - 1n, 2n ** 48n - 1n, 2n ** 32n, 2n ** 53n, 10_000n];
			const cpuMs = cpuTimer();
			for (const lie of lies) {
				// The two head offsets, then the two lengths (words 15 and 18 of this trade).
				for (const index of [8, 9, 15, 18]) {
					expect(read(setWord(log.data, index, lie)).kind).toBe("undecoded");
				}
			}
			expect(cpuMs()).toBeLessThan(500);
		});

		test("[ING-13] unusual but correct offsets are followed", () => {
			const head = log.data.slice(2, 2 + 15 * 64);
			const itemIds = log.data.slice(2 + 15 * 64, 2 + 18 * 64);
			const amounts = log.data.slice(2 + 18 * 64);
			// Amounts first, one stray byte between, a word of padding behind.
			const moved: Hex = `0x${head}${amounts}ff${itemIds}${word(9n)}`;
			expect(read(setWord(setWord(moved, 9, 480n), 8, 480n + 97n))).toEqual(read(log.data));
		});

		test("[ING-13] upper-case hex gives lower-case addresses", () => {
			expect(read(`0x${log.data.slice(2).toUpperCase()}`)).toEqual(read(log.data));
		});

		test.each([
			["a taker that is no address", 3, 2n ** 160n, "a party is no address"],
			["a recipient that is no address", 4, 2n ** 255n, "a party is no address"],
			["a payee that is no address", 10, 2n ** 160n, "a party is no address"],
			["a currency that is no address", 6, 2n ** 160n, "the currency is no address"],
			["a collection that is no address", 7, 2n ** 160n, "the collection is no address"],
			["item ids beyond the end", 8, 10_000n, "item ids lie outside the data"],
			["amounts beyond the end", 9, 10_000n, "amounts lie outside the data"],
			["no item", 15, 0n, "no item"],
			["an amount too few", 18, 1n, "not one amount for each item"],
			["an amount of 0", 20, 0n, "an amount of 0"],
			["fees that overflow", 12, 2n ** 256n - 1n, "a price beyond 256 bits"],
		])("[ING-13] %s is reported as undecoded", (_, index, value, problem) => {
			expect(read(setWord(log.data, index, value))).toEqual({ kind: "undecoded", problem });
		});

		test("[ING-13] other topics, more topics, odd hex and no data are reported as undecoded", () => {
			const { data, topics } = log;
			const [topic] = topics;
			for (const tried of [
				{ topics: [], data },
				{ topics: [padHex("0x12", { size: 32 })], data },
				{ topics: [topic as Hex, topic as Hex], data },
				{ topics, data: "0x" as Hex },
				{ topics, data: "" as Hex },
				{ topics, data: `${data}0` as Hex },
				{ topics, data: data.replace("0x", "0xzz") as Hex },
			]) {
				expect(readTakerEvent(tried).kind).toBe("undecoded");
			}
		});
	});
});

describe("plugin", () => {
	test("[ING-13] the venue subscribes to both published events, of the exchange contract only", () => {
		expect<readonly string[]>(looksRareVenue.topics).toEqual(
			looksRareLogs.abi.map((event) => toEventSelector(event)),
		);
		expect(looksRareVenue.contracts).toEqual(["0x0000000000e655fae4d56241588680f86e3b2377"]);
		expect(looksRareVenue.id).toBe("looksrare");
	});
});
