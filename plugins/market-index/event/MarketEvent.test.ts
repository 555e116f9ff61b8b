import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import { createEventCursor, foreignCurrencies } from "#plugins/market-index/event/MarketEvent.ts";

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

	test("a cursor leads back to the place it was made of", () => {
		fc.assert(fc.property(place, (at) => expect(cursors.decode(cursors.encode(at))).toEqual(at)));
	});

	test("a place beyond what the database can hold is the last one that it can", () => {
		const far = { occurredAtMs: 9e15, blockNumber: 2 ** 53, logIndex: 2 ** 31, subIndex: 2 ** 40 };
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
	])("a cursor that was not made here is refused with its path: %s", (_name, cursor) => {
		expect(codeOf(cursor)).toBe("validation_error");
	});

	test("the cursor of another collection's events is told as that", () => {
		expect(codeOf(list.of({ collection: "dogs" }).encode(here))).toBe("cursor_mismatch");
		expect(codeOf(createEventCursor("events2").of({ collection: "cats" }).encode(here))).toBe(
			"cursor_mismatch",
		);
	});
});

describe("foreignCurrencies", () => {
	test("each ERC-20 once; the native currency and an unknown one need no looking up", () => {
		const paid = (["0x1", null, ZERO_ADDRESS, "0x2", "0x1"] as const).map((currency) => ({
			currency,
		}));
		expect(foreignCurrencies(paid)).toEqual(["0x1", "0x2"]);
	});
});
