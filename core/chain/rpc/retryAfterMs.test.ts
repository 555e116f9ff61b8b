import { expect, test } from "bun:test";
import { retryAfterMs } from "#core/chain/rpc/retryAfterMs.ts";

const read = (init: Record<string, string>) => retryAfterMs(new Headers(init));

test("[ING-14] seconds and dates are understood, dates by the clock of whoever sent them", () => {
	expect(read({ "retry-after": "3" })).toBe(3_000);
	expect(read({ "retry-after": " 0 " })).toBe(0);
	const date = "Wed, 21 Oct 2015 07:28:00 GMT";
	expect(read({ "retry-after": "Wed, 21 Oct 2015 07:28:09 GMT", date })).toBe(9_000);
});

test("nobody stands aside for longer than five minutes, nor for less than nothing", () => {
	expect(read({ "retry-after": "999999999" })).toBe(300_000);
	const date = "Wed, 21 Oct 2015 07:28:00 GMT";
	expect(read({ "retry-after": "Wed, 21 Oct 2095 07:28:00 GMT", date })).toBe(300_000);
	expect(read({ "retry-after": "Wed, 21 Oct 2015 07:00:00 GMT", date })).toBe(0);
});

test("what is neither says nothing", () => {
	for (const text of ["", "soon", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"]) {
		expect({ text, ms: read({ "retry-after": text }) }).toEqual({ text, ms: null });
	}
	expect(read({})).toBeNull();
});
