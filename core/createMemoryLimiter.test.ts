import { afterEach, expect, setSystemTime, test } from "bun:test";
import { createMemoryLimiter } from "#core/limiter.ts";
import { limiterCases } from "#core/limiterCases.ts";

const startMs = Date.UTC(2026, 0, 1);

// Without a clock of its own it reads the machine's, so that one is held still.
afterEach(() => {
	setSystemTime();
});

limiterCases({
	name: "in process",
	make({ requestsMax, windowSeconds }) {
		setSystemTime(new Date(startMs));
		return {
			limiter: createMemoryLimiter({ requestsMax, windowSeconds }),
			endWindows: () => {
				setSystemTime(new Date(startMs + windowSeconds * 1000));
			},
		};
	},
});

// Guarantee: the window is fixed, not sliding: it ends a minute after the client's first request.
test("a refusal's wait shrinks as the window passes [SEC-02]", async () => {
	setSystemTime(new Date(startMs));
	const limiter = createMemoryLimiter({ requestsMax: 1, windowSeconds: 60 });
	await limiter.take("a");
	setSystemTime(new Date(startMs + 45_000));
	expect(await limiter.take("a")).toMatchObject({ allowed: false, retryAfterMs: 15_000 });
	setSystemTime(new Date(startMs + 59_999));
	expect((await limiter.take("a")).allowed).toBe(false);
	setSystemTime(new Date(startMs + 60_000));
	expect((await limiter.take("a")).allowed).toBe(true);
});

// Guarantee: an attacker with endless addresses cannot fill the memory.
test("of a million clients the last twenty thousand are remembered", async () => {
	const limiter = createMemoryLimiter({ requestsMax: 600, windowSeconds: 60 });
	for (let index = 0; index < 1_000_000; index += 1) await limiter.take(`2001:db8::${index}`);
	expect(limiter.size()).toBe(20_000);
});

test("above the bound the oldest window is dropped first, and the newest is kept", async () => {
	const limiter = createMemoryLimiter({ requestsMax: 1, windowSeconds: 60, keysMax: 2 });
	await limiter.take("first");
	await limiter.take("second");
	await limiter.take("third");
	expect(limiter.size()).toBe(2);
	expect((await limiter.take("third")).allowed).toBe(false);
	expect((await limiter.take("first")).allowed).toBe(true);
});

test("a client whose window ended and began again counts as new", async () => {
	setSystemTime(new Date(startMs));
	const limiter = createMemoryLimiter({ requestsMax: 1, windowSeconds: 60, keysMax: 2 });
	await limiter.take("returning");
	await limiter.take("other");
	setSystemTime(new Date(startMs + 60_000));
	await limiter.take("returning");
	await limiter.take("new");
	expect((await limiter.take("returning")).allowed).toBe(false);
});

test("a limiter that could never allow a request is refused when it is created", () => {
	expect(() => createMemoryLimiter({ requestsMax: 0, windowSeconds: 60 })).toThrow();
	expect(() => createMemoryLimiter({ requestsMax: 1, windowSeconds: 0 })).toThrow();
	expect(() => createMemoryLimiter({ requestsMax: 1, windowSeconds: 1, keysMax: 0 })).toThrow();
});

test("after the clock is set back a client waits for at most one window", () => {
	let nowMs = startMs;
	const limiter = createMemoryLimiter({
		requestsMax: 1,
		windowSeconds: 60,
		clock: { nowMs: () => nowMs },
	});
	limiter.takeNow("a");
	nowMs -= 3_600_000;
	expect(limiter.takeNow("a").allowed).toBe(true);
	expect(limiter.takeNow("a")).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
});
