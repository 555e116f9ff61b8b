import { expect, test } from "bun:test";
import { shareBriefly } from "#core/http/shareBriefly.ts";

function make() {
	let nowMs = 0;
	let made = 0;
	let fails = false;
	const repeat = shareBriefly(
		async () => {
			made += 1;
			if (fails) throw new Error("away");
			return { body: `${made}`, headers: { "content-type": "text/plain" } };
		},
		{ nowMs: () => nowMs },
	);
	return {
		text: async () => new Response((await repeat()).body).text(),
		move: () => (nowMs += 5),
		fail: (now: boolean) => (fails = now),
	};
}

test("a crowd gets one answer, and what comes five milliseconds later another", async () => {
	const { text, move } = make();
	expect(await Promise.all([text(), text(), text()])).toEqual(["1", "1", "1"]);
	expect(await text()).toBe("1");
	move();
	expect(await text()).toBe("2");
});

test("whatever its characters, an answer arrives as it was made", async () => {
	for (const body of ["", "plain", "é", "漢字 🐈", "a\u0000b"]) {
		const repeat = shareBriefly(async () => ({ body, headers: {} }), { nowMs: () => 0 });
		expect(await new Response((await repeat()).body).text()).toBe(body);
	}
});

test("what failed is not shared with whoever comes later", async () => {
	const { text, fail } = make();
	fail(true);
	await expect(text()).rejects.toThrow("away");
	fail(false);
	expect(await text()).toBe("2");
});
