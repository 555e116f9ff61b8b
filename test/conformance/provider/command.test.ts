import { afterAll, beforeAll, expect, test } from "bun:test";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { runConformance } from "#plugins/provider/conformanceCommand.ts";
import { createProvider, offStream } from "#plugins/provider/createProvider.ts";
import { type Provider, startProvider } from "#test/conformance/provider/emulator/startProvider.ts";
import { makeWorld } from "#test/conformance/provider/world/makeWorld.ts";

// Guarantee: an operator can try a marketplace before a service uses it, and a provider that keeps
// its published document breaks no case.

const NOW_MS = Date.UTC(2026, 10, 1, 12);
let marketplace: Provider;
beforeAll(() => {
	const world = makeWorld({ seed: 3, nowMs: NOW_MS, minor: 120 });
	marketplace = startProvider({ world, nowMs: () => NOW_MS, perMinute: 100_000 });
});
afterAll(() => marketplace?.stop());

test("a marketplace that was written from the published document breaks no case", async () => {
	const time = { nowMs: NOW_MS };
	const clock = { nowMs: () => time.nowMs };
	const core = {
		clock,
		log: silentLog,
		metrics: createMetrics(),
		budget: inProcessBudget({ clock }),
		chains: createChainRegistry(builtinChains),
	};
	const wait = async (ms: number) => {
		time.nowMs += ms;
	};
	const provider = createProvider({ core, baseUrl: marketplace.url, stream: offStream, wait });
	const asked = { purpose: "background" as const, signal: new AbortController().signal };
	const ends: string[] = [];
	for await (const { id, ...end } of runConformance({ provider, slug: "copper-lanterns", asked })) {
		ends.push(end.kind === "held" ? "held" : `${id} ${end.kind}: ${end.why}`);
	}
	expect(ends.filter((end) => end.includes("broken"))).toEqual([]);
	expect(ends.filter((end) => end === "held").length).toBeGreaterThan(9);
});
