import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { silentLog } from "#core/log.ts";
import {
	createFoundMemory,
	createProviderSearch,
	interleave,
} from "#plugins/market-index/discovery/createListSource.ts";
import { FOUND_EVERY_MS } from "#plugins/market-index/discovery/providerLists.ts";
import type { ProviderSearchHit } from "#plugins/provider/contract.ts";
import { createFakeProvider, type FakeProvider } from "#test/harness/fakes.ts";

describe("createListSource", () => {
	test("interleaving keeps every item once, and the order of each list", () => {
		expect(interleave([[1, 2, 3], [], [4]])).toEqual([1, 4, 2, 3]);
		fc.assert(
			fc.property(fc.array(fc.array(fc.nat())), (lists) => {
				const tagged = lists.map((list, of) => list.map((_, place) => ({ of, place })));
				const mixed = interleave(tagged);
				expect(mixed).toHaveLength(lists.flat().length);
				const places = mixed.map(({ place }) => place);
				expect(places).toEqual([...places].sort((a, b) => a - b));
			}),
		);
	});
});

describe("providerSearch", () => {
	describe("createFoundMemory", () => {
		function open() {
			const time = { nowMs: 1_000_000 };
			const told: number[][] = [];
			const state = { isDown: false };
			const found = createFoundMemory({ nowMs: () => time.nowMs }, async (ids) => {
				if (state.isDown) throw new Error("away");
				told.push([...ids]);
			});
			return { time, told, state, found };
		}

		test("a collection that many searches return is queued once in a while", async () => {
			const { time, told, found } = open();
			await found([1, 2]);
			await found([2, 3]);
			await found([1, 2, 3]);
			await found([]);
			expect(told).toEqual([[1, 2], [3]]);
			time.nowMs += FOUND_EVERY_MS - 1;
			await found([1]);
			expect(told).toHaveLength(2);
			time.nowMs += 1;
			await found([1]);
			expect(told.at(-1)).toEqual([1]);
			time.nowMs -= 3_600_000;
			await found([1]);
			expect(told).toHaveLength(4);
		});

		test("a collection whose queueing failed is queued again", async () => {
			const { told, state, found } = open();
			state.isDown = true;
			await expect(found([1])).rejects.toThrow("away");
			state.isDown = false;
			await found([1]);
			expect(told).toEqual([[1]]);
		});
	});

	describe("createProviderSearch", () => {
		let fake: FakeProvider;
		let time: { nowMs: number };
		beforeEach(() => {
			fake = createFakeProvider();
			time = { nowMs: 1_000_000 };
		});

		const open = (timeoutMs = 30_000) =>
			createProviderSearch({
				provider: fake.provider,
				clock: { nowMs: () => time.nowMs },
				log: silentLog,
				timeoutMs,
			});
		const hit = (slug: string, isDisabled = false): ProviderSearchHit => {
			return { slug, name: slug, imageUrl: null, isDisabled };
		};
		const asked = () => fake.callsOf("search").length;

		test("simultaneous identical searches share an answer, which is kept for 30 s", async () => {
			const search = open();
			let answer = (_: ProviderSearchHit[]) => {};
			fake.answers.search = () => new Promise((resolve) => (answer = resolve));
			const crowd = ["Tidal Cats", " tidal  cats ", "TIDAL CATS"].map((text) => search(text, 1));
			expect(asked()).toBe(1);
			answer([hit("cats"), hit("gone", true)]);
			for (const hits of await Promise.all(crowd)) expect(hits).toEqual([hit("cats")]);
			time.nowMs += 29_999;
			expect(await search("tidal cats", 1)).toEqual([hit("cats")]);
			expect(asked()).toBe(1);
			time.nowMs += 1;
			fake.answers.search = async () => [];
			expect(await search("tidal cats", 1)).toEqual([]);
			expect(asked()).toBe(2);
		});

		test("other words and other chains are separate searches", async () => {
			const search = open();
			await search("cats", 1);
			await search("cats", undefined);
			await search("dogs", 1);
			expect(
				fake.callsOf("search").map(({ args, options, purpose }) => [args, options, purpose]),
			).toEqual([
				[["cats"], { purpose: "search", limit: 50, chainId: 1 }, "search"],
				[["cats"], { purpose: "search", limit: 50 }, "search"],
				[["dogs"], { purpose: "search", limit: 50, chainId: 1 }, "search"],
			]);
		});

		test("no search is sent during the pause after a refusal, for 30 s at most", async () => {
			const search = open();
			for (const [toldMs, heldMs] of [
				[4_000, 4_000],
				[60_000, 30_000],
			] as const) {
				fake.fail("search", fake.faults.rateLimited(toldMs));
				const before = asked();
				expect(await search("refused", 1)).toEqual([]);
				fake.fail("search", null);
				for (let turn = 0; turn < 20; turn++) expect(await search(`word ${turn}`, 1)).toEqual([]);
				time.nowMs += heldMs - 1;
				await search("too soon", 1);
				expect(asked()).toBe(before + 1);
				time.nowMs += 1;
				await search(`after ${toldMs}`, 1);
				expect(asked()).toBe(before + 2);
			}
		});

		test("a clock that is set back keeps neither an answer nor a refusal forever", async () => {
			const search = open();
			await search("cats", 1);
			time.nowMs -= 3_600_000;
			await search("cats", 1);
			expect(asked()).toBe(2);
			fake.fail("search", fake.faults.rateLimited(5_000));
			await search("dogs", 1);
			fake.fail("search", null);
			time.nowMs -= 3_600_000;
			await search("dogs", 1);
			expect(asked()).toBe(4);
		});

		test("a search that waits too long is answered without the provider, and its result is kept for the next", async () => {
			const search = open(1);
			let answer = (_: ProviderSearchHit[]) => {};
			const slow = new Promise<ProviderSearchHit[]>((resolve) => (answer = resolve));
			fake.answers.search = () => slow;
			expect(await search("cats", 1)).toEqual([]);
			answer([hit("cats")]);
			await slow;
			expect(await search("cats", 1)).toEqual([hit("cats")]);
			expect(asked()).toBe(1);
		});

		test("without the answer of a failing provider only its hits are missing, and a disabled one is not asked", async () => {
			const search = open();
			for (const fault of [fake.faults.unavailable(), fake.faults.unreadable(), new Error("odd")]) {
				fake.fail("search", fault);
				expect(await search("cats", 1)).toEqual([]);
			}
			fake = createFakeProvider({ isOn: false });
			expect(await open()("cats", 1)).toEqual([]);
			expect(asked()).toBe(0);
		});

		test("a bounded number of answers is kept, and the oldest are dropped first", async () => {
			const search = open();
			for (let word = 0; word <= 500; word++) await search(`word ${word}`, 1);
			expect(asked()).toBe(501);
			await search("word 500", 1);
			expect(asked()).toBe(501);
			await search("word 0", 1);
			expect(asked()).toBe(502);
		});
	});
});
