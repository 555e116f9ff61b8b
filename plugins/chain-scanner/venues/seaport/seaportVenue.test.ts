import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Hex, numberToHex, toEventSelector } from "viem";
import type { RawLog } from "#core/chain/Hex.ts";
import { decodeAnyTransaction } from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import { readListings, seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { mutantsOf } from "#test/harness/mutantsOf.ts";
import { type LoggedItem, type LoggedOrder, seaportLogs } from "#test/harness/seaportOrder.ts";

describe("readListings", () => {
	describe("readListings", () => {
		const numRuns = Bun.env.PROVE ? 50_000 : 3_000;

		const who = (digit: string): Hex => `0x${digit.repeat(40)}`;
		const ZERO = who("0");
		const [seller, buyer, fees, weth, token] = [who("a"), who("b"), who("f"), who("e"), who("7")];

		/** Either null, or what the decoder of everything makes of the same logs. */
		function expectSame(logs: readonly RawLog[]): boolean {
			const sales = readListings(logs);
			if (sales === null) return false;
			const whole = decodeAnyTransaction(logs);
			expect(sales).toEqual(whole.sales);
			expect(whole.undecoded).toEqual([]);
			return true;
		}

		const logsOf = (orders: readonly LoggedOrder[], address: Hex = seaportLogs.v16) =>
			orders.map((order, index) => seaportLogs.fulfilled(order, { address, logIndex: 10 + index }));

		const native = (amount: bigint): LoggedItem => {
			return { itemType: 0, token: ZERO, identifier: 0n, amount };
		};
		const listing: LoggedOrder = {
			orderHash: numberToHex(1, { size: 32 }),
			offerer: seller,
			zone: ZERO,
			recipient: buyer,
			offer: [{ itemType: 2, token, identifier: 2n ** 200n, amount: 1n }],
			consideration: [
				{ ...native(10n ** 18n), recipient: seller },
				{ ...native(25n * 10n ** 15n), recipient: fees },
			],
		};

		test("[ING-12] an ordinary listing is read, in every version and beside other logs", () => {
			for (const address of [seaportLogs.v11, seaportLogs.v16]) {
				expect(expectSame(logsOf([listing], address))).toBe(true);
				expect(expectSame(logsOf([listing, listing, listing], address))).toBe(true);
			}
			const [sale] = readListings(logsOf([listing])) ?? [];
			expect(sale).toMatchObject({ seller, buyer, contract: token, quantity: 1n, accepted: true });
			expect(sale?.totalRaw).toBe(1_025n * 10n ** 15n);
			expect(readListings([])).toEqual([]);
		});

		test("[ING-12] a payment of amount zero does not affect the currency", () => {
			const coin = (amount: bigint): LoggedItem => {
				return { itemType: 1, token: weth, identifier: 0n, amount };
			};
			const paid = (...items: LoggedItem[]) =>
				logsOf([
					{ ...listing, consideration: items.map((item) => ({ ...item, recipient: seller })) },
				]);
			for (const logs of [paid(coin(0n)), paid(coin(0n), native(1n)), paid(native(0n), coin(1n))]) {
				expect(expectSame(logs)).toBe(true);
			}
			expect(readListings(paid(coin(0n)))?.[0]).toMatchObject({ currency: ZERO, totalRaw: 0n });
		});

		/** Values near each other, so that people, currencies and types meet by chance. */
		const person = fc.constantFrom(seller, buyer, fees, ZERO);
		const amount = fc.oneof(
			{ weight: 3, arbitrary: fc.constantFrom(1n, 10n ** 17n, 2n ** 63n, 2n ** 64n) },
			fc.bigInt({ min: 0n, max: 2n }),
			fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
		);
		const item: fc.Arbitrary<LoggedItem> = fc.record({
			itemType: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.constant(4)),
			token: fc.constantFrom(ZERO, weth, token),
			identifier: amount,
			amount,
		});
		const nft = fc.record({
			itemType: fc.constantFrom(2, 3),
			token: fc.constant(token),
			identifier: amount,
			amount: fc.constantFrom(1n, 1n, 1n, 2n, 0n),
		});
		const payment = fc.record({
			itemType: fc.constantFrom(0, 0, 0, 1),
			token: fc.constantFrom(ZERO, weth),
			identifier: fc.constant(0n),
			amount,
			recipient: person,
		});
		const anyItem = fc.tuple(item, person).map(([given, recipient]) => ({ ...given, recipient }));
		const order: fc.Arbitrary<LoggedOrder> = fc.record({
			orderHash: fc.integer({ min: 1, max: 3 }).map((id) => numberToHex(id, { size: 32 })),
			offerer: fc.constantFrom(seller, seller, seller, buyer),
			zone: fc.constantFrom(ZERO, who("9")),
			recipient: fc.constantFrom(buyer, buyer, buyer, seller, ZERO),
			offer: fc.oneof(
				{ weight: 5, arbitrary: nft.map((only) => [only]) },
				fc.array(item, { maxLength: 3 }),
			),
			consideration: fc.oneof(
				{ weight: 5, arbitrary: fc.array(payment, { maxLength: 4 }) },
				fc.array(anyItem, { maxLength: 3 }),
			),
		});

		test("[ING-12] the fast reader of listings gives the same sales as the full decoder", () => {
			const read = { quickly: 0, wholly: 0 };
			fc.assert(
				fc.property(
					fc.array(order, { maxLength: 3 }),
					fc.constantFrom(seaportLogs.v11, seaportLogs.v16),
					fc.boolean(),
					(orders, address, isMatched) => {
						const logs = logsOf(orders, address);
						const hashes = orders.map(({ orderHash }) => orderHash);
						if (isMatched) logs.push(seaportLogs.matched(hashes, { address, logIndex: 99 }));
						read[expectSame(logs) ? "quickly" : "wholly"] += 1;
					},
				),
				{ numRuns },
			);
			expect(read.quickly).toBeGreaterThan(numRuns / 50);
			expect(read.wholly).toBeGreaterThan(numRuns / 50);
		});

		test("[ING-12] the fast reader and the full decoder agree on a listing's log with one change", () => {
			const logs = logsOf([listing, { ...listing, recipient: fees }]);
			const spoiled = mutantsOf(logs).filter(({ value }) => value.every(isLog));
			expect(spoiled.length).toBeGreaterThan(100);
			for (const { value } of spoiled) expectSame(value);
		});

		test("[ING-12] the fast reader and the full decoder agree on a listing with changed or cut bytes", () => {
			const [log] = logsOf([listing]);
			const digits = log?.data.slice(2) ?? "";
			fc.assert(
				fc.property(
					fc.array(fc.tuple(fc.nat({ max: digits.length - 1 }), fc.integer({ min: 0, max: 15 })), {
						maxLength: 3,
					}),
					fc.oneof(fc.constant(digits.length), fc.nat({ max: digits.length })),
					(changes, length) => {
						const changed = [...digits];
						for (const [at, digit] of changes) changed[at] = digit.toString(16);
						const data: Hex = `0x${changed.join("").slice(0, length)}`;
						if (log) expectSame([{ ...log, data }]);
					},
				),
				{ numRuns },
			);
		});

		/** What `parseLogs` lets through: fields of the right kind, whatever they say. */
		function isLog({ address, data, topics, logIndex }: RawLog): boolean {
			const texts = [address, data, logIndex, ...(Array.isArray(topics) ? topics : [null])];
			return texts.every((text) => typeof text === "string");
		}
	});
});

describe("seaportVenue", () => {
	test("[ING-02] the venue subscribes to both events, of Seaport's addresses only", () => {
		expect(seaportVenue.topics).toEqual([
			toEventSelector(
				"OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])",
			),
			toEventSelector("OrdersMatched(bytes32[])"),
		]);
		const canonical = seaportVenue.contracts.filter((one) => /^0x0{10,}[0-9a-f]+$/.test(one));
		expect(canonical).toHaveLength(7);
		// Abstract's alone has no zeros. A log without an address is the newest canonical one's.
		expect(seaportVenue.contracts).toHaveLength(8);
		expect(seaportVenue.contracts.at(-1)).toBe("0x0000000000000068f116a894984e2db1123eb395");
		for (const address of seaportVenue.contracts) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
	});
});
