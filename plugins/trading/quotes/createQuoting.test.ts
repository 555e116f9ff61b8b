import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tradeFault } from "#plugins/trading/faults.ts";
import { pickRoute } from "#plugins/trading/quotes/createQuoting.ts";
import {
	askSources,
	type Hop,
	type QuoteAsk,
	type QuoteSource,
	type SourceAnswer,
	type SourceRoute,
} from "#plugins/trading/quotes/QuoteSource.ts";

const HOP: Hop = {
	version: "v3",
	...{ pool: `0x${"d".repeat(40)}`, tokenIn: `0x${"1".repeat(40)}` },
	...{ tokenOut: `0x${"2".repeat(40)}`, fee: 500 },
};
const ASK: QuoteAsk = {
	...{ chainId: 4663, tokenIn: HOP.tokenIn, tokenOut: HOP.tokenOut },
	...{ isNativeIn: false, isNativeOut: false, exact: "in", amountRaw: 1_000n },
	taker: `0x${"a".repeat(40)}`,
};
const routeOf = (change: Partial<SourceRoute> = {}): SourceRoute => ({
	...{ hops: [HOP], inRaw: 1_000n, outRaw: 500n, blockNumber: 1n, impactBps: null },
	...{ requestId: null, detail: {} },
	...change,
});
const told = (source: string, change: Partial<SourceRoute> = {}): SourceAnswer => {
	return { kind: "route", source, askedAtMs: 5, route: routeOf(change) };
};
const silent = (source: string): SourceAnswer => {
	return { kind: "none", source, code: "router_unavailable", detail: "-", askedAtMs: 5 };
};

describe("the chosen route", () => {
	test("[TRD-05] it receives most for an exact input, and spends least for an exact output", () => {
		const answers = [
			told("a", { outRaw: 500n, inRaw: 70n }),
			told("b", { outRaw: 501n, inRaw: 71n }),
		];
		expect(pickRoute(answers, "in")).toMatchObject({ source: "b", askedAtMs: 5, missing: [] });
		expect(pickRoute(answers, "out")).toMatchObject({ source: "a" });
	});

	test("the chosen route can be executed, even if another promises more: the quotes then diverge", () => {
		const picked = pickRoute([told("a"), told("b", { outRaw: 1_000n, hops: null })], "in");
		expect(picked).toMatchObject({ source: "a", divergenceBps: 5_000 });
	});

	test("the other source's route is chosen if one is silent, and the silent one is named", () => {
		const picked = pickRoute([silent("a"), told("b")], "in");
		expect(picked).toMatchObject({ source: "b", missing: ["a"], divergenceBps: null });
		expect(pickRoute([silent("a"), silent("b")], "in")).toBeNull();
		expect(pickRoute([told("b", { hops: null })], "in")).toBeNull();
	});

	test("[TRD-05] the divergence is the distance between most and least, rounded up", () => {
		const by = (outRaw: bigint) =>
			pickRoute([told("a", { outRaw: 10_000n }), told("b", { outRaw })], "in");
		expect([10_000n, 9_999n, 9_900n, 1n].map((raw) => by(raw)?.divergenceBps)).toEqual([
			...[0, 1, 100, 9_999],
		]);
		fc.assert(
			fc.property(fc.bigInt(1n, 10n ** 30n), fc.bigInt(1n, 10n ** 30n), (one, other) => {
				const answers = [told("a", { outRaw: one }), told("b", { outRaw: other })];
				const picked = pickRoute(answers, "in");
				expect(picked?.route.outRaw).toBe(bigger(one, other));
				expect(picked?.divergenceBps).toBeLessThanOrEqual(10_000);
			}),
		);
	});
});

const bigger = (one: bigint, other: bigint) => [one, other].toSorted((a, b) => (a < b ? 1 : -1))[0];

describe("asking the sources", () => {
	const source = (name: string, ask: QuoteSource["ask"]): QuoteSource => ({ name, ask });
	const never = new AbortController().signal;

	test("[TRD-05] sources are called simultaneously, and returned in their order", async () => {
		const begun: string[] = [];
		const both = Promise.withResolvers<void>();
		const meets = (name: string) =>
			source(name, async () => {
				begun.push(name);
				if (begun.length === 2) both.resolve();
				await both.promise;
				return routeOf();
			});
		const answers = await askSources([meets("a"), meets("b")], {
			ask: ASK,
			nowMs: 7,
			signal: never,
			deadlineMs: 5_000,
		});
		expect(answers.map(({ source: name, askedAtMs }) => [name, askedAtMs])).toEqual([
			["a", 7],
			["b", 7],
		]);
	});

	test("the quotes do not wait for a source that hangs, nor fail for one that fails", async () => {
		const answers = await askSources(
			[
				source("hangs", () => Promise.withResolvers<SourceRoute>().promise),
				source("good", async () => routeOf()),
			],
			{ ask: ASK, nowMs: 7, signal: never, deadlineMs: 20 },
		);
		expect(answers).toMatchObject([{ kind: "none", code: "source_timeout" }, { kind: "route" }]);
		const failing = source("fails", async () => {
			throw tradeFault.routerBusy();
		});
		const told = await askSources([failing], {
			ask: ASK,
			nowMs: 7,
			signal: never,
			deadlineMs: 5_000,
		});
		expect(told).toMatchObject([{ kind: "none", code: "router_busy" }]);
	});

	test("asking stops when the caller gives up; our own error does not count as a silent source", async () => {
		const ended = new AbortController();
		const hangs = source("hangs", () => Promise.withResolvers<SourceRoute>().promise);
		const asked = askSources([hangs], {
			ask: ASK,
			nowMs: 7,
			signal: ended.signal,
			deadlineMs: 5_000,
		});
		ended.abort();
		expect(asked).rejects.toThrow();
		const broken = source("broken", async () => {
			throw new TypeError("ours");
		});
		expect(
			askSources([broken], { ask: ASK, nowMs: 7, signal: never, deadlineMs: 5_000 }),
		).rejects.toThrow("ours");
	});
});
