import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { HOUR_MS } from "#core/time.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a process whose clock is an hour ahead claims no turn that other processes would then
// wait for.

let service: TestService;
beforeAll(async () => {
	service = await startTestService({
		scanFrom: null,
		clock: { nowMs: () => Date.now() + HOUR_MS },
		env: {
			PLUGINS_DISABLED:
				"chain-scanner,looksrare,market-index,nft-buys,provider,prices,reveal-snipe,streams",
			PLUGINS: join(import.meta.dir, "../kills/pricesStandIn.ts"),
			STAND_IN_COIN: `0x${"c0".repeat(20)}`,
		},
	});
});
afterAll(() => service?.stop());

test("the jobs that move money run by the database's time", async () => {
	const { db } = service.core;
	const ticks = () =>
		db.query<{ isAhead: boolean }>(
			`select tick_at > clock_timestamp() as "isAhead" from core.schedule_tick
			where name in ('wallets.reconcile', 'wallets.take-up')`,
		);
	await until(async () => (await ticks()).length > 0, "a job was claimed");
	expect((await ticks()).filter(({ isAhead }) => isAhead)).toEqual([]);
});
