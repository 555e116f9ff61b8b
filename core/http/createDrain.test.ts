import { expect, test } from "bun:test";
import { createDrain } from "#core/http/createDrain.ts";

test("a drain begins once and stays begun, each for itself", () => {
	const [drain, other] = [createDrain(), createDrain()];
	expect(drain.begun()).toBe(false);
	drain.begin();
	drain.begin();
	expect([drain.begun(), other.begun()]).toEqual([true, false]);
});
