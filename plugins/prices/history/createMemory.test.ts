import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { feedKey, feedsOf, usdFeeds } from "#plugins/prices/feed.ts";
import { createRoundBook, learnedOf } from "#plugins/prices/history/createMemory.ts";
import type { Round } from "#plugins/prices/round.ts";

describe("createRoundBook", () => {
	const round = (id: number, updatedAtMs: number): Round => {
		return { id: BigInt(id), answer: BigInt(id * 10), updatedAtMs };
	};

	test("[MRG-05] the round at a time equals the one that a linear search finds", () => {
		const given = fc.uniqueArray(
			fc.record({ id: fc.integer({ min: 1, max: 1_000 }), at: fc.nat({ max: 200 }) }),
			{ selector: ({ id }) => id, maxLength: 60 },
		);
		fc.assert(
			fc.property(given, fc.integer({ min: -5, max: 210 }), fc.nat(60), (rounds, atMs, cut) => {
				const book = createRoundBook();
				const all = rounds.map(({ id, at }) => round(id, at));
				book.add("x", all.slice(cut));
				book.add("x", all.slice(0, cut));
				let newest: Round | null = null;
				for (const one of all) {
					if (one.updatedAtMs > atMs) continue;
					const isLater =
						!newest ||
						one.updatedAtMs > newest.updatedAtMs ||
						(one.updatedAtMs === newest.updatedAtMs && one.id > newest.id);
					if (isLater) newest = one;
				}
				expect(book.at("x", atMs)).toEqual(newest);
			}),
		);
	});

	test("a round that a fork replaced is the new one, and other feeds are not affected", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(2, 20)]);
		book.add("x", [{ ...round(2, 30), answer: 7n }]);
		expect(book.at("x", 25)?.id).toBe(1n);
		expect(book.at("x", 30)?.answer).toBe(7n);
		expect(book.at("y", 30)).toBeNull();
	});

	test("the price at a time between two rounds is unknown while rounds between them are missing", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(5, 50)]);
		book.setGaps(new Map([["x", new Set([1n])]]));
		expect(book.at("x", 10)).toBeNull();
		expect(book.at("x", 49)).toBeNull();
		expect(book.at("x", 50)?.id).toBe(5n);
		book.setGaps(new Map());
		expect(book.at("x", 49)?.id).toBe(1n);
	});

	test("a bounded number of rounds is kept, the newest ones", () => {
		const book = createRoundBook(2);
		book.add("x", [round(1, 10), round(2, 20), round(3, 30)]);
		expect(book.at("x", 15)).toBeNull();
		expect(book.at("x", 20)?.id).toBe(2n);
	});
});

describe("learnedOf", () => {
	test("what is learned of one token's price is learned of the same money on all chains", () => {
		const chains = createChainRegistry(builtinChains);
		const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
		const feed = { feed: `0x${"ab".repeat(20)}`, symbol: "USDC" };
		const config = usdFeeds.parse({ 1: { [usdc]: feed } });
		const { feeds } = feedsOf(config, { chains, reached: new Set([1]) });
		const learnedBy = (isEth: boolean) => {
			const [own] = feeds.filter((one) => one.isEth === isEth);
			if (!own) throw new Error("no feed");
			const spans = new Map([[feedKey(own), { fromMs: 1, toMs: 2 }]]);
			return learnedOf(feeds, spans, chains).map(({ priced }) => {
				return `${priced.chainId}:${priced.currency}`;
			});
		};
		expect(learnedBy(false)).toContain("8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
		expect(learnedBy(false)).not.toContain("137:0x7ceb23fd6bc0add59e62ac25578270cff1b9f619");
		// Ether's rate is in the price of every dollar.
		expect(learnedBy(true)).toContain("137:0x7ceb23fd6bc0add59e62ac25578270cff1b9f619");
		expect(learnedBy(true)).toContain("8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
	});
});
