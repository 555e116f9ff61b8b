// Wires the index: settings, jobs, tasks, routes and tools.

import { join } from "node:path";
import { z } from "zod";
import { commaList, exactOrigin } from "#core/config/fields.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { ScannerKey } from "#plugins/chain-scanner/contract.ts";
import { createAccountBook } from "#plugins/market-index/accounts/createAccountBook.ts";
import { marketCommands } from "#plugins/market-index/agent/marketCommands.ts";
import { marketTools, resolvingOf } from "#plugins/market-index/agent/marketTools.ts";
import { collectionNames } from "#plugins/market-index/agent/resolveCollection.ts";
import { createApplier, marketSink } from "#plugins/market-index/apply/createApplier.ts";
import { MarketIndexKey } from "#plugins/market-index/contract.ts";
import { createListSource } from "#plugins/market-index/discovery/createListSource.ts";
import { discoveredChains, discoveryJob } from "#plugins/market-index/discovery/discoveryJob.ts";
import type { ProviderHealth } from "#plugins/market-index/display.ts";
import { dropsJob } from "#plugins/market-index/drops/dropsJob.ts";
import { createSpanMemory } from "#plugins/market-index/figures/coverage.ts";
import { createDearSales } from "#plugins/market-index/floor.ts";
import { historyJobs } from "#plugins/market-index/history/keepHistory.ts";
import {
	collectionMetadataTask,
	currencyMetadataTask,
	owedNamesTask,
} from "#plugins/market-index/jobs/collectionMetadataTask.ts";
import { contractDocumentTask } from "#plugins/market-index/jobs/contractDocuments.ts";
import { createPushListener, doubtJob } from "#plugins/market-index/merge/createPushListener.ts";
import { mergeEvents } from "#plugins/market-index/merge/mergeEvents.ts";
import {
	createDocumentReader,
	gatewaysOf,
} from "#plugins/market-index/metadata/createDocumentReader.ts";
import { createLookUps } from "#plugins/market-index/metadata/lookUps.ts";
import { GATEWAYS_MAX } from "#plugins/market-index/metadata/tokenUri.ts";
import { createBookReads } from "#plugins/market-index/orderBook.ts";
import { createOwnership } from "#plugins/market-index/owners/createOwnership.ts";
import { garbageJob, recipientsJob } from "#plugins/market-index/owners/jobs.ts";
import { forgetAllOwners } from "#plugins/market-index/owners/sql/ownership.ts";
import { gasPriceOf } from "#plugins/market-index/quote.ts";
import { createFinder, readCoverageEnd } from "#plugins/market-index/read/context.ts";
import { repairJob } from "#plugins/market-index/register/registerCollections.ts";
import { createRepricer } from "#plugins/market-index/reprice/createRepricer.ts";
import {
	createRetention,
	RETENTION_DAYS_MAX,
	RETENTION_DAYS_MIN,
	WATCHED_DEFAULT,
	WATCHED_MOST,
} from "#plugins/market-index/retention.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import { createSyncing, supplyCatchUpJob } from "#plugins/market-index/sync/createSyncing.ts";
import { createTokens } from "#plugins/market-index/tokens/createTokens.ts";
import { washJob } from "#plugins/market-index/wash/washJob.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { type Provider, ProviderKey } from "#plugins/provider/contract.ts";

/** The HTTP routes of this plugin, for typed clients. */
export type MarketApi = ReturnType<typeof marketRoutes>;

/** A gateway, which has content below it, at `/ipfs/<cid>` or `/<transaction>`. */
const gatewayUrl = z
	.url({ protocol: /^https?$/ })
	.transform((url) => url.replace(/(\/ipfs)?\/*$/, ""))
	.refine((url) => new URL(url).username === "" && !/[?#]/.test(url), {
		message: "a gateway's URL has no credentials, query or fragment",
	});

/** The operator's settings of where documents of tokens and contracts are read. */
export const documentConfig = {
	IPFS_GATEWAY_URLS: commaList(gatewayUrl)
		.pipe(z.array(z.string()).max(GATEWAYS_MAX))
		.default(["https://ipfs.io", "https://dweb.link"])
		.meta({ expects: "http or https URLs, separated by commas, 8 at most" })
		.describe(
			"Gateways for IPFS, asked in this order until one answers; they may be on a private network.",
		),
	ARWEAVE_GATEWAY_URL: gatewayUrl
		.default("https://arweave.net")
		.meta({ expects: "an http or https URL" })
		.describe("The gateway for Arweave; it may be on a private network."),
	METADATA_ALLOWED_ORIGINS: commaList(exactOrigin)
		.default([])
		.meta({ expects: "origins, separated by commas, such as http://10.0.0.7:8080" })
		.describe(
			"Origins on private networks that tokens and contracts may name. Whoever deploys a " +
				"contract can have any of their paths fetched.",
		),
};

/** Stores what lanes read as collections, events and figures, and serves them. */
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
		NFT_DISCOVERY_CHAINS: commaList(z.string().toLowerCase())
			.default([])
			.meta({ expects: "names of chains, separated by commas, such as zora,shape" })
			.describe("Chains that are not indexed, and whose collections the provider's lists bring."),
		...documentConfig,
	}),
	needs: { scanner: ScannerKey, prices: PricesKey, provider: ProviderKey },
	offers: MarketIndexKey,
	tables: { schema: "market_index", folder: join(import.meta.dir, "migrations") },
	setup({ config, needs, core }) {
		const { clock, db } = core;
		const retention = createRetention(core, config.NFT_EVENT_RETENTION_DAYS);
		const { keptFromMs } = retention;
		const partitions = partitionsOf(db, { keptFromMs });
		const { prices, provider } = needs;
		const spansOf = createSpanMemory(needs.scanner, clock);
		const applying = { ...core, partitions, prices, hasProvider: provider.isOn, spansOf };
		const record = createApplier(applying);
		const gateways = gatewaysOf(config);
		const allowedOrigins = config.METADATA_ALLOWED_ORIGINS;
		const readDocument = createDocumentReader({ ...core, gateways, allowedOrigins });
		const tokens = createTokens({ core, readUri: readDocument, provider, prices });
		const discovered = discoveredChains(core, config.NFT_DISCOVERY_CHAINS);
		const reads = { ...core, discovered };
		const watchedMax = config.NFT_OWNERSHIP_WALKS_MAX;
		const owners = watchedMax > 0 ? createOwnership(db, { ...core, watchedMax }) : null;
		needs.scanner.addSink({ ...marketSink(applying, owners), areDear: createDearSales(applying) });
		const repricer = createRepricer({ ...applying, db, scanner: needs.scanner, log: core.log });
		prices.onLearned(repricer.note);
		const told = { scanner: needs.scanner, providerId: provider.id, keptFromMs };
		const merge = mergeEvents({ ...applying, ...told, db, record });
		const syncing = createSyncing({
			core,
			provider,
			prices,
			merge: async (collection, events) => void (await merge(collection, events)),
			heldUntil: (chainId) => readCoverageEnd(needs.scanner, chainId),
		});
		const { applyOrderPushes: applyOrders } = syncing;
		const pushed = { merge, applyOrders, applyMetadata: tokens.changed };
		provider.stream.onPushes(createPushListener({ db, ...pushed }));
		provider.stream.onGap(syncing.noteGap);
		const naming = collectionMetadataTask(core, gateways);
		const answered = [...core.indexed.map(({ chain }) => chain), ...discovered];
		const discovery = { core, answered, provider, prices, discovered: syncing.discovered };
		const index = { record, find: createFinder(reads), touch: syncing.touch };
		const reading = {
			...{ core: reads, scanner: needs.scanner, index, prices },
			lists: createListSource(discovery),
			resync: syncing.resync,
			providerHealth: () => healthOf(provider),
			...{ gasPrice: gasPriceOf(core.indexed), lookUps: createLookUps(core) },
		};
		const resolving = { ...resolvingOf(reading), accounts: createAccountBook(reading) };
		return {
			service: { ...index, ...resolving, reveals: tokens.reveals, book: createBookReads(db) },
			routes: marketRoutes(reading),
			tools: marketTools(reading, resolving),
			...{ commands: marketCommands, names: collectionNames(reads) },
			jobs: [
				...retention.jobs,
				...[recipientsJob(core), garbageJob(core), washJob(core)],
				repricer.job,
				doubtJob({ ...core, prices, spansOf, scanner: needs.scanner }),
				...syncing.jobs,
				discoveryJob(discovery, answered),
				supplyCatchUpJob({ ...core, scanner: needs.scanner }),
				repairJob({ ...core, scanner: needs.scanner }),
				dropsJob(core, provider),
				...historyJobs({ ...core, scanner: needs.scanner }),
				...tokens.jobs,
			],
			tasks: [
				naming,
				owedNamesTask({ ...core, scanner: needs.scanner }, naming.run),
				contractDocumentTask(core, readDocument),
				currencyMetadataTask(core),
				...syncing.tasks,
				...tokens.tasks,
			],
			async start() {
				if (!owners && core.role !== "api") await forgetAllOwners(db);
			},
		};
	},
});

function healthOf(provider: Provider): ProviderHealth {
	const { isOn, stream } = provider;
	return { isOn, isConnected: isOn ? provider.isConnected() : false, stream: stream.state() };
}
