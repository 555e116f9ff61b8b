import { describe, expect, test } from "bun:test";
import {
	PROVIDER_EVERY_MS,
	TOKENS_MAX,
	TRAITS_EVERY_MS,
} from "#plugins/market-index/tokens/model.ts";
import { traitsDelayMs, wantsProvider } from "#plugins/market-index/tokens/tokenJobs.ts";

describe("traitsDelayMs", () => {
	const NOW_MS = 1_800_000_000_000;

	test("[IDX-07] traits are first counted at once, and next 15 minutes after that", () => {
		expect(traitsDelayMs({ traitsAt: null }, "done", NOW_MS)).toBe(0);
		const justNow = { traitsAt: new Date(NOW_MS - 1_000) };
		expect(traitsDelayMs(justNow, "done", NOW_MS)).toBe(TRAITS_EVERY_MS - 1_000);
		const longAgo = { traitsAt: new Date(NOW_MS - TRAITS_EVERY_MS - 1) };
		expect(traitsDelayMs(longAgo, "unreachable", NOW_MS)).toBe(0);
	});

	test("[IDX-07] a collection that is read in part is not counted before its time", () => {
		expect(traitsDelayMs({ traitsAt: null }, "late", NOW_MS)).toBe(TRAITS_EVERY_MS);
	});
});

describe("wantsProvider", () => {
	const NOW_MS = 1_800_000_000_000;
	const whole = { providerSlug: "cats", nftsAt: null, unheard: 0, tokens: 10, supply: "10" };
	const wants = (given: Partial<Parameters<typeof wantsProvider>[1]>, isOn = true) =>
		wantsProvider({ isOn }, { ...whole, ...given }, NOW_MS);

	test("a collection whose tokens were all read needs no provider", () => {
		expect(wants({})).toBe(false);
		expect(wants({ supply: null })).toBe(false);
	});

	test("tokens that could not be read, and unknown tokens, are requested from the provider", () => {
		expect(wants({ unheard: 1 })).toBe(true);
		expect(wants({ supply: "20" })).toBe(true);
		expect(wants({ tokens: TOKENS_MAX, supply: "1000000" })).toBe(false);
	});

	test("the provider is not asked while it is disabled, without a slug, or shortly after the last time", () => {
		expect(wants({ unheard: 1 }, false)).toBe(false);
		expect(wants({ unheard: 1, providerSlug: null })).toBe(false);
		expect(wants({ unheard: 1, nftsAt: new Date(NOW_MS - PROVIDER_EVERY_MS + 1) })).toBe(false);
		expect(wants({ unheard: 1, nftsAt: new Date(NOW_MS - PROVIDER_EVERY_MS) })).toBe(true);
	});
});
