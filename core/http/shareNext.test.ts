import { expect, test } from "bun:test";
import type { MadeAnswer } from "#core/http/Repeat.ts";
import { shareNext } from "#core/http/shareNext.ts";

/** Makes numbered answers; each is finished when the test says so. */
function make() {
	const begun: { finish(): void; fail(): void }[] = [];
	const answer = shareNext(() => {
		const { promise, resolve, reject } = Promise.withResolvers<MadeAnswer>();
		const body = `${begun.length + 1}`;
		begun.push({
			finish: () => resolve({ body, headers: { "content-type": "text/plain" } }),
			fail: () => reject(new Error(body)),
		});
		return promise;
	});
	const textOf = async () => (await answer(0)).content.blob.text();
	return { begun, textOf };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("an answer begins to be made after each of the requests that it is given to", async () => {
	const { begun, textOf } = make();
	const first = textOf();
	const crowd = Array.from({ length: 50 }, textOf);
	await settled();
	// The other requests came after the first one was begun: that one may lack their changes.
	expect(begun).toHaveLength(1);
	begun[0]?.finish();
	expect(await first).toBe("1");
	await settled();
	expect(begun).toHaveLength(2);
	const late = textOf();
	begun[1]?.finish();
	expect(new Set(await Promise.all(crowd))).toEqual(new Set(["2"]));
	await settled();
	begun[2]?.finish();
	expect(await late).toBe("3");
});

test("a single request is answered at once, with a new answer each time", async () => {
	const { begun, textOf } = make();
	for (const n of [1, 2, 3]) {
		const asked = textOf();
		expect(begun).toHaveLength(n);
		begun[n - 1]?.finish();
		expect(await asked).toBe(`${n}`);
	}
});

test("a failure is reported to the requests that wait for it, and the next are answered", async () => {
	const { begun, textOf } = make();
	const first = textOf();
	const second = textOf();
	begun[0]?.fail();
	await expect(first).rejects.toThrow("1");
	await settled();
	begun[1]?.finish();
	expect(await second).toBe("2");
});
