import { describe, expect, test } from "bun:test";
import { createLoneFailures, createPause } from "#plugins/market-index/pace.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

describe("createLoneFailures", () => {
	test("a failure counts if other pages succeed, and not while the provider answers nobody", () => {
		const { came, failed } = createLoneFailures();
		expect([failed(1), failed(1), failed(2), failed(1)]).toEqual([0, 0, 0, 0]);
		came(2);
		expect(failed(1)).toBe(1);
		expect(failed(1)).toBe(1);
		came(2);
		expect(failed(1)).toBe(2);
		came(1);
		came(2);
		expect(failed(1)).toBe(0);
	});
});

describe("createPause", () => {
	const { faults } = createFakeProvider();

	function open() {
		const time = { nowMs: 1_000 };
		return { time, pause: createPause({ nowMs: () => time.nowMs }) };
	}

	test("a rate limit pauses for the time that it names, up to a maximum", () => {
		const { pause, time } = open();
		expect(pause.leftMs()).toBe(0);
		expect(pause.note(faults.rateLimited(5_000))).toBe(true);
		pause.note(faults.rateLimited(1_000));
		expect(pause.leftMs()).toBe(5_000);
		time.nowMs += 5_000;
		expect(pause.leftMs()).toBe(0);
		pause.note(faults.rateLimited(10 ** 12));
		expect(pause.leftMs()).toBe(600_000);
	});

	test("a rate limit without a time pauses for half a minute, any other error not at all", () => {
		const { pause } = open();
		for (const error of [faults.unavailable(), faults.unreadable(), new Error("no"), null]) {
			expect(pause.note(error)).toBe(false);
		}
		expect(pause.leftMs()).toBe(0);
		pause.note(faults.rateLimited(0));
		expect(pause.leftMs()).toBe(30_000);
	});

	test("setting the clock back does not lengthen a pause", () => {
		const { pause, time } = open();
		time.nowMs = 7_200_000;
		pause.note(faults.rateLimited(5_000));
		time.nowMs = 0;
		expect(pause.leftMs()).toBe(5_000);
		pause.note(faults.rateLimited(8_000));
		time.nowMs += 8_000;
		expect(pause.leftMs()).toBe(0);
	});
});
