import { expect, test } from "bun:test";
import { type RequestContext, requestContexts } from "#core/http/requests.ts";
import { answerShared } from "#plugins/market-index/routes/page.ts";

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

test("requests that come during a reading share the next one, which begins after they came", async () => {
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
