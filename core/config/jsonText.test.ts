import { expect, test } from "bun:test";
import { z } from "zod";
import { jsonText } from "#core/config/jsonText.ts";

const numbers = jsonText(z.record(z.string(), z.number()));

test("JSON of the right shape is read", () => {
	expect(numbers.parse('{"a":1}')).toEqual({ a: 1 });
});

test("broken JSON is refused without quoting it, for it may hold a secret", () => {
	const message = numbers.safeParse('{"a": s3cret').error?.message ?? "";
	expect(message).toContain("this is not JSON");
	expect(message).not.toContain("s3cret");
});

test("a key that is also a prototype's changes nothing", () => {
	numbers.safeParse('{"__proto__":{"polluted":1}}');
	expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
