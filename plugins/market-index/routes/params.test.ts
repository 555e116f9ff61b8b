import { expect, test } from "bun:test";
import { z } from "zod";
import { limitParam } from "#core/http/pages.ts";
import { type RequestContext, requestContexts } from "#core/http/requests.ts";
import { answerShared, PAGE_LIMIT } from "#plugins/market-index/routes/params.ts";

/** Readings that end when the test says so; each answers its number. */
function readings() {
	const ends: (() => void)[] = [];
	const read = () =>
		new Promise((resolve) => {
			const number = ends.length + 1;
			ends.push(() => resolve({ number }));
		});
	return { ends, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("requests that arrive during a reading share the next one, which begins after them", async () => {
	const { ends, read } = readings();
	const request = new Request("http://localhost/discover");
	const context = {} as RequestContext;
	requestContexts.set(request, context);
	const first = answerShared(request, read);
	ends[0]?.();
	expect(await (await first).json()).toEqual({ number: 1 });
	const ask = async () => {
		const answer = await context.repeat?.(0);
		return JSON.parse((await answer?.content.blob.text()) ?? "null");
	};
	const alone = ask();
	await settled();
	expect(ends).toHaveLength(2);
	const crowd = Array.from({ length: 40 }, ask);
	await settled();
	// The one under way may not know what the crowd knows.
	expect(ends).toHaveLength(2);
	ends[1]?.();
	expect(await alone).toEqual({ number: 2 });
	await settled();
	expect(ends).toHaveLength(3);
	ends[2]?.();
	expect(new Set((await Promise.all(crowd)).map(({ number }) => number))).toEqual(new Set([3]));
});

const limit = limitParam(PAGE_LIMIT.default, PAGE_LIMIT.max);

test("a limit is a whole number from 1 to the maximum, and has a default", () => {
	expect([undefined, "1", "200"].map((text) => limit.parse(text))).toEqual([50, 1, 200]);
	for (const text of ["0", "201", "-1", "+5", "05", "1.0", "1e2", "0x1", " 5", "5 ", "", "٥"]) {
		expect(limit.safeParse(text).success).toBe(false);
	}
});

test("the API's document shows a limit as an integer", () => {
	const shown = z.toJSONSchema(limit, { io: "input", unrepresentable: "any" });
	expect(shown).toMatchObject({ type: "integer", minimum: 1, maximum: 200 });
});
