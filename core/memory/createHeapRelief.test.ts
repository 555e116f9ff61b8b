import { expect, test } from "bun:test";
import { createHeapRelief } from "#core/memory/createHeapRelief.ts";

test("memory is collected after each piece of work of a process that has grown, and of no other", () => {
	let resident = 0;
	let collected = 0;
	const relieve = createHeapRelief({
		residentBytesMax: 100,
		residentBytes: () => resident,
		collect: () => void collected++,
	});
	const after = (bytes: number) => {
		resident = bytes;
		relieve();
		return collected;
	};
	expect([100, 101, 250, 90, 101].map(after)).toEqual([0, 1, 2, 2, 3]);
});

test("by default it looks at this very process, and its collector really runs", () => {
	const garbage = () => Array.from({ length: 100_000 }, (_, index) => ({ index }));
	expect(garbage()).toHaveLength(100_000);
	const before = process.memoryUsage().heapUsed;
	createHeapRelief({ residentBytesMax: 1 })();
	expect(process.memoryUsage().heapUsed).not.toBe(before);
});
