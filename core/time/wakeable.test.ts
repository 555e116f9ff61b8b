import { expect, test } from "bun:test";
import { wakeable } from "#core/time/wakeable.ts";

const LONG_MS = 3_600_000;
const never = new AbortController().signal;
const isOver = (wait: Promise<void>) =>
	Promise.race([wait.then(() => true), new Promise((done) => setImmediate(() => done(false)))]);

test("a ring wakes who waits", async () => {
	const bell = wakeable();
	const wait = bell.wait(LONG_MS, never);
	expect(await isOver(wait)).toBe(false);
	bell.ring();
	expect(await isOver(wait)).toBe(true);
});

test("rings while nobody waits are kept as one", async () => {
	const bell = wakeable();
	bell.ring();
	bell.ring();
	await bell.wait(LONG_MS, never);
	const second = bell.wait(LONG_MS, never);
	expect(await isOver(second)).toBe(false);
	bell.ring();
	await second;
});

test("a ring that woke somebody is used up", async () => {
	const bell = wakeable();
	const wait = bell.wait(LONG_MS, never);
	bell.ring();
	await wait;
	const next = bell.wait(LONG_MS, never);
	expect(await isOver(next)).toBe(false);
	bell.ring();
	await next;
});

test("time and the signal end a wait", async () => {
	const bell = wakeable();
	await bell.wait(1, never);
	const stopping = new AbortController();
	const wait = bell.wait(LONG_MS, stopping.signal);
	stopping.abort();
	await wait;
	await bell.wait(LONG_MS, stopping.signal);
});

test("a second waiter is a mistake and not a wait that nobody ends", async () => {
	const bell = wakeable();
	const first = bell.wait(LONG_MS, never);
	expect(await bell.wait(LONG_MS, never).catch((error) => error.message)).toBe(
		"a bell wakes one waiter",
	);
	bell.ring();
	await first;
});
