import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault/Fault.ts";
import { loggable } from "#core/log/loggable.ts";

const written = (value: unknown, secrets?: string[]) =>
	JSON.stringify(loggable(value, secrets ? { secrets } : {}));

// Guarantee: a line can always be written, whatever it is given, and stays small.
test("any value becomes bounded JSON", () => {
	fc.assert(
		fc.property(
			fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
			(value) => {
				const line = written({ value }) ?? "";
				expect(line.length).toBeLessThan(100_000);
				JSON.parse(line);
			},
		),
	);
});

test("a four megabyte text is cut to two kilobytes and says how long it was", () => {
	const cut = loggable("r".repeat(4_000_575));
	expect(String(cut).length).toBeLessThan(2_100);
	expect(cut).toEndWith("… [4000575 characters]");
});

test("an error keeps its type, message, own fields and cause, each bounded", () => {
	const error = new TypeError("x".repeat(4_000_000), { cause: new Error("below") });
	Object.assign(error, { code: "23505" });
	const copied = loggable(error);
	expect(copied).toMatchObject({ type: "TypeError", code: "23505", cause: { message: "below" } });
	expect(JSON.stringify(copied).length).toBeLessThan(12_000);
});

test("a Fault keeps its code, its private detail and its meta", () => {
	const fault = new Fault({
		code: "gone",
		status: 409,
		retry: "never",
		publicDetail: "Gone.",
		privateDetail: "not in the index",
		meta: { orderId: 5n },
	});
	expect(loggable(fault)).toMatchObject({
		code: "gone",
		privateDetail: "not in the index",
		meta: { orderId: "5" },
	});
});

test("a cycle ends, and a value that occurs twice is no cycle", () => {
	const value: Record<string, unknown> = { twice: {} };
	value.self = value;
	value.again = value.twice;
	expect(loggable(value)).toEqual({ twice: {}, self: "[cycle]", again: {} });
});

test("an error that is its own cause ends", () => {
	const error = new Error("loop");
	error.cause = error;
	expect(loggable(error)).toMatchObject({ cause: "[cycle]" });
});

test("depth, width and the number of values altogether are bounded", () => {
	let deep: unknown = "bottom";
	for (let level = 0; level < 10_000; level += 1) deep = { deep };
	expect(written(deep)).toContain("[deep]");
	const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, index]));
	expect(Object.keys(Object(loggable(wide)))).toHaveLength(51);
	expect(loggable(Array.from({ length: 70 }, () => 1))).toContain("[20 more]");
	const bush = (level: number): unknown =>
		level === 0 ? "leaf" : Array.from({ length: 20 }, () => bush(level - 1));
	expect(written(bush(4)).length).toBeLessThan(20_000);
});

test("what throws when it is read costs its own field only", () => {
	const value = {
		kept: 1,
		get thrown() {
			throw new Error("no");
		},
	};
	expect(loggable(value)).toEqual({ kept: 1, thrown: "[unreadable]" });
	const proxy = new Proxy(
		{},
		{
			ownKeys: () => {
				throw new Error("no");
			},
		},
	);
	expect(loggable({ proxy, kept: 1 })).toEqual({ proxy: "[unreadable]", kept: 1 });
});

test("its own toJSON is never called", () => {
	expect(loggable({ value: { toJSON: () => "forged", real: 1 } })).toEqual({
		value: { toJSON: "[function]", real: 1 },
	});
});

test("values JSON lacks are written as text", () => {
	expect(
		loggable({
			big: 2n ** 255n,
			date: new Date(0),
			bad: new Date(Number.NaN),
			infinite: Number.POSITIVE_INFINITY,
			bytes: new Uint8Array(32),
			map: new Map([["a", 1]]),
			set: new Set([1]),
			url: new URL("https://u:secretpw@h/x"),
			symbol: Symbol("s"),
			surrogate: "\ud800",
		}),
	).toEqual({
		big: (2n ** 255n).toString(),
		date: "1970-01-01T00:00:00.000Z",
		bad: "Invalid Date",
		infinite: "Infinity",
		bytes: "[Uint8Array of 32 bytes]",
		map: { a: 1 },
		set: [1],
		url: "https://[redacted]@h/x",
		symbol: "Symbol(s)",
		surrogate: "\ufffd",
	});
});

// Guarantee: no secret reaches a log line by the name of its field.
const secretKeys = [
	"authorization",
	"Authorization",
	"apiKey",
	"api_key",
	"x-api-key",
	"ADMIN_API_KEY",
	"secret",
	"clientSecret",
	"SESSION_SECRET",
	"token",
	"accessToken",
	"refresh_token",
	"password",
	"cookie",
	"set-cookie",
	"privateKey",
	"private_key",
	"mnemonic",
	"WALLET_PROVIDER_AUTHORIZATION_KEY_secret",
];
for (const key of secretKeys) {
	test(`the field ${key} is redacted at any depth [SEC-07]`, () => {
		const line = written({ outer: [{ [key]: "c4n4ry" }], map: new Map([[key, "c4n4ry"]]) });
		expect(line).not.toContain("c4n4ry");
	});
}

test("what a market must name stays readable", () => {
	const value = {
		tokenId: "1",
		tokens: 3,
		token: "0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
		hasApiKey: true,
		keys: ["a"],
	};
	expect(loggable(value)).toEqual(value);
});

test("a secret that lies across the cut is not half written [SEC-07]", () => {
	for (let padding = 2_030; padding < 2_050; padding += 1) {
		expect(written(`${"x".repeat(padding)}c4n4ry-c4n4ry`, ["c4n4ry-c4n4ry"])).not.toContain("c4n");
	}
});
