import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { dropColdCode } from "#api/service/startService.ts";

const compiled = () => heapStats().objectTypeCounts["FunctionCodeBlock"] ?? 0;

test("a function whose compiled code was dropped still runs", async () => {
	const functions = Array.from({ length: 2_000 }, (_, index) => new Function(`return ${index}`));
	const results = () => functions.map((one) => one());
	const before = results();
	expect(compiled()).toBeGreaterThan(functions.length);
	await dropColdCode();
	expect(compiled()).toBeLessThan(functions.length / 2);
	expect(results()).toEqual(before);
});
