/** Fees of V3 pools in millionths. */
export type Fee = 100 | 500 | 3_000 | 10_000;

/** A pool of a stock: the other token, the fee, and the dollars on each side. */
export type PoolPlan = { with: "usdg" | "weth"; fee: Fee; depthUsd: number };

export type StockPlan = {
	ticker: string;
	name: string;
	/** The price of a share. A token's price, and its feed's answer, is this times its multiplier. */
	shareUsd: number;
	/** Shares that one token shows as, times 1e18. */
	multiplier: bigint;
	hasFeed: boolean;
	decimals: number;
	pools: readonly PoolPlan[];
};

const ONE = 10n ** 18n;
const plain = { multiplier: ONE, hasFeed: true, decimals: 18 };
const usdg = (depthUsd: number, fee: Fee = 3_000): PoolPlan => ({ with: "usdg", fee, depthUsd });
const weth = (depthUsd: number, fee: Fee = 3_000): PoolPlan => ({ with: "weth", fee, depthUsd });

/** Pools between settlement currencies. */
export const settlementPools: readonly PoolPlan[] = [
	{ with: "usdg", fee: 500, depthUsd: 4_000_000 },
	{ with: "usdg", fee: 3_000, depthUsd: 900_000 },
];

/** A dozen stocks: some without a feed, some reachable through WETH only, one hardly traded. */
export const stocks: readonly StockPlan[] = [
	{
		...plain,
		ticker: "AAPL",
		name: "Apple",
		shareUsd: 275,
		pools: [usdg(800_000, 500), usdg(60_000, 3_000), weth(300_000)],
	},
	{
		...plain,
		ticker: "TSLA",
		name: "Tesla",
		shareUsd: 410,
		multiplier: 3n * ONE,
		pools: [usdg(900_000), weth(200_000)],
	},
	{
		...plain,
		ticker: "NVDA",
		name: "NVIDIA",
		shareUsd: 180,
		multiplier: 1_002_500_000_000_000_000n,
		pools: [usdg(1_200_000, 500), weth(500_000, 500)],
	},
	{
		...plain,
		ticker: "MSFT",
		name: "Microsoft",
		shareUsd: 490,
		multiplier: 1_006_100_000_000_000_000n,
		pools: [usdg(500_000)],
	},
	{ ...plain, ticker: "AMZN", name: "Amazon", shareUsd: 225, pools: [usdg(400_000)] },
	{ ...plain, ticker: "GOOGL", name: "Alphabet", shareUsd: 300, pools: [weth(350_000)] },
	{
		...plain,
		ticker: "META",
		name: "Meta Platforms",
		shareUsd: 600,
		multiplier: 1_003_000_000_000_000_000n,
		pools: [weth(250_000, 10_000)],
	},
	{
		...plain,
		ticker: "SPY",
		name: "SPDR S&P 500 ETF",
		shareUsd: 665,
		multiplier: 1_011_700_000_000_000_000n,
		pools: [usdg(1_500_000, 100), weth(700_000, 500)],
	},
	{ ...plain, ticker: "AMD", name: "AMD", shareUsd: 215, hasFeed: false, pools: [usdg(220_000)] },
	{
		...plain,
		ticker: "PLTR",
		name: "Palantir",
		shareUsd: 165,
		hasFeed: false,
		pools: [usdg(260_000), weth(90_000)],
	},
	{
		...plain,
		ticker: "COIN",
		name: "Coinbase",
		shareUsd: 255,
		hasFeed: false,
		pools: [weth(180_000)],
	},
	{
		...plain,
		ticker: "GME",
		name: "GameStop",
		shareUsd: 21,
		multiplier: ONE / 2n,
		hasFeed: false,
		pools: [usdg(4_000, 10_000)],
	},
];

const badPlan = { ...plain, hasFeed: false, shareUsd: 50, pools: [usdg(100_000)] };

/** Tokens with a defect from the start. Any stock can be given one later. */
export const badStocks = {
	/** Takes 3 % of each transfer. */
	taxed: { ...badPlan, ticker: "TAXD", name: "Taxed Holdings" },
	/** Every transfer reverts. */
	paused: { ...badPlan, ticker: "HALT", name: "Halted Industries" },
	/** Refuses transfers out of its pool: it can be sold but not bought. */
	blocking: { ...badPlan, ticker: "BLKD", name: "Blocked Group" },
	/** Balances, including the pool's, have grown by a tenth without a transfer. */
	rebasing: { ...badPlan, ticker: "RBSE", name: "Rebase Corp" },
	/** Has 6 decimals where the issuer's list says 18. */
	decimals: { ...badPlan, ticker: "SIXD", name: "Six Digits", decimals: 6 },
	/** Has the symbol of another stock. */
	namesake: { ...badPlan, ticker: "AAPL", name: "Apple" },
} as const satisfies Record<string, StockPlan>;
export type BadKind = keyof typeof badStocks;
