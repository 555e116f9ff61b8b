import { describe, expect, test } from "bun:test";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { nothingCollected } from "#core/plugin/testing/nothingCollected.ts";
import type { Provider } from "#plugins/provider/contract.ts";
import { providerPlugin } from "#plugins/provider/plugin.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

const request = { purpose: "request" } as const;

async function setUp(environment: Record<string, unknown>): Promise<Provider> {
	const core = {
		role: "all",
		clock: systemClock,
		log: silentLog,
		metrics: createMetrics(),
		budget: inProcessBudget({ clock: systemClock }),
		chains: createChainRegistry(builtinChains),
	} as unknown as Core;
	const config = providerPlugin.config.parse(environment);
	const parts = await providerPlugin.setup({
		config,
		core,
		needs: {},
		contributions: () => [],
		collected: nothingCollected,
	});
	if (!parts.service) throw new Error("no service");
	return parts.service;
}

const METHODS = Object.keys(createFakeProvider().answers) as (keyof ReturnType<
	typeof createFakeProvider
>["answers"])[];

describe("provider plugin", () => {
	test("a provider without URL and key is off, and every call fails with a fault that says so", async () => {
		const provider = await setUp({ PROVIDER_STREAM_ENABLED: true });
		expect(provider).toMatchObject({ id: "opensea", isOn: false });
		expect(provider.isConnected()).toBeNull();
		expect(provider.stream.state()).toBe("off");
		for (const method of METHODS) {
			const call = provider[method] as (...args: unknown[]) => Promise<unknown>;
			await expect(call("x", request, request)).rejects.toMatchObject({ code: "provider_off" });
		}
	});

	test("a URL or a key enables the provider, and neither sends a call at the start", async () => {
		for (const environment of [
			{ PROVIDER_BASE_URL: "http://127.0.0.1:1" },
			{ PROVIDER_API_KEY: "k" },
		]) {
			const provider = await setUp(environment);
			expect(provider.isOn).toBe(true);
			expect(provider.isConnected()).toBeNull();
			for (const method of METHODS) expect(provider[method]).toBeFunction();
		}
	});

	test("[MRG-13] the stream is off unless it is enabled and has a URL", async () => {
		const base = { PROVIDER_BASE_URL: "http://127.0.0.1:1", PROVIDER_API_KEY: "k" };
		const url = { PROVIDER_STREAM_URL: "ws://127.0.0.1:1" };
		const silent = async (environment: object) => {
			const { stream } = await setUp({ ...environment });
			return stream === (await setUp({})).stream;
		};
		expect(await silent({ ...base, ...url })).toBe(true);
		// A key for another host is not sent to the provider's own stream.
		expect(await silent({ ...base, PROVIDER_STREAM_ENABLED: true })).toBe(true);
		expect(await silent({ ...base, ...url, PROVIDER_STREAM_ENABLED: true })).toBe(false);
		expect(await silent({ PROVIDER_API_KEY: "k", PROVIDER_STREAM_ENABLED: true })).toBe(false);
	});

	test("a key that is no valid header value is refused before anything starts", () => {
		for (const key of ["", "a b", "a\nb", "ключ"]) {
			expect(providerPlugin.config.safeParse({ PROVIDER_API_KEY: key }).success).toBe(false);
		}
	});
});

describe("the fake for other plugins' tests", () => {
	test("the fake provider answers, fails and records its calls as a test asks", async () => {
		const fake = createFakeProvider();
		const { provider } = fake;
		expect(await provider.stats("cats", { purpose: "background" })).toBeNull();
		expect(await provider.top(request)).toEqual({ items: [], cursor: null });
		fake.answers.slugOf = async () => "cats";
		expect(await provider.slugOf({ chainId: 1, address: "0x1" }, request)).toBe("cats");
		fake.fail("stats", fake.faults.rateLimited(5));
		await expect(provider.stats("cats", request)).rejects.toMatchObject({
			code: "rate_limited",
			members: { provider: "opensea", retryAfterMs: 5 },
		});
		fake.fail("stats", null);
		expect(await provider.stats("cats", request)).toBeNull();
		expect(fake.callsOf("stats").map(({ args, purpose }) => [args, purpose])).toEqual([
			[["cats"], "background"],
			[["cats"], "request"],
			[["cats"], "request"],
		]);
	});

	test("the fake provider emits pushes and gaps, and lists the followed collections", async () => {
		const fake = createFakeProvider();
		const heard: unknown[] = [];
		fake.provider.stream.onPushes(async ([push]) => void heard.push(push?.type ?? ""));
		fake.provider.stream.onGap(async (gap) => void heard.push(gap.sinceMs));
		fake.provider.stream.follow(["cats"]);
		const gone = { type: "order_gone", slug: "cats", chainId: 1, orderHash: "0x1" } as const;
		await fake.stream.push(gone);
		await fake.stream.gap({ slugs: ["cats"], sinceMs: 7 });
		expect(heard).toEqual(["order_gone", 7]);
		expect(fake.stream.followed).toEqual(["cats"]);
	});
});
