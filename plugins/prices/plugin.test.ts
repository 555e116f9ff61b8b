import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { HOUR_MS } from "#core/time.ts";
import type { Round } from "#plugins/prices/round.ts";
import { roundWords } from "#plugins/prices/testing/feedNode.ts";
import {
	COIN,
	COIN_FEED,
	coin,
	createPriceLab,
	ETH_FEED,
	START_MS,
} from "#plugins/prices/testing/priceLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createPriceLab>;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	lab = createPriceLab(database.db);
	await lab.clear();
	lab.node.tokens.set(COIN, 6);
});

const inPhase = (phase: number, number: number) => (BigInt(phase) << 64n) | BigInt(number);
const usd = (id: bigint, price: number, updatedAtMs: number): Round => {
	return { id, answer: BigInt(Math.round(price * 1e8)), updatedAtMs };
};
/** Returns one round an hour, the last one now; the price is the round's number. */
const hourly = (phase: number, count: number, lastMs = START_MS): Round[] =>
	Array.from({ length: count }, (_, index) => {
		const at = lastMs - (count - 1 - index) * HOUR_MS;
		return usd(inPhase(phase, index + 1), index + 1, at);
	});

describe("the newest round", () => {
	test("[MRG-05] the newest round is read with its decimals, and prices ETH and tokens from memory", async () => {
		lab.node.publish(ETH_FEED, [usd(inPhase(1, 1), 2_500, START_MS)]);
		lab.node.publish(COIN_FEED, [usd(inPhase(1, 1), 0.5, START_MS)]);
		const { prices, run } = await lab.open();
		expect(prices.ethUsd(START_MS)).toBeNull();
		await run("poll");
		const asked = lab.node.asked.length;
		expect(prices.ethUsd(START_MS)).toBe(2_500);
		expect(prices.toNative(coin, 5_000_000_000n, START_MS)).toBe(10n ** 18n);
		expect(prices.nativeOfSymbol(8_453, "USDX", 5_000, START_MS)).toBe(10n ** 18n);
		expect(prices.hasFeed(coin)).toBe(true);
		expect(prices.hasFeed({ chainId: 8_453, currency: ETH_FEED })).toBe(false);
		expect(lab.node.asked.length).toBe(asked);
	});

	test("a round is valid for two heartbeats, to the millisecond, and not before its time", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		const { prices, run } = await lab.open();
		await run("poll");
		expect(prices.ethUsd(START_MS - 1)).toBeNull();
		expect(prices.ethUsd(START_MS + 2 * HOUR_MS)).toBe(2_500);
		expect(prices.ethUsd(START_MS + 2 * HOUR_MS + 1)).toBeNull();
	});

	test("[MRG-02] an impossible round is counted, and the known price is kept", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		const { prices, run } = await lab.open();
		await run("poll");
		for (const bad of [
			usd(2n, 0, START_MS),
			usd(3n, -1, START_MS),
			usd(4n, 1, START_MS + HOUR_MS),
		]) {
			lab.node.publish(ETH_FEED, [bad]);
			await run("poll");
			expect(prices.ethUsd(START_MS + 1)).toBe(2_500);
		}
		expect(await lab.counted("not_positive")).toBe(2);
		expect(await lab.counted("in_future")).toBe(1);
	});

	test("a round of a feed with impossible decimals is unknown and counted", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)], 37);
		const { prices, run } = await lab.open();
		await run("poll");
		expect(prices.ethUsd(START_MS)).toBeNull();
		expect(await lab.counted("decimals")).toBeGreaterThan(0);
	});

	test("an older round of a lagging endpoint does not replace a newer one", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 1, START_MS - 2), usd(2n, 2, START_MS)]);
		const { prices, run, learned } = await lab.open();
		await run("poll");
		learned.length = 0;
		lab.node.publish(ETH_FEED, [usd(1n, 1, START_MS - 2)]);
		await run("poll");
		expect(prices.ethUsd(START_MS)).toBe(2);
		expect(learned).toEqual([]);
	});
});

describe("history", () => {
	test("the history is read backward through phases, holes and zeros, to a price for every hour", async () => {
		const first = hourly(1, 150, START_MS - 250 * HOUR_MS);
		const second = hourly(2, 250).map((round) => ({ ...round, answer: round.answer + 7n }));
		const holes = new Set([second[100]?.id, second[101]?.id]);
		const rounds = second.filter(({ id }) => !holes.has(id));
		for (const round of rounds) if (round.id === second[50]?.id) round.answer = 0n;
		lab.node.publish(ETH_FEED, [...first, ...rounds]);
		const { prices, run } = await lab.open();
		await run("poll");
		await run("history", 10);
		for (const round of [...first, ...rounds]) {
			if (round.answer === 0n) continue;
			expect(prices.ethUsd(round.updatedAtMs)).toBe(Number(round.answer) / 1e8);
		}
		const bridged = second[50]?.updatedAtMs ?? 0;
		expect(prices.ethUsd(bridged)).toBe(Number(second[49]?.answer) / 1e8);
		const oldest = first[0]?.updatedAtMs ?? 0;
		expect(prices.ethUsd(oldest - 1)).toBeNull();
		const asked = lab.node.asked.length;
		await run("history", 3);
		expect(lab.node.asked.length).toBe(asked);
	});

	test("reading the history continues where another process ended, at most 100 rounds at a time", async () => {
		lab.node.publish(ETH_FEED, hourly(1, 350));
		const first = await lab.open();
		await first.run("poll");
		const before = lab.node.asked.length;
		await first.run("history");
		expect(lab.node.asked.length - before).toBe(100);
		const second = await lab.open();
		await second.start();
		await second.run("history", 5);
		expect(second.prices.ethUsd(START_MS - 349 * HOUR_MS)).toBe(1);
		const rounds = lab.node.asked.filter(({ params }) =>
			JSON.stringify(params).includes("9a6fc8f5"),
		);
		expect(new Set(rounds.map(({ params }) => JSON.stringify(params))).size).toBe(rounds.length);
	});

	test("the history ends after 90 days", async () => {
		lab.node.publish(ETH_FEED, hourly(1, 3_000));
		const { prices, run } = await lab.open();
		await run("poll");
		await run("history", 40);
		expect(prices.ethUsd(START_MS - 89 * 24 * HOUR_MS)).not.toBeNull();
		expect(prices.ethUsd(START_MS - 91 * 24 * HOUR_MS)).toBeNull();
		expect(lab.node.asked.length).toBeLessThan(2_300);
	});

	test("a round that a node refused is requested once more, so that no gap remains", async () => {
		lab.node.publish(ETH_FEED, hourly(1, 60));
		const { prices, run } = await lab.open();
		await run("poll");
		lab.node.faults.refusesNext = 20;
		await run("history", 2);
		for (let hour = 0; hour < 60; hour++) {
			expect(prices.ethUsd(START_MS - hour * HOUR_MS)).toBe(60 - hour);
		}
	});

	test("[MRG-02] prices of a time without polling are unknown until its rounds are read", async () => {
		const rounds = hourly(1, 40, START_MS + 5 * HOUR_MS);
		lab.node.publish(ETH_FEED, rounds.slice(0, 35));
		const { prices, run } = await lab.open();
		await run("poll");
		await run("history", 3);
		lab.setNow(START_MS + 5 * HOUR_MS);
		lab.node.publish(ETH_FEED, rounds);
		await run("poll");
		expect(prices.ethUsd(START_MS + 10)).toBeNull();
		expect(prices.ethUsd(START_MS + 5 * HOUR_MS)).toBe(40);
		await run("history", 2);
		expect(prices.ethUsd(START_MS + 10)).toBe(35);
		expect(prices.ethUsd(START_MS + 2 * HOUR_MS)).toBe(37);
	});

	test("reading the history waits while the node is silent, logs that once, and continues", async () => {
		lab.node.publish(ETH_FEED, hourly(1, 50));
		const { prices, run } = await lab.open();
		await run("poll");
		lab.node.faults.isDown = true;
		await run("poll", 3);
		await run("history", 3);
		expect(lab.warnings).toEqual(["price feeds cannot be read", "history of prices waits"]);
		expect(prices.ethUsd(START_MS)).toBe(50);
		lab.node.faults.isDown = false;
		await run("history", 2);
		expect(prices.ethUsd(START_MS - 49 * HOUR_MS)).toBe(1);
	});

	test("an answer with another round than the requested one is refused", async () => {
		lab.node.publish(ETH_FEED, hourly(1, 3));
		const { prices, run } = await lab.open();
		await run("poll");
		const newest = lab.node.asked.length;
		expect(newest).toBeGreaterThan(0);
		const other = roundWords(usd(inPhase(1, 9), 9, START_MS - 2 * HOUR_MS));
		lab.node.faults.answers.set(`${ETH_FEED}:0x9a6fc8f5`, other ?? "");
		await run("history", 3);
		expect(prices.ethUsd(START_MS - 2 * HOUR_MS)).toBeNull();
		expect(await lab.counted("malformed")).toBe(2);
	});
});

describe("newly learned prices", () => {
	test("a learned price is reported with its time span, and again once all processes have it", async () => {
		lab.node.publish(COIN_FEED, [usd(1n, 1, START_MS)]);
		const { learned, run } = await lab.open();
		await run("poll");
		learned.length = 0;
		lab.setNow(START_MS + 10);
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		await run("poll");
		const told = learned.filter(({ priced }) => priced.currency === COIN);
		expect(told.length).toBeGreaterThan(0);
		for (const { fromMs, toMs } of told) {
			expect(fromMs <= START_MS && toMs === START_MS + 10).toBe(true);
		}
		learned.length = 0;
		await run("retell");
		expect(learned).toEqual([]);
		lab.setNow(START_MS + 60_000);
		await run("retell", 2);
		expect(learned.filter(({ priced }) => priced.currency === COIN)).toHaveLength(1);
	});

	test("a learned price is in its own process's memory at once, and in others after their next read", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		const writer = await lab.open();
		const seen: (number | null)[] = [];
		writer.prices.onLearned(async () => void seen.push(writer.prices.ethUsd(START_MS)));
		await writer.run("poll");
		expect(seen.length).toBeGreaterThan(0);
		expect(new Set(seen)).toEqual(new Set([2_500]));
		lab.node.faults.isDown = true;
		const reader = await lab.open();
		await reader.start();
		expect(reader.prices.ethUsd(START_MS)).toBe(2_500);
	});

	test("a start reports all prices again, because a process that crashed may not have reported them", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		await (await lab.open()).run("poll");
		const second = await lab.open();
		await second.start();
		const spans = second.learned.filter(({ priced }) => priced.currency === ZERO_ADDRESS);
		expect(spans.some(({ fromMs }) => fromMs < START_MS - 80 * 24 * HOUR_MS)).toBe(true);
	});

	test("a listener that fails does not affect the next one", async () => {
		lab.node.publish(ETH_FEED, [usd(1n, 2_500, START_MS)]);
		const { prices, run } = await lab.open();
		let told = 0;
		prices.onLearned(async () => {
			throw new Error("its own");
		});
		prices.onLearned(async () => void told++);
		await run("poll");
		expect(told).toBeGreaterThan(0);
	});
});
