// Opens the assessment of trades over a market in memory, a real database and a clock that is set.

import { encodeAbiParameters } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { MINUTE_MS } from "#core/time.ts";
import { createPoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import { createReference } from "#plugins/trading/prices/createReference.ts";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";
import { createLocalQuoter } from "#plugins/trading/quotes/createLocalQuoter.ts";
import { createQuoting } from "#plugins/trading/quotes/createQuoting.ts";
import type { QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";
import { createAssets, type Pool } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import type { SwapDeps } from "#plugins/trading/swap/planSwap.ts";
import { prepareSwap } from "#plugins/trading/swap/prepareSwap.ts";
import { marketSwap } from "#plugins/trading/testing/marketSwap.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import {
	liquidityOf,
	MARKET_QUOTER,
	type MarketToken,
	openPriceMarket,
	tickOf,
} from "#plugins/trading/testing/priceMarket.ts";
import { type Assessed, assessTrade } from "#plugins/trading/trade/assessTrade.ts";
import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const CHAIN_ID = 4_663;
const WETH: Address = `0x${"e".repeat(40)}`;
const DOLLARS = 1_000_000n;

export const PRICE_BOUNDS = {
	slippageBps: 50,
	impactBpsMax: 300,
	divergenceBpsMax: 100,
	referenceBpsMax: 500,
	closedBpsMax: 1_000,
	unpricedUsdMicrosMax: 200n * DOLLARS,
	minLiquidityUsdMicros: null,
};

export const marketUsdg: MarketToken = { address: `0x${"d".repeat(40)}`, decimals: 6, usd: 1 };
export const marketEth: MarketToken = { address: WETH, decimals: 18, usd: 2_500 };

const profile: Profile = {
	...{ id: Bun.randomUUIDv7(), socialUserId: null, socialUsername: null },
	...{ canonicalWalletId: null, requireTradeConfirmation: false, perTradeUsdMax: null },
	...{ dailyUsdMax: null, revision: 1, wallets: [] },
};

const wallet: Wallet = {
	...{ id: Bun.randomUUIDv7(), profileId: profile.id, address: `0x${"b0".repeat(20)}` },
	...{ chainId: CHAIN_ID, capability: "embedded/delegated", providerWalletId: "w" },
	...{ notionalUsdMax: null, revision: 1 },
};

/** A trade that would be signed, and whether an operator looks at it first. */
export type PreparedSwap = { data: `0x${string}`; valueRaw: bigint; isReviewed: boolean };

export type PriceLab = ReturnType<typeof openPriceLab>;

/** Opens one market; tokens are put into the registry by `register`. */
export function openPriceLab(given: { db: Database; nowMs: number; second?: QuoteSource }) {
	const { db, second } = given;
	const market = openPriceMarket();
	const clock = { ms: given.nowMs, nowMs: () => clock.ms };
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(CHAIN_ID);
	if (!chain) throw new Error("chain 4663 is built in");
	const prices = fakePrices(chains);
	prices.setEth(marketEth.usd);
	prices.set({ chainId: CHAIN_ID, currency: ZERO_ADDRESS, usd: marketEth.usd });
	prices.set({ chainId: CHAIN_ID, currency: WETH, usd: marketEth.usd });
	prices.set({ chainId: CHAIN_ID, currency: marketUsdg.address, usd: 1, decimals: 6 });
	const { rpc } = market;
	const pools = (): Pool[] =>
		[...market.pools.values()].map(({ address, token0, token1, fee }) => {
			return { address, token0, token1, feeBps100: fee, liquidity: 1n, version: "v3" };
		});
	const connectors = () => [WETH, marketUsdg.address];
	const local = createLocalQuoter({ rpc, quoter: MARKET_QUOTER, pools, connectors });
	const assets = createAssets({ chain, pools });
	const averages = createPoolAverages({ rpc, db, clock });
	const deps: SwapDeps = {
		...{ clock, log: silentLog, db, rpc, chainId: CHAIN_ID, wrapped: WETH, assets, averages },
		...{ router: MARKET_QUOTER, bounds: PRICE_BOUNDS, isLiquidityEnforced: async () => false },
		quoting: createQuoting({
			...{ clock, local: { rpc, quoter: MARKET_QUOTER }, deadlineMs: 5_000 },
			sources: second ? [local, second] : [local],
		}),
		eligibility: { mayTrade: async () => null },
		reference: createReference({
			...{ chainId: CHAIN_ID, rpc, db, clock, log: silentLog, prices },
			...{ hours: marketHours("us_equities_24_5"), silentMs: 3 * 60 * MINUTE_MS },
		}),
	};
	return {
		...{ market, clock, deps },
		/** Replaces the registry by these stocks. */
		async register(
			stocks: readonly { symbol: string; token: MarketToken; feed: Address | null }[],
		) {
			await db.execute("truncate trading.asset, trading.pool_price");
			await db.transaction(async (tx) => {
				const money = { uid: null, feed: null, multiplier: null };
				const { address } = marketUsdg;
				const usdg = { ...money, symbol: "USDG", address, kind: "stable", decimals: 6 } as const;
				const weth = { ...money, symbol: "WETH", address: WETH, kind: "wrapped" } as const;
				for (const row of [usdg, weth]) await assetRows.write(tx, newAssetRow(row));
				for (const { symbol, token, feed } of stocks) {
					const { address, decimals } = token;
					await assetRows.write(tx, newAssetRow({ symbol, address, decimals, feed }));
				}
			});
		},
		/** Records the pools as they stand for these minutes before now, as the service does. */
		async record(fromMinutes: number, toMinutes: number): Promise<void> {
			const now = clock.ms;
			const ticks = [...market.pools.values()].map((pool) => {
				return { pool: pool.address, tick: tickOf(pool), liquidity: liquidityOf(pool) };
			});
			for (let minutes = fromMinutes; minutes > toMinutes; minutes--) {
				clock.ms = now - minutes * MINUTE_MS;
				await averages.note(ticks);
			}
			clock.ms = now;
		},
		assess(wish: TradeWish): Promise<Assessed> {
			const { signal } = new AbortController();
			return assessTrade(deps, { wish, profile, wallet, signal });
		},
		prepare: (assessed: Assessed) => prepareSigned(deps, market, assessed),
	};
}

/** Prepares an assessed trade as the path does before it signs; a text says why it is not. */
async function prepareSigned(
	deps: SwapDeps,
	market: ReturnType<typeof openPriceMarket>,
	{ outcome }: Assessed,
): Promise<PreparedSwap | string> {
	if (outcome.kind !== "swap") return "no swap";
	const request = { ...outcome.terms, kind: "swap" as const, tradeId: Bun.randomUUIDv7() };
	const { signal } = new AbortController();
	// What is kept on record belongs to a trade that is stored, and this one is not.
	const outbound = async <Result>(step: string, call: () => Promise<Result>) =>
		step === "trade.record" ? (undefined as Result) : call();
	const prepared = await prepareSwap(deps, { request, wallet, profile, outbound, signal });
	if (prepared.kind === "denied") return prepared.denial.code;
	if (prepared.kind !== "plan") return prepared.kind;
	const { plan, question, review } = prepared;
	const sent = { data: plan.data, valueRaw: plan.valueRaw };
	const seen = marketSwap(market, sent);
	if (!seen) return "simulation_failed";
	const answer = encodeAbiParameters(
		[{ type: "uint256" }, { type: "uint256" }],
		[seen.inRaw, seen.outRaw],
	);
	const shown = question?.shownBy(answer);
	return shown?.kind === "denied" ? shown.denial.code : { ...sent, isReviewed: !!review };
}
