import { type Address, getContractAddress, keccak256, stringToHex } from "viem";
import { type Opening, type Pool, poolOf } from "../stocks/describeStockWorld.ts";
import { type Priced, spansOf, sqrtPriceX96, TICK_SPACING } from "../stocks/poolMath.ts";
import { stockAddresses } from "../stocks/stockAddresses.ts";

/** Deploys and owns the contracts of the economy, and pays revenue; nobody has its key. */
export const TREASURER: Address = "0x7ea50000000000000000000000000000000e4663";
/** Sandwiches buybacks; nobody has its key. */
export const SEARCHER: Address = "0x5ea4c40000000000000000000000000000004663";

/** Dollars of one token and of one ether. */
export type TapeUsd = { tape: number; eth: number };

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

function worthOf(token: Address, { tape, eth }: TapeUsd): Priced {
	const inUnits = (dollars: number): bigint => BigInt(Math.round(dollars * 1e8));
	if (token === stockAddresses.usdg) return { decimals: 6, usd: inUnits(1) };
	return { decimals: 18, usd: inUnits(token === economyAddresses.token ? tape : eth) };
}

function named(name: string): Address {
	return `0x${keccak256(stringToHex(`economy ${name}`)).slice(-40)}`;
}
