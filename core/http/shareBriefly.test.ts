import { expect, test } from "bun:test";
import { shareBriefly } from "#core/http/shareBriefly.ts";

function make() {
	let nowMs = 0;
	let made = 0;
	let fails = false;
	let gate = Promise.resolve();
	const shared = shareBriefly(async () => {
		made += 1;
		const body = `${made}`;
		if (fails) throw new Error("away");
		await gate;
		return { body, headers: { "content-type": "text/plain" } };
	});
	const repeat = () => shared(nowMs);
	return {
		repeat,
		text: async () => (await repeat()).content.blob.text(),
		move: (ms: number) => (nowMs += ms),
		fail: (now: boolean) => (fails = now),
		/** Makes later answers wait until the returned function is called. */
		hold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			gate = promise;
			return resolve;
		},
	};
}

test("a crowd gets one answer, and what comes much later another", async () => {
	const { text, move } = make();
	expect(await Promise.all([text(), text(), text()])).toEqual(["1", "1", "1"]);
	move(14);
	expect(await text()).toBe("1");
	move(86);
	expect(await text()).toBe("2");
	// After the clock was set back, an answer's age is unknown.
	move(-3_600_000);
	expect(await text()).toBe("3");
});

test("no request waits for the next answer while the one before is young", async () => {
	const { repeat, text, move, hold } = make();
	await text();
	move(15);
	const release = hold();
	expect(repeat()).not.toBeInstanceOf(Promise);
	expect(await Promise.all([text(), text()])).toEqual(["1", "1"]);
	move(84);
	expect(await text()).toBe("1");
	move(1);
	const waiting = [text(), text()];
	release();
	expect(await Promise.all(waiting)).toEqual(["2", "2"]);
});

test("whatever its characters, an answer arrives as it was made", async () => {
	for (const body of ["", "plain", "é", "漢字 🐈", "a\u0000b"]) {
		const repeat = shareBriefly(async () => ({ body, headers: { "content-type": "text/plain" } }));
		expect(await (await repeat(0)).content.blob.text()).toBe(body);
	}
});

test("a failure is not shared with later requests", async () => {
	const { text, fail } = make();
	fail(true);
	await expect(text()).rejects.toThrow("away");
	fail(false);
	expect(await text()).toBe("2");
});

test("an answer that cannot be renewed is repeated until it is too old, and no longer", async () => {
	const { text, move, fail } = make();
	await text();
	fail(true);
	move(99);
	expect(await text()).toBe("1");
	move(1);
	await expect(text()).rejects.toThrow("away");
	fail(false);
	expect(await text()).toBe("4");
});
