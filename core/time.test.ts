import { describe, expect, test } from "bun:test";
import { createSerial, sleep, wakeable } from "#core/time.ts";

describe("createSerial", () => {
	test("work begins when the work before it has ended, in the order in which it came", async () => {
		const serial = createSerial();
		const seen: string[] = [];
		const held = Promise.withResolvers<void>();
		const first = serial(async () => {
			seen.push("first begins");
			await held.promise;
			seen.push("first ends");
			return 1;
		});
		const second = serial(async () => {
			seen.push("second");
			return 2;
		});
		await Promise.resolve();
		expect(seen).toEqual(["first begins"]);
		held.resolve();
		expect(await Promise.all([first, second])).toEqual([1, 2]);
		expect(seen).toEqual(["first begins", "first ends", "second"]);
	});

	test("a failure is returned to its caller, and the work queued after it is done", async () => {
		const serial = createSerial();
		const failing = serial(() => Promise.reject(new Error("no")));
		const behind = serial(async () => "done");
		await expect(failing).rejects.toThrow("no");
		expect(await behind).toBe("done");
	});
});

describe("sleep", () => {
	test("sleep lasts the given time", async () => {
		const beganMs = performance.now();
		await sleep(20);
		expect(performance.now() - beganMs).toBeGreaterThan(18);
	});

	test("the signal ends a sleep at once, without an error, also if it has aborted before", async () => {
		const stopping = new AbortController();
		const slept = sleep(3_600_000, stopping.signal);
		stopping.abort();
		expect(await slept).toBeUndefined();
		expect(await sleep(3_600_000, stopping.signal)).toBeUndefined();
	});

	test("ended sleeps leave no listeners on a long-lived signal", async () => {
		const { signal } = new AbortController();
		let listening = 0;
		const add = signal.addEventListener.bind(signal);
		const remove = signal.removeEventListener.bind(signal);
		signal.addEventListener = (...given: Parameters<typeof add>) => {
			listening++;
			add(...given);
		};
		signal.removeEventListener = (...given: Parameters<typeof remove>) => {
			listening--;
			remove(...given);
		};
		for (let turn = 0; turn < 5; turn++) await sleep(0, signal);
		expect(listening).toBe(0);
	});
});

describe("wakeable", () => {
	const LONG_MS = 3_600_000;
	const never = new AbortController().signal;
	const isOver = (wait: Promise<void>) =>
		Promise.race([wait.then(() => true), new Promise((done) => setImmediate(() => done(false)))]);

	test("a ring wakes the waiter", async () => {
		const bell = wakeable();
		const wait = bell.wait(LONG_MS, never);
		expect(await isOver(wait)).toBe(false);
		bell.ring();
		expect(await isOver(wait)).toBe(true);
	});

	test("several rings without a waiter wake the next waiter once", async () => {
		const bell = wakeable();
		bell.ring();
		bell.ring();
		await bell.wait(LONG_MS, never);
		const second = bell.wait(LONG_MS, never);
		expect(await isOver(second)).toBe(false);
		bell.ring();
		await second;
	});

	test("a ring that woke a waiter does not wake the next one", async () => {
		const bell = wakeable();
		const wait = bell.wait(LONG_MS, never);
		bell.ring();
		await wait;
		const next = bell.wait(LONG_MS, never);
		expect(await isOver(next)).toBe(false);
		bell.ring();
		await next;
	});

	test("a wait ends after its time, or by the signal", async () => {
		const bell = wakeable();
		await bell.wait(1, never);
		const stopping = new AbortController();
		const wait = bell.wait(LONG_MS, stopping.signal);
		stopping.abort();
		await wait;
		await bell.wait(LONG_MS, stopping.signal);
	});

	test("a second waiter of a bell fails an assertion instead of waiting", async () => {
		const bell = wakeable();
		const first = bell.wait(LONG_MS, never);
		expect(await bell.wait(LONG_MS, never).catch((error) => error.message)).toBe(
			"a bell wakes one waiter",
		);
		bell.ring();
		await first;
	});
});
