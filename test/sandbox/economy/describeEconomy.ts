// Describes the token's economy, and pays revenue into it.

import {
	type Address,
	getContractAddress,
	keccak256,
	parseAbi,
	stringToHex,
	zeroAddress,
} from "viem";
import { keeperWallet } from "../custody/people.ts";
import { type Opening, type Pool, poolOf } from "../stocks/describeStockWorld.ts";
import {
	type Priced,
	spansOf,
	sqrtPriceX96,
	stockAddresses,
	TICK_SPACING,
} from "../stocks/stockCatalogue.ts";

/** Dollars of one token and of one ether. */
export type TapeUsd = { tape: number; eth: number };

export type Revenue = {
	/** Pays what is due, and moves the token's price with time. */
	tick(): Promise<void>;
};

/** Pays into the economy, and moves its price. */
export type Payer = {
	/** Pays revenue of a source, in coins or in USDG. */
	payCoins(source: string, wei: bigint): Promise<void>;
	payDollars(source: string, units: bigint): Promise<void>;
	/** Trades in the pools until one token is worth this in each. */
	movePrice(usd: TapeUsd, pools?: readonly Pool[]): Promise<void>;
};

export type RevenueOptions = {
	economy: Payer;
	/** Dollars of one ether at a time. */
	ethUsdAt(timeS: number): number;
	nowMs(): number;
};

/** What a service must be told of the token's economy beside where its chain is. */
export type EconomySettings = {
	/** TOKEN_ADDRESS, REVENUE_ROUTER_ADDRESS, BUYBACK_BURN_ADDRESS */
	token: string;
	router: string;
	burner: string;
	/** BUYBACK_WALLET_ID */
	keeperWalletId: string;
	/** BUYBACK_CURRENCIES: what revenue comes in. */
	currencies: string[];
	/** The token's pools, of the shape of TRADE_POOLS_JSON. */
	pools: { address: string; tokens: [string, string]; fee: number }[];
};

/** Deploys and owns the contracts of the economy, and pays revenue; nobody has its key. */
export const TREASURER: Address = "0x7ea50000000000000000000000000000000e4663";
/** Sandwiches buybacks; nobody has its key. */
export const SEARCHER: Address = "0x5ea4c40000000000000000000000000000004663";

const deployed = (from: Address, nonce: bigint) => getContractAddress({ from, nonce });

/** What stands where on each home chain. */
export const economyAddresses = {
	/** Keeps the liquidity of the token's pools. */
	maker: deployed(TREASURER, 0n),
	token: deployed(TREASURER, 1n),
	router: deployed(TREASURER, 2n),
	burner: deployed(TREASURER, 3n),
	/** The searcher's own contract, which moves prices. */
	searcher: deployed(SEARCHER, 0n),
} as const;

/** Who else is paid: of the holders' bucket, the league's and the treasury's. */
export const payees = {
	holders: named("holders"),
	league: named("league"),
	treasury: named("treasury"),
} as const;

export const SUPPLY = 1_000_000_000n * 10n ** 18n;
export const TAPE_USD = 0.05;
/** Holders from the beginning, each with half of what the one before has. */
export const firstHolders: readonly { address: Address; raw: bigint }[] = Array.from(
	{ length: 12 },
	(_, at) => ({ address: named(`holder ${at}`), raw: SUPPLY / 20n / 2n ** BigInt(at) }),
);

/** The token's pools, the deepest against WETH first; the last one is against USDG. */
export const tapePools: readonly (Pool & { depthUsd: number })[] = [
	{ ...poolOf(economyAddresses.token, stockAddresses.weth, 3_000), depthUsd: 2_000_000 },
	{ ...poolOf(economyAddresses.token, stockAddresses.weth, 10_000), depthUsd: 300_000 },
	{ ...poolOf(economyAddresses.token, stockAddresses.usdg, 3_000), depthUsd: 500_000 },
];

const COINS_EVERY_S = 20;
const COINS_WEI = 20_000_000_000_000_000n;
const DOLLARS_EVERY_S = 60;
const DOLLARS_UNITS = 50_000_000n;
const PRICE_EVERY_S = 60;
/** Anvil keeps the trace of each transaction. */
const FULL_PACE_S = 3_600;
const SLOW_FACTOR = 10;
/** How far the token strays from its price, as a share, and how long a turn takes. */
const SWING = 0.02;
const TURN_S = 14_400;

/** Uniswap's oracle. */
export const oracleAbi = parseAbi([
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);

/** Returns what each pool is opened with when one token and one ether are worth this. */
export function tapeOpenings(usd: TapeUsd): Opening[] {
	return tapePools.map((pool) => {
		const { token0, token1, fee, depthUsd } = pool;
		const sqrtX96 = tapePriceOf(pool, usd);
		const priced = worthOf(token1, usd);
		const spans = spansOf({ token1: priced, sqrtX96, spacing: TICK_SPACING[fee] }, depthUsd);
		return { tokenA: token0, tokenB: token1, fee, sqrtPriceX96: sqrtX96, spans };
	});
}

/** Returns the root of a pool's price when its tokens are worth this. */
export function tapePriceOf({ token0, token1 }: Pool, usd: TapeUsd): bigint {
	return sqrtPriceX96(worthOf(token0, usd), worthOf(token1, usd));
}

/**
 * Pays small revenue: coins from a marketplace, USDG from trading. The first tick pays and moves
 * everything.
 */
export function createRevenue({ economy, ethUsdAt, nowMs }: RevenueOptions): Revenue {
	const startS = Math.floor(nowMs() / 1_000);
	const doneAtS = { coins: -Infinity, dollars: -Infinity, price: -Infinity };
	return {
		async tick() {
			const atS = Math.floor(nowMs() / 1_000);
			const pace = atS - startS > FULL_PACE_S ? SLOW_FACTOR : 1;
			const isDue = (what: keyof typeof doneAtS, everyS: number): boolean => {
				if (atS - doneAtS[what] < everyS * pace) return false;
				doneAtS[what] = atS;
				return true;
			};
			if (isDue("coins", COINS_EVERY_S)) await economy.payCoins("marketplace", COINS_WEI);
			if (isDue("dollars", DOLLARS_EVERY_S)) await economy.payDollars("trading", DOLLARS_UNITS);
			if (isDue("price", PRICE_EVERY_S)) {
				await economy.movePrice({ tape: tapeUsdAt(atS), eth: ethUsdAt(atS) });
			}
		},
	};
}

/** Returns the dollars of one token: the same at a time in each sandbox. */
export function tapeUsdAt(timeS: number): number {
	return TAPE_USD * (1 + SWING * Math.sin((2 * Math.PI * timeS) / TURN_S));
}

/** Returns the same for each sandbox: everything stands where it always does. */
export function economySettings(): EconomySettings {
	const { token, router, burner } = economyAddresses;
	const pools = tapePools.map(({ address, token0, token1, fee }) => {
		const tokens: [string, string] = [token0.toLowerCase(), token1.toLowerCase()];
		return { address: address.toLowerCase(), tokens, fee };
	});
	const small = (address: string): string => address.toLowerCase();
	return {
		...{ token: small(token), router: small(router), burner: small(burner), pools },
		keeperWalletId: keeperWallet().id,
		currencies: [zeroAddress, small(stockAddresses.usdg)],
	};
}

function worthOf(token: Address, { tape, eth }: TapeUsd): Priced {
	const inUnits = (dollars: number): bigint => BigInt(Math.round(dollars * 1e8));
	if (token === stockAddresses.usdg) return { decimals: 6, usd: inUnits(1) };
	return { decimals: 18, usd: inUnits(token === economyAddresses.token ? tape : eth) };
}

function named(name: string): Address {
	return `0x${keccak256(stringToHex(`economy ${name}`)).slice(-40)}`;
}
