// Lists the stocks, currencies and contracts of the stock world.

import { type Address, getContractAddress, parseAbi } from "viem";

/** A token's decimals, and the price of one token in hundred-millionths of a dollar. */
export type Priced = { decimals: number; usd: bigint };
export type Span = { lower: number; upper: number; liquidity: bigint };

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

const Q96 = 2n ** 96n;
const MAX_TICK = 887_272;
/** V3's tick spacing by fee: where a position may end. */
export const TICK_SPACING: Record<Fee, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
/** Half of a pool's liquidity is within a fifth of its price, the other half at any price. */
const NARROW = 1.2;

/** Functions of a stock, of USDG and of the bad tokens, which are one contract. */
export const stockAbi = parseAbi([
	"function name() view returns (string)",
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function totalSupply() view returns (uint256)",
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function approve(address spender, uint256 value) returns (bool)",
	"function transfer(address to, uint256 value) returns (bool)",
	"function transferFrom(address from, address to, uint256 value) returns (bool)",
	"function mint(address to, uint256 value)",
	"function paused() view returns (bool)",
	"function isBlocked(address account) view returns (bool)",
	"function setFee(uint256 bps)",
	"function setPaused(bool to)",
	"function setBlocked(address account, bool to)",
	"function rebase(uint256 toIndex)",
	"function rename(string toSymbol)",
	"function uiMultiplier() view returns (uint256)",
	"function newUIMultiplier() view returns (uint256)",
	"function effectiveAt() view returns (uint256)",
	"function toUIAmount(uint256 raw) view returns (uint256)",
	"function fromUIAmount(uint256 shown) view returns (uint256)",
	"function balanceOfUI(address account) view returns (uint256)",
	"function totalSupplyUI() view returns (uint256)",
	"function getUserRawBalance(address account) view returns (uint256)",
	"function getUserUIBalance(address account) view returns (uint256)",
	"function supportsInterface(bytes4 id) view returns (bool)",
	"function oraclePaused() view returns (bool)",
	"function setMultiplier(uint256 to, uint256 atS)",
	"function setOraclePaused(bool to)",
	"event Transfer(address indexed from, address indexed to, uint256 value)",
	"event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt)",
]);

export const stockFactoryAbi = parseAbi([
	"function deploy(bytes32 uid, string name, string symbol, uint8 decimals, uint256 multiplier, address maker)",
	"event Deployed(bytes32 indexed uid, address stock, string name, string symbol)",
]);

export const stockFeedAbi = parseAbi([
	"constructor(string about, uint8 decimals)",
	"function publish(int256 answer, uint256 updatedAt)",
	"function setDead(bool to)",
	"function decimals() view returns (uint8)",
	"function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
]);

export const makerAbi = parseAbi([
	"constructor(address issuer, address weth, address factory, address manager, address stateView)",
	"struct Span { int24 lower; int24 upper; uint128 liquidity; }",
	"struct Opening { address tokenA; address tokenB; uint24 fee; uint160 sqrtPriceX96; Span[] spans; }",
	"function open(Opening[] openings)",
	"struct Move { address pool; uint160 sqrtPriceX96; }",
	"struct Round { address feed; int256 answer; }",
	"struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
	"struct Move4 { Key key; uint160 sqrtPriceX96; }",
	"function move(Move[] moves, Move4[] moves4, Round[] rounds)",
	"function keep(address pool, uint256 bps)",
	"struct Opening4 { Key key; uint160 sqrtPriceX96; int24 lower; int24 upper; uint128 liquidity; }",
	"function openV4(Opening4[] openings)",
]);

/** Uniswap's functions that this world and its tests use. */
export const uniswapAbi = parseAbi([
	"function enableFeeAmount(uint24 fee, int24 tickSpacing)",
	"function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
	"function liquidity() view returns (uint128)",
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)",
	"struct QuoteIn { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
	"function quoteExactInputSingle(QuoteIn params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticksCrossed, uint256 gasEstimate)",
	"function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gasEstimate)",
	"function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gasEstimate)",
	"struct SwapIn { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
	"function exactInput(SwapIn params) payable returns (uint256 amountOut)",
	"struct SwapOut { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }",
	"function exactOutput(SwapOut params) payable returns (uint256 amountIn)",
]);

/** Uniswap V4's quoter and the view of its pools. */
export const v4Abi = parseAbi([
	"struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
	"struct QuoteSingle { Key poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }",
	"function quoteExactInputSingle(QuoteSingle params) returns (uint256 amountOut, uint256 gasEstimate)",
	"function quoteExactOutputSingle(QuoteSingle params) returns (uint256 amountIn, uint256 gasEstimate)",
	"function getSlot0(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)",
	"function getLiquidity(bytes32 id) view returns (uint128)",
]);

/** The addresses on the real chain 4663, so that a service that knows it needs no setting here. */
const real = {
	weth: "0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73",
	usdg: "0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168",
	factory: "0x1f7d7550B1b028f7571E69A784071F0205FD2EfA",
	router: "0xCaf681a66D020601342297493863E78C959E5cb2",
	quoter: "0x33e885eD0Ec9bF04EcfB19341582aADCb4c8A9E7",
	v4Manager: "0x8366a39CC670B4001A1121B8F6A443A643e40951",
	v4Quoter: "0x8Dc178eFB8111BB0973Dd9d722ebeFF267c98F94",
	v4StateView: "0xF3334192D15450CdD385c8B70e03f9A6bD9E673b",
	stockFactory: "0x4783C67b63dE2B358Ac5951a7D41F47A38F3C046",
} as const satisfies Record<string, Address>;

/** The account that deploys stocks, their feeds and the market maker; its key is unknown. */
const issuer: Address = "0x1550ee0000000000000000000000000000004663";

/** All addresses of the stock world; the same in each. */
export const stockAddresses = {
	...real,
	issuer,
	/** Holds the liquidity of every pool. */
	maker: getContractAddress({ from: issuer, nonce: 0n }),
} as const;

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

/** Returns the square root of the price (token1 units per token0 unit), times 2^96. */
export function sqrtPriceX96(token0: Priced, token1: Priced): bigint {
	const units1 = token0.usd * 10n ** BigInt(token1.decimals);
	const units0 = token1.usd * 10n ** BigInt(token0.decimals);
	return squareRoot((units1 << 192n) / units0);
}

/** Returns the positions that hold `depthUsd` on each side of the price. */
export function spansOf(
	pool: { token1: Priced; sqrtX96: bigint; spacing: number },
	depthUsd: number,
): Span[] {
	const { token1, sqrtX96, spacing } = pool;
	const tick = Math.log((Number(sqrtX96) / Number(Q96)) ** 2) / Math.log(1.0001);
	const reach = Math.log(NARROW) / Math.log(1.0001);
	const onGrid = (at: number): number => Math.floor(at / spacing) * spacing;
	const half = (BigInt(depthUsd) * 10n ** 8n * 10n ** BigInt(token1.decimals)) / token1.usd / 2n;
	const wide = (half * Q96) / sqrtX96;
	const edge = Math.floor(MAX_TICK / spacing) * spacing;
	const narrowShare = BigInt(Math.round(1e9 * (1 - 1 / Math.sqrt(NARROW))));
	return [
		{ lower: -edge, upper: edge, liquidity: wide },
		{
			lower: onGrid(tick - reach),
			upper: onGrid(tick + reach),
			liquidity: (wide * 1_000_000_000n) / narrowShare,
		},
	];
}

/** Returns the address of feed number `index`, deployed right after the maker. */
export function feedAddress(index: number): Address {
	return getContractAddress({ from: issuer, nonce: BigInt(index + 1) });
}

/** Returns the address of stock number `index`. */
export function stockAddress(index: number): Address {
	return getContractAddress({ from: real.stockFactory, nonce: BigInt(index + 1) });
}

function squareRoot(of: bigint): bigint {
	if (of < 2n) return of;
	let root = 1n << BigInt((of.toString(2).length + 1) >> 1);
	for (;;) {
		const next = (root + of / root) >> 1n;
		if (next >= root) return root;
		root = next;
	}
}
