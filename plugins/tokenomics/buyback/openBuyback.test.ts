import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { buybackConfig, refusals } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { openBuyback } from "#plugins/tokenomics/buyback/openBuyback.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The job's wiring, over a chain that is never asked. */
function open(given: {
	role?: Core["role"];
	isEnabled?: boolean;
	isReached?: boolean;
	config?: Record<string, number>;
}) {
	const { role = "all", isEnabled = true, isReached = true } = given;
	const chain = createChainRegistry(builtinChains).byId(4663) ?? null;
	const kinds: string[] = [];
	const wallets = {
		execution: { register: ({ name }: { name: string }) => kinds.push(name), held: async () => [] },
	} as unknown as Wallets;
	const home = chain && isReached ? { chain, rpcFor: () => ({}), headUrls: [] } : null;
	const ending = new AbortController();
	const clock = { nowMs: () => 0 };
	const metrics = createMetrics();
	const buyback = openBuyback({
		core: { role, db: database.db, clock, log: silentLog, metrics } as unknown as Core,
		config: z.object(buybackConfig).parse({ BUYBACK_ENABLED: isEnabled, ...given.config }),
		contracts: { home, homeChain: chain, addressesOf: async () => null } as unknown as Contracts,
		...{ wallets, prices: fakePrices(), ending: ending.signal },
	});
	return { ...buyback, kinds, stop: () => ending.abort() };
}

test("the job is due every ten minutes, and one process of the cluster runs it", () => {
	const { jobs, kinds } = open({});
	expect(jobs).toMatchObject([
		{ name: "tokenomics.buyback", schedule: { cron: "0 */10 * * * *" }, lock: "cluster" },
		// What pools offered is known to the process that read them.
		{ name: "tokenomics.buyback_pools", schedule: { everyMs: 10_000 }, lock: "process" },
	]);
	expect(kinds).toEqual(["buyback-release", "buyback"]);
});

test("a disabled buyback has no job, and its earlier runs can still be read", async () => {
	const { jobs, kinds, start, ended, status } = open({ isEnabled: false });
	start();
	await ended();
	expect([jobs, kinds.length]).toEqual([[], 2]);
	expect(await status()).toMatchObject({ isEnabled: false, code: "disabled", lookedAt: null });
});

test("a run that waits for its time ends when the service stops", async () => {
	const { start, ended, stop, status } = open({ role: "worker" });
	start();
	stop();
	await ended();
	expect(await status()).toMatchObject({ lookedAt: null, lastRun: null });
});

test.each([
	[{ BUYBACK_RUN_USD_MIN: 600 }, "BUYBACK_RUN_USD_MIN is 600, and BUYBACK_RUN_USD_MAX is 500"],
	[
		{ BUYBACK_RUN_USD_MIN: 200, BUYBACK_DAY_USD_MAX: 100 },
		"BUYBACK_RUN_USD_MIN is 200, and BUYBACK_DAY_USD_MAX is 100",
	],
])("limits that no run could meet are refused at boot, with a reason: %j", (config, words) => {
	expect(() => open({ config })).toThrow(words);
});

test("a buyback has no status if no chain of the token is configured", async () => {
	const { jobs, kinds, status } = open({ isReached: false });
	expect([jobs, kinds, await status()]).toEqual([[], [], null]);
});

test("every code of a run is in OPERATIONS.md, with what to do", () => {
	const page = readFileSync(join(import.meta.dir, "../OPERATIONS.md"), "utf8");
	const rows = page.split("\n").filter((line) => line.startsWith("| `"));
	const withoutRow = Object.keys(refusals).filter((code) => {
		const row = rows.find((line) => line.split("|")[1]?.includes(`\`${code}\``));
		return (row?.split("|")[2]?.trim().length ?? 0) < 10;
	});
	expect(withoutRow).toEqual([]);
});
