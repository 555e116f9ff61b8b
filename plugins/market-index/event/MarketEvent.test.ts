import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import {
	createEventCursor,
	foreignCurrencies,
	PROVIDER_LOG_INDEX,
	type ProviderIdentity,
	positionOf,
	providerPlace,
} from "#plugins/market-index/event/MarketEvent.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";

describe("MarketEvent", () => {
	describe("eventCursor", () => {
		const list = createEventCursor("events1");
		const cursors = list.of({ collection: "cats" });
		const place = fc.record({
			occurredAtMs: fc.nat(4_102_444_800_000),
			blockNumber: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
			logIndex: fc.nat(2 ** 31 - 1),
			subIndex: fc.nat(2 ** 31 - 1),
		});
		const here = { occurredAtMs: 1, blockNumber: 2, logIndex: 3, subIndex: 4 };

		test("a decoded cursor gives the position from which it was encoded", () => {
			fc.assert(fc.property(place, (at) => expect(cursors.decode(cursors.encode(at))).toEqual(at)));
		});

		test("a position beyond the database's range is the last one in that range", () => {
			const far = {
				occurredAtMs: 9e15,
				blockNumber: 2 ** 53,
				logIndex: 2 ** 31,
				subIndex: 2 ** 40,
			};
			const decoded = cursors.decode(cursors.encode(far));
			expect(new Date(decoded.occurredAtMs).getTime()).toBe(8_640_000_000_000_000);
			expect(decoded).toMatchObject({ blockNumber: 2 ** 53 - 1, logIndex: 2 ** 31 - 1 });
			expect(decoded.subIndex).toBe(2 ** 31 - 1);
		});

		function codeOf(cursor: string) {
			try {
				cursors.decode(cursor);
				return "accepted";
			} catch (error) {
				if (!(error instanceof Fault)) throw error;
				expect(error.members.issues).toMatchObject([{ path: "cursor" }]);
				return error.code;
			}
		}

		const good = cursors.encode(here);
		const bound = Buffer.from(good, "base64url").toString().split(".").slice(0, 2).join(".");
		const text = (plain: string) => Buffer.from(`${bound}.${plain}`).toString("base64url");

		test.each([
			["nothing", ""],
			["not base64", "!!!"],
			["padding", `${good}=`],
			["a line break", `${good}\n`],
			["blanks inside", `${good.slice(0, 4)} ${good.slice(4)}`],
			["standard base64", Buffer.from("1.1.1.1.1??>>").toString("base64")],
			["the form of before", Buffer.from("1.1.2.3.4").toString("base64url")],
			["too few parts", text("1.2.3")],
			["a sign", text("-1.2.3.4")],
			["a sign of a log", text("1.2.-3.4")],
			["no block's sign", text("1.-0.3.4")],
			["leading zeros", text("01.2.3.4")],
			["SQL", text("1.2.3.4; drop table x")],
			["other digits", text("١.2.3.4")],
		])("an invalid cursor is refused with its path: %s", (_name, cursor) => {
			expect(codeOf(cursor)).toBe("validation_error");
		});

		test("a cursor of another collection's events is refused as such", () => {
			expect(codeOf(list.of({ collection: "dogs" }).encode(here))).toBe("cursor_mismatch");
			expect(codeOf(createEventCursor("events2").of({ collection: "cats" }).encode(here))).toBe(
				"cursor_mismatch",
			);
		});
	});

	describe("foreignCurrencies", () => {
		test("each foreign ERC-20 is listed once, without the native currency and unknown ones", () => {
			const paid = (["0x1", null, ZERO_ADDRESS, "0x2", "0x1"] as const).map((currency) => ({
				currency,
			}));
			expect(foreignCurrencies(paid)).toEqual(["0x1", "0x2"]);
		});
	});
});

describe("StoredEvent", () => {
	describe("positionOf", () => {
		const place = fc.record({
			blockNumber: fc.oneof(fc.nat(3), fc.nat(2 ** 31), fc.constant(2 ** 33 - 1)),
			logIndex: fc.oneof(fc.nat(3), fc.constantFrom(2 ** 20 - 2, 2 ** 20 - 1)),
			subIndex: fc.oneof(fc.nat(3), fc.constantFrom(1_022, 1_023)),
		});

		type Place = { blockNumber: number; logIndex: number; subIndex: number };
		const inOrder = (a: Place, b: Place) =>
			Math.sign(
				a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.subIndex - b.subIndex,
			);

		test("positions are in chain order: block, then log, then item", () => {
			fc.assert(
				fc.property(place, place, (a, b) => {
					const difference = positionOf(a) - positionOf(b);
					expect(difference < 0n ? -1 : difference > 0n ? 1 : 0).toBe(inOrder(a, b));
				}),
				{ numRuns: 1_000 },
			);
		});

		test("every position up to block 2^33 fits an int8, whatever a batch log carries", () => {
			const last = { blockNumber: 2 ** 33 - 1, logIndex: 2 ** 31 - 1, subIndex: 99_999 };
			expect(positionOf(last)).toBe(2n ** 63n - 1n);
			expect(positionOf({ blockNumber: 0, logIndex: 0, subIndex: 0 })).toBe(0n);
		});

		test("items above 1,023 of one log never get the position of the next log", () => {
			const crowded = positionOf({ blockNumber: 7, logIndex: 3, subIndex: 50_000 });
			expect(crowded < positionOf({ blockNumber: 7, logIndex: 4, subIndex: 0 })).toBe(true);
		});

		test("an event that only a provider reported is placed inside its block, between its neighbours", () => {
			const log = fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 });
			fc.assert(
				fc.property(fc.nat(2 ** 31), log, fc.nat(), (blockNumber, logIndex, subIndex) => {
					const position = positionOf({ blockNumber, logIndex, subIndex });
					expect(position >= positionOf({ blockNumber, logIndex: 0, subIndex: 0 })).toBe(true);
					const next = { blockNumber: blockNumber + 1, logIndex: 0, subIndex: 0 };
					expect(position < positionOf(next)).toBe(true);
				}),
			);
		});
	});

	describe("providerPlace", () => {
		const party = fc.constantFrom(contractOf(1), contractOf(2), contractOf(3));
		const identity: fc.Arbitrary<ProviderIdentity> = fc.record({
			kind: fc.constantFrom("sale", "mint", "transfer"),
			standard: fc.constantFrom("erc721", "erc1155"),
			transactionHash: fc.constantFrom(`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`),
			tokenId: fc.bigInt(0n, 2n ** 256n - 1n),
			from: party,
			to: party,
		});
		const INT4_MAX = 2 ** 31 - 1;

		test("an event that only a provider reported has a position that no log of the chain has", () => {
			fc.assert(
				fc.property(identity, (one) => {
					const { logIndex, subIndex } = providerPlace(one);
					expect(logIndex >= PROVIDER_LOG_INDEX && logIndex <= INT4_MAX).toBe(true);
					expect(subIndex >= 0 && subIndex <= INT4_MAX).toBe(true);
				}),
			);
		});

		test("[MRG-07] an ERC-721 token is sold once in a transaction, an ERC-1155 token once between two parties", () => {
			fc.assert(
				fc.property(identity, party, party, (one, from, to) => {
					const other = { ...one, from, to };
					const turned = { ...one, from: one.to, to: one.from };
					const isSame = (a: ProviderIdentity, b: ProviderIdentity) =>
						JSON.stringify(providerPlace(a)) === JSON.stringify(providerPlace(b));
					if (one.standard === "erc721") expect(isSame(one, other)).toBe(true);
					else if (one.kind === "mint") expect(isSame(one, other)).toBe(to === one.to);
					else {
						expect(isSame(one, turned)).toBe(true);
						const between = (a: ProviderIdentity) => [a.from, a.to].sort().join();
						expect(isSame(one, other)).toBe(between(one) === between(other));
					}
					const kind = one.kind === "sale" ? "mint" : "sale";
					expect(isSame(one, { ...one, kind })).toBe(false);
					expect(isSame(one, { ...one, tokenId: one.tokenId ^ 1n })).toBe(false);
				}),
			);
		});
	});
});
