import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { DAY_MS } from "#core/time/units.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { createRetention } from "#plugins/market-index/retention/createRetention.ts";
import { NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

const core = (): Parameters<typeof createRetention>[0] => ({
	db: {} as never,
	clock: { nowMs: () => NOW_MS },
	log: silentLog,
});

test("without the setting everything is kept, and nothing looks for what to drop", () => {
	const retention = createRetention(core(), undefined);
	expect(retention.jobs).toEqual([]);
	expect(retention.keptFromMs()).toBe(Number.NEGATIVE_INFINITY);
});

test("with it one process of the cluster cleans up once a day", () => {
	const retention = createRetention(core(), 35);
	expect(retention.keptFromMs()).toBe(NOW_MS - 35 * DAY_MS);
	const [job] = retention.jobs;
	expect(job?.lock).toBe("cluster");
	expect(job?.schedule).toEqual({ cron: "17 4 * * *" });
});

test("fewer days than a route's longest range needs are refused", () => {
	const read = (days: unknown) =>
		marketIndexPlugin.config.safeParse({ NFT_EVENT_RETENTION_DAYS: days }).success;
	expect(read(undefined)).toBe(true);
	expect(read(35)).toBe(true);
	expect(read(34)).toBe(false);
	expect(read(4_001)).toBe(false);
});
