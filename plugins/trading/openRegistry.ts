// Builds the registry of stock tokens: its routes, tools, jobs and prices.

import { Elysia } from "elysia";
import type { z } from "zod";
import { type Rpc, type RpcPurpose, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { createPortfolio } from "#plugins/trading/holdings.ts";
import { holdingTools } from "#plugins/trading/holdingTools.ts";
import {
	POOLS_EVERY_MS,
	POOLS_TIMEOUT_MS,
	PRUNE_EVERY_MS,
	SYNC_TIMEOUT_MS,
} from "#plugins/trading/limits.ts";
import { pastStockTools, stockPriceJobs } from "#plugins/trading/pastStockTools.ts";
import {
	createPoolAverages,
	type PoolAverages,
} from "#plugins/trading/prices/createPoolAverages.ts";
import { createReference } from "#plugins/trading/prices/createReference.ts";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";
import { type Assets, assetOf, createAssets } from "#plugins/trading/registry/createAssets.ts";
import {
	createEligibility,
	type EligibilityOptions,
} from "#plugins/trading/registry/createEligibility.ts";
import { createIssuerList } from "#plugins/trading/registry/createIssuerList.ts";
import { createPools, type Pools } from "#plugins/trading/registry/createPools.ts";
import { createSync, registryHealth } from "#plugins/trading/registry/createSync.ts";
import type { Candidate } from "#plugins/trading/registry/planSync.ts";
import type { registryConfig } from "#plugins/trading/registryConfig.ts";
import { adminAttestationRoutes } from "#plugins/trading/routes/adminAttestationRoutes.ts";
import { adminStockTokenRoutes } from "#plugins/trading/routes/adminStockTokenRoutes.ts";
import { holdingRoutes, stockTokenRoutes } from "#plugins/trading/routes/stockTokenRoutes.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { stockNames, stockTools } from "#plugins/trading/stockTools.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** The chain of the stock tokens. */
export const STOCK_CHAIN_ID = 4_663;

export type RegistryOptions = {
	core: Core;
	config: z.output<z.ZodObject<typeof registryConfig>> & { TRADE_V3_QUOTER: `0x${string}` };
	wallets: Wallets;
	prices: Prices;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Builds the registry: tokens, their prices, who may trade them, and holdings; trades use it. */
export function openRegistry(options: RegistryOptions) {
	const { core, config, wallets, prices, ending } = options;
	const chain = core.chains.byId(STOCK_CHAIN_ID);
	assert(chain, "chain 4663 is built in");
	const access = core.reached.find((one) => one.chain.id === STOCK_CHAIN_ID);
	const rpcFor = (purpose: RpcPurpose): Rpc => access?.rpcFor(purpose) ?? unreached;
	const { db, clock, log } = core;
	const reference = createReference({
		...{ chainId: chain.id, rpc: rpcFor("prices"), db, clock, log, prices },
		hours: marketHours(config.STOCK_MARKET_HOURS),
		silentMs: config.STOCK_FEED_SILENT_SECONDS * 1_000,
	});
	let ranking: Pools | null = null;
	const assets: Assets = createAssets({
		chain,
		pools: () => ranking?.ranked() ?? [],
		setAside: () => ranking?.setAside() ?? [],
	});
	ranking = createPools({
		...{ config: config.TRADE_POOLS_JSON, factory: config.TRADE_V3_FACTORY },
		quoter: config.TRADE_V3_QUOTER,
		...{ rpc: rpcFor("prices"), log, reference },
		readAssets: async (tokens) => (await assetRows.some(db, chain.id, tokens)).map(assetOf),
		deviationBpsMax: config.TRADE_POOL_DEVIATION_BPS_MAX,
	});
	const pools = ranking;
	const averages = createPoolAverages({ rpc: rpcFor("intents"), db, clock });
	const eligible = eligibleOf(config);
	const eligibility = createEligibility(eligible);
	const sync = createSync({
		...{ db, clock, log, rpc: rpcFor("names"), chainId: chain.id },
		list: listOf(config.STOCK_ASSETS_BASE_URL),
		named: namedOf(chain.wrappedNative, config.TRADE_SETTLEMENT_ASSETS),
		pools: config.TRADE_POOLS_JSON,
		feeds: new Map(Object.entries(config.STOCK_FEEDS_JSON) as [`0x${string}`, `0x${string}`][]),
	});
	const holdings = { db, clock, rpc: rpcFor("requests"), chain, assets, reference };
	const portfolio = createPortfolio(holdings);
	const routes = new Elysia()
		.use(stockTokenRoutes({ core, chain, reference }))
		.use(adminStockTokenRoutes({ core, chain, rpc: rpcFor("requests"), ending }))
		.use(adminAttestationRoutes(core, eligible))
		.use(holdingRoutes({ portfolio, wallets, ending }));
	const past = { core, chainId: chain.id, assets, reference };
	const tools = [
		...stockTools({ core, chain, assets, reference }),
		...pastStockTools(past),
		...holdingTools({ db, assets, portfolio, wallets }),
	];
	const runs = core.metrics.counter({
		name: "stock_registry_runs_total",
		help: "Readings of the issuer's list with a check of all tokens, by what came of them.",
		labels: ["outcome"],
	});
	const countedSync = async (signal: AbortSignal) => {
		let outcome = "failed";
		try {
			outcome = await sync(signal);
		} finally {
			runs.inc({ outcome });
		}
	};
	const everyMs = config.STOCK_SYNC_SECONDS * 1_000;
	const degraded = registryHealth({ db, clock, chainId: chain.id, everyMs });
	// A deployment without stocks does not call their chain.
	const isAsked = config.STOCK_ASSETS_BASE_URL !== undefined || config.TRADE_POOLS_JSON.length > 0;
	const isFollowed = access !== undefined && isAsked;
	const work = followPools({ core, pools, averages, ending });
	return {
		...{ assets, pools, reference, averages, eligibility, portfolio, routes, tools, rpcFor },
		names: stockNames(db, chain.id),
		jobs: isFollowed
			? [...jobsOf({ everyMs, sync: countedSync, averages }), ...stockPriceJobs(past)]
			: [],
		degraded: async () => (isFollowed ? degraded() : []),
		start() {
			if (isFollowed) work.begin(core.role === "api" ? null : () => countedSync(ending));
		},
		ended: work.ended,
	};
}

function jobsOf(given: {
	everyMs: number;
	sync(signal: AbortSignal): Promise<void>;
	averages: Pick<PoolAverages, "prune">;
}): Job[] {
	const { everyMs, sync, averages } = given;
	return [
		{
			name: "trading.registry",
			schedule: { everyMs },
			lock: "cluster",
			timeoutMs: SYNC_TIMEOUT_MS,
			run: ({ signal }) => sync(signal),
		},
		{
			name: "trading.prune_pool_prices",
			schedule: { everyMs: PRUNE_EVERY_MS },
			lock: "cluster",
			timeoutMs: POOLS_TIMEOUT_MS,
			run: () => averages.prune(),
		},
	];
}

/**
 * Returns a service that reads the list once at the start, and then reads and records the pools
 * again and again, in the background.
 */
function followPools({
	core: { log },
	pools,
	averages,
	ending,
}: {
	core: Pick<Core, "log">;
	pools: Pools;
	averages: Pick<PoolAverages, "note">;
	ending: AbortSignal;
}) {
	let working: Promise<unknown> = Promise.resolve();
	async function follow(first: (() => Promise<unknown>) | null): Promise<void> {
		try {
			await first?.();
		} catch (error) {
			if (!ending.aborted) log.warn("the registry was not read at the start", { error });
		}
		let hasFailed = false;
		while (!ending.aborted) {
			try {
				const signal = AbortSignal.any([ending, AbortSignal.timeout(POOLS_TIMEOUT_MS)]);
				await averages.note(await pools.refresh(signal));
				hasFailed = false;
			} catch (error) {
				if (!hasFailed && !ending.aborted)
					log.warn("pools cannot be read, or not recorded", { error });
				hasFailed = true;
			}
			await sleep(POOLS_EVERY_MS, ending);
		}
	}
	return {
		begin(first: (() => Promise<unknown>) | null) {
			working = follow(first);
		},
		ended: () => working,
	};
}

function eligibleOf(config: RegistryOptions["config"]): EligibilityOptions {
	return {
		mode: config.STOCK_ELIGIBILITY,
		excluded: new Set(config.STOCK_COUNTRIES_EXCLUDED),
		attestationDays: config.STOCK_ATTESTATION_DAYS,
	};
}

function listOf(baseUrl: string | undefined) {
	return baseUrl === undefined ? null : createIssuerList({ baseUrl, chainId: STOCK_CHAIN_ID });
}

/**
 * Returns the wrapped coin and the settlement currencies as candidates; the names come from their
 * contracts.
 */
function namedOf(wrapped: `0x${string}` | null, settlement: readonly `0x${string}`[]): Candidate[] {
	const plain = { uid: null, name: null, isActive: true };
	const coins = settlement.map((address): Candidate => {
		return { ...plain, address, kind: "stable", symbol: null, decimals: null };
	});
	if (wrapped === null) return coins;
	const coin = { ...plain, address: wrapped, symbol: "WETH", decimals: 18 };
	return [{ ...coin, kind: "wrapped" }, ...coins];
}

/** Takes the place of the chain when it is not configured: every call fails. */
const unreached: Rpc = {
	call: () => Promise.reject(rpcFault.transport({ detail: "chain 4663 is not reached" })),
	batch: () => Promise.reject(rpcFault.transport({ detail: "chain 4663 is not reached" })),
	settle: () => Promise.reject(rpcFault.transport({ detail: "chain 4663 is not reached" })),
	distrust() {},
	stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
};
