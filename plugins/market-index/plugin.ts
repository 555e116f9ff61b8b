import { join } from "node:path";
import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { ScannerKey } from "#plugins/chain-scanner/contract.ts";
import { createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { marketSink } from "#plugins/market-index/apply/marketSink.ts";
import { MarketIndexKey } from "#plugins/market-index/contract.ts";
import { collectionMetadataTask } from "#plugins/market-index/jobs/collectionMetadataTask.ts";
import { currencyMetadataTask } from "#plugins/market-index/jobs/currencyMetadataTask.ts";
import {
	RETENTION_DAYS_MAX,
	RETENTION_DAYS_MIN,
	WATCHED_DEFAULT,
	WATCHED_MOST,
} from "#plugins/market-index/limits.ts";
import { createOwnership } from "#plugins/market-index/owners/createOwnership.ts";
import { garbageJob } from "#plugins/market-index/owners/garbageJob.ts";
import { recipientsJob } from "#plugins/market-index/owners/recipientsJob.ts";
import { forgetAllOwners } from "#plugins/market-index/owners/sql/forgetAllOwners.ts";
import { createFinder } from "#plugins/market-index/read/createFinder.ts";
import { createRetention } from "#plugins/market-index/retention/createRetention.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitionsOf.ts";
import { PricesKey } from "#plugins/prices/contract.ts";

/** Collections, events and figures: takes in what lanes find, and answers what the market did. */
export const marketIndexPlugin = definePlugin({
	name: "market-index",
	version: "1",
	config: z.object({
		NFT_EVENT_RETENTION_DAYS: z
			.int()
			.min(RETENTION_DAYS_MIN)
			.max(RETENTION_DAYS_MAX)
			.optional()
			.describe("Days for which events and minute candles are kept. Unset: for ever."),
		NFT_OWNERSHIP_WALKS_MAX: z
			.int()
			.min(0)
			.max(WATCHED_MOST)
			.default(WATCHED_DEFAULT)
			.describe("Contracts a chain whose owners are kept, newest activity first. 0: none."),
	}),
	needs: { scanner: ScannerKey, prices: PricesKey },
	offers: MarketIndexKey,
	tables: { schema: "market_index", folder: join(import.meta.dir, "migrations") },
	setup({ config, needs, core }) {
		const { chains, outbox, queue, clock, db } = core;
		const retention = createRetention(core, config.NFT_EVENT_RETENTION_DAYS);
		const partitions = partitionsOf(db, { keptFromMs: retention.keptFromMs });
		const applying = { chains, outbox, queue, clock, partitions };
		const record = createApplier(applying);
		const find = createFinder(core);
		const watchedMax = config.NFT_OWNERSHIP_WALKS_MAX;
		const owners = watchedMax > 0 ? createOwnership(db, { watchedMax, clock }) : null;
		needs.scanner.addSink(marketSink(applying, owners));
		const index = { record, find };
		return {
			service: index,
			routes: marketRoutes({ core, scanner: needs.scanner, index }),
			jobs: [...retention.jobs, recipientsJob(core), garbageJob(core)],
			tasks: [collectionMetadataTask(core), currencyMetadataTask(core)],
			async start() {
				if (!owners && core.role !== "api") await forgetAllOwners(db);
			},
		};
	},
});
