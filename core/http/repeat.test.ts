import { describe, expect, test } from "bun:test";
import { type MadeAnswer, shareBriefly, shareNext, shareWhileSame } from "#core/http/repeat.ts";

describe("shareBriefly", () => {
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

	test("simultaneous requests share one answer, and a request much later gets a new one", async () => {
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

	test("no request waits for the next answer while the previous one is young", async () => {
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

	test("an answer is repeated exactly, whatever its characters", async () => {
		for (const body of ["", "plain", "é", "漢字 🐈", "a\u0000b"]) {
			const repeat = shareBriefly(async () => ({
				body,
				headers: { "content-type": "text/plain" },
			}));
			expect(await (await repeat(0)).content.blob.text()).toBe(body);
		}
	});

	test("a failure is not returned to later requests", async () => {
		const { text, fail } = make();
		fail(true);
		await expect(text()).rejects.toThrow("away");
		fail(false);
		expect(await text()).toBe("2");
	});

	test("an answer whose renewal fails is repeated until it is too old", async () => {
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
});

describe("shareNext", () => {
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

	test("the answer that a request gets was begun after that request", async () => {
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

	test("a failure is returned to the requests that wait for it, and later ones are answered", async () => {
		const { begun, textOf } = make();
		const first = textOf();
		const second = textOf();
		begun[0]?.fail();
		await expect(first).rejects.toThrow("1");
		await settled();
		begun[1]?.finish();
		expect(await second).toBe("2");
	});
});

describe("shareWhileSame", () => {
	function open() {
		const state = { version: "1", body: "a", nowMs: 0, made: 0, looked: 0, fails: false };
		/** Called between the check of the version and the making of the answer. */
		let meanwhile = async () => {};
		const repeat = shareWhileSame({
			clock: { nowMs: () => state.nowMs },
			version: async () => {
				state.looked += 1;
				return state.version;
			},
			make: async () => {
				await meanwhile();
				state.made += 1;
				if (state.fails) throw new Error("away");
				return { body: state.body, headers: { "content-type": "text/plain" } };
			},
		});
		return {
			state,
			repeat: () => repeat(state.nowMs),
			text: async () => (await repeat(state.nowMs)).content.blob.text(),
			later: async (ms: number) => {
				state.nowMs += ms;
				return (await repeat(state.nowMs)).content.blob.text();
			},
			between: (run: () => Promise<void>) => (meanwhile = run),
		};
	}

	test("an answer is kept while its version is the same, and made again when it changes", async () => {
		const { state, text, later } = open();
		expect([await text(), await later(5), await later(5)]).toEqual(["a", "a", "a"]);
		expect(state).toMatchObject({ made: 1, looked: 3 });
		Object.assign(state, { version: "2", body: "b" });
		expect([await later(5), await later(5)]).toEqual(["b", "b"]);
		expect(state).toMatchObject({ made: 2, looked: 5 });
	});

	test("many requests cost one check and one answer, whether they wait or not", async () => {
		const { state, text, repeat } = open();
		expect(new Set(await Promise.all(Array.from({ length: 50 }, text)))).toEqual(new Set(["a"]));
		expect(state).toMatchObject({ made: 1, looked: 1 });
		expect(repeat()).not.toBeInstanceOf(Promise);
		expect(state.looked).toBe(1);
	});

	// Guarantee: a change that a client saw elsewhere is visible here five milliseconds later.
	test("no request gets a page that was read more than five milliseconds before it", async () => {
		const { state, text, later, between } = open();
		await text();
		Object.assign(state, { version: "2", body: "b" });
		expect(await later(4)).toBe("a");
		expect(await later(1)).toBe("b");

		const late: Promise<string>[] = [];
		between(async () => {
			if (late.length > 0) {
				state.body = "new";
				return;
			}
			// This is stored after the page was read, and new requests know of it.
			Object.assign(state, { version: "4", body: "old", nowMs: state.nowMs + 5 });
			late.push(text(), text());
		});
		state.version = "3";
		expect(await later(5)).toBe("old");
		expect(await Promise.all(late)).toEqual(["new", "new"]);
	});

	test("the next check begins in time under constant requests, and no request waits for it", async () => {
		const { state, text, repeat } = open();
		await text();
		for (let turn = 0; turn < 20; turn += 1) {
			state.nowMs += 2;
			expect(repeat()).not.toBeInstanceOf(Promise);
			// The check ends within the time in which an answer is shared.
			await new Promise((done) => setImmediate(done));
		}
		expect(state).toMatchObject({ made: 1, looked: 21 });
	});

	test("requests get the previous page while the next is made, for at most 50 ms, and then wait", async () => {
		const { state, text, repeat, between } = open();
		await text();
		const made = Promise.withResolvers<void>();
		between(() => made.promise);
		Object.assign(state, { version: "2", body: "b", nowMs: 2 });
		expect(repeat()).not.toBeInstanceOf(Promise);
		for (const nowMs of [5, 20, 49]) {
			state.nowMs = nowMs;
			expect(await text()).toBe("a");
		}
		state.nowMs = 50;
		const waiting = [text(), text()];
		made.resolve();
		expect(await Promise.all(waiting)).toEqual(["b", "b"]);
		expect(state.made).toBeLessThanOrEqual(3);
	});

	test("a change that is stored while a page is read is in the next page", async () => {
		const { state, text, later, between } = open();
		between(async () => {
			state.version = "2";
		});
		await text();
		state.body = "b";
		expect(await later(5)).toBe("b");
	});

	test("an answer with equal bytes is the same object, and is still renewed after a second", async () => {
		const { state, repeat } = open();
		const first = await repeat();
		state.nowMs = 999;
		expect(await repeat()).toBe(first);
		expect(state.made).toBe(1);
		state.nowMs = 1_004;
		expect(await repeat()).toBe(first);
		expect(state.made).toBe(2);
		state.body = "b";
		state.nowMs = 0;
		expect(await repeat()).not.toBe(first);
	});

	test("a failure is returned to waiting requests, and the next request checks again", async () => {
		const { state, text, later } = open();
		state.fails = true;
		const told = await Promise.allSettled([text(), text()]);
		expect(told.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		state.fails = false;
		expect(await text()).toBe("a");
		// If no request waits for a check, its failure is reported to none.
		Object.assign(state, { fails: true, version: "2" });
		expect(await later(3)).toBe("a");
		await new Promise((done) => setImmediate(done));
		await expect(later(3)).rejects.toThrow("away");
	});
});
