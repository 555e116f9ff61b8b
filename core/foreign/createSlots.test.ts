import { expect, test } from "bun:test";
import fc from "fast-check";
import { createSlots } from "#core/foreign/createSlots.ts";

const never = new AbortController().signal;
const of = (key: string, max: number) => [{ key, max }];

test("so many in all and so many for a key; who waits behind a busy key lets others pass", async () => {
	const slots = createSlots({ placesMax: 3, waitingMax: 9 });
	const order: string[] = [];
	const take = async (key: string) => {
		const release = await slots.take(of(key, 2), never);
		order.push(key);
		return release;
	};
	const [first] = [await take("a"), await take("a")];
	const third = take("a");
	const other = await take("b");
	const fourth = take("b");
	expect(order).toEqual(["a", "a", "b"]);
	first?.();
	(await third)();
	(await fourth)();
	other();
	expect(order).toEqual(["a", "a", "b", "a", "b"]);
});

test("a place counts in every share, and none that is full is passed", async () => {
	const slots = createSlots({ placesMax: 9, waitingMax: 9 });
	const host = (name: string) => [...of(name, 2), ...of("site", 3), ...of("strangers", 4)];
	const first = await slots.take(host("a"), never);
	await slots.take(host("a"), never);
	await slots.take(host("b"), never);
	const sameSite = slots.take(host("c"), never);
	await slots.take(of("strangers", 4), never);
	await slots.take(of("own", 1), never);
	let isIn = false;
	sameSite.then(() => {
		isIn = true;
	});
	await Promise.resolve();
	expect(isIn).toBe(false);
	first();
	await sameSite;
});

test("giving a place back twice frees one place", async () => {
	const slots = createSlots({ placesMax: 1, waitingMax: 9 });
	const release = await slots.take(of("a", 1), never);
	release();
	release();
	await slots.take(of("a", 1), never);
	const late = new AbortController();
	const waiting = slots.take(of("a", 1), late.signal);
	late.abort();
	await expect(waiting).rejects.toThrow("foreign_unreachable");
});

test("a queue that is full turns away, and who gives up leaves it", async () => {
	const slots = createSlots({ placesMax: 1, waitingMax: 1 });
	const release = await slots.take(of("a", 1), never);
	const late = new AbortController();
	const waiting = slots.take(of("b", 1), late.signal);
	await expect(slots.take(of("c", 1), never)).rejects.toThrow("too many");
	late.abort();
	await expect(waiting).rejects.toThrow("in time");
	const next = slots.take(of("c", 1), never);
	release();
	(await next)();
	await expect(slots.take(of("a", 1), AbortSignal.abort())).rejects.toThrow("in time");
});

test("whatever the order of taking and giving back, no limit is passed and nobody starves", async () => {
	const steps = fc.array(fc.constantFrom("a", "b", "c", "release"), { maxLength: 60 });
	await fc.assert(
		fc.asyncProperty(steps, async (keys) => {
			const slots = createSlots({ placesMax: 4, waitingMax: 100 });
			const held: { key: string; release: () => void }[] = [];
			let asked = 0;
			let admitted = 0;
			for (const key of keys) {
				if (key === "release") held.shift()?.release();
				else {
					asked++;
					slots.take(of(key, 2), never).then((release) => {
						admitted++;
						held.push({ key, release });
					});
				}
				await Promise.resolve();
				expect(held.length).toBeLessThanOrEqual(4);
				for (const name of ["a", "b", "c"]) {
					expect(held.filter((one) => one.key === name).length).toBeLessThanOrEqual(2);
				}
			}
			for (let turn = 0; turn < 200 && admitted < asked; turn++) {
				held.shift()?.release();
				await Promise.resolve();
			}
			expect(admitted).toBe(asked);
		}),
	);
});
