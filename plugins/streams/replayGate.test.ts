import { expect, test } from "bun:test";
import fc from "fast-check";
import { replayGate } from "#plugins/streams/replayGate.ts";

test("never more than the limit run at once, and everyone gets a turn, in order", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 4 }),
			fc.array(fc.boolean(), { maxLength: 30 }),
			async (max, fails) => {
				const gate = replayGate(max);
				let running = 0;
				const begun: number[] = [];
				const runs = fails.map((fail, index) =>
					gate(async () => {
						begun.push(index);
						running += 1;
						expect(running).toBeLessThanOrEqual(max);
						await Promise.resolve();
						running -= 1;
						if (fail) throw new Error("fails");
						return index;
					}),
				);
				const settled = await Promise.allSettled(runs);
				expect(settled.map(({ status }) => status === "rejected")).toEqual(fails);
				expect(begun).toEqual(fails.map((_, index) => index));
				expect(await gate(async () => "still open")).toBe("still open");
			},
		),
	);
});
