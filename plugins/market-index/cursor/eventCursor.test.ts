import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault/Fault.ts";
import { eventCursor } from "#plugins/market-index/cursor/eventCursor.ts";

const place = fc.record({
	occurredAtMs: fc.nat(4_102_444_800_000),
	blockNumber: fc.nat(2 ** 40),
	logIndex: fc.nat(2 ** 31 - 1),
	subIndex: fc.nat(2 ** 31 - 1),
});

test("a cursor leads back to the place it was made of", () => {
	fc.assert(
		fc.property(place, (at) => expect(eventCursor.decode(eventCursor.encode(at))).toEqual(at)),
	);
});

function refusal(cursor: string) {
	try {
		eventCursor.decode(cursor);
		return "accepted";
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		return { status: error.status, code: error.code, issues: error.members.issues };
	}
}

const text = (plain: string) => Buffer.from(plain).toString("base64url");
const good = eventCursor.encode({ occurredAtMs: 1, blockNumber: 2, logIndex: 3, subIndex: 4 });

test.each([
	["nothing", ""],
	["not base64", "!!!"],
	["padding", `${good}=`],
	["a line break", `${good}\n`],
	["blanks inside", `${good.slice(0, 4)} ${good.slice(4)}`],
	["standard base64", Buffer.from("1.1.1.1.1??>>").toString("base64")],
	["another version", text("2.1.2.3.4")],
	["too few parts", text("1.1.2.3")],
	["a sign", text("1.-1.2.3.4")],
	["leading zeros", text("1.01.2.3.4")],
	["a time beyond dates", text("1.8640000000000001.2.3.4")],
	["a block beyond numbers", text("1.1.9999999999999999.3.4")],
	["a log beyond int4", text("1.1.2.2147483648.4")],
	["SQL", text("1.1.2.3.4; drop table x")],
	["other digits", text("1.١.2.3.4")],
])("a cursor that was not made here is refused with its path: %s", (_name, cursor) => {
	expect(refusal(cursor)).toMatchObject({
		status: 422,
		code: "validation_error",
		issues: [{ path: "cursor" }],
	});
});
