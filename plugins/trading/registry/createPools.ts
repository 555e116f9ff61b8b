// Ranks the configured pools, and leaves out those that cannot be trusted.

import { encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { readAbiUint } from "#core/chain/abi.ts";
import { type Address, type Hex, isAddress } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Log } from "#core/log.ts";
import { narrowestOf, narrowestTicks, readSlot0, SLOT0 } from "#plugins/trading/poolRatio.ts";
import type { Asset, Pool, Reference, SetAside } from "#plugins/trading/registry/createAssets.ts";
import { settleViews, type View } from "#plugins/trading/settleViews.ts";
import type { PoolTick } from "#plugins/trading/sql/poolPrices.ts";

export type PoolsOptions = {
	config: PoolsConfig;
	/** Uniswap's factory: pools that it does not know are not used. */
	factory: Address;
	/** Uniswap's QuoterV2, which says what a pool really pays. */
	quoter: Address;
	rpc: Rpc;
	log: Log;
	/** Returns those of these tokens that the registry has. */
	readAssets(tokens: readonly Address[]): Promise<readonly Asset[]>;
	reference: Reference;
	/** Limits the distance of a pool's price from its tokens' prices, in basis points. */
	deviationBpsMax: number;
};

export type Pools = {
	/** Returns the pools by what they offer on both sides: the deepest first, unread ones last. */
	ranked(): readonly Pool[];
	/** Returns the pools that are not used, and why. */
	setAside(): readonly SetAside[];
	/**
	 * Reads the pools again, and returns the price and the liquidity of each that can be read: none
	 * where it does not pay that on both sides. Where the chain does not answer, the ranking stays.
	 */
	refresh(signal: AbortSignal): Promise<readonly PoolTick[]>;
};

/** Holds what a pool promises at its price: its liquidity. */
type PoolSides = Pick<Pool, "token0" | "token1" | "feeBps100"> & {
	liquidity: bigint;
	sqrtPriceX96: bigint;
};

type PoolState = { liquidity: bigint; sqrtPriceX96: bigint; tick: number };
/** A pool, why it is not used (null: it is), and how far its price is from what is fair. */
type Judged = { pool: Pool; flaw: SetAside["flaw"] | null; offBps: number | null };

type Worth = { microsPerUnit: bigint; decimals: number };

/** Selectors of a pool's view, and of the factory's lookup. */
const LIQUIDITY = "0x1a686502";
const GET_POOL = "0x1698ee82";
const VIEWS_PER_POOL = 3;
const BPS = 10_000n;
const FEE_WHOLE = 1_000_000n;
/**
 * The least share, in basis points, of the amount promised by its liquidity that a pool must pay
 * out.
 */
const PAID_BPS = 9_000n;
const abi = parseAbi([
	"struct Single { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
	"function quoteExactInputSingle(Single params) returns (uint256 amountOut, uint160, uint32, uint256)",
]);
/** Limits a distance that is displayed as a figure, in basis points; it is far beyond any bound. */
const DISTANCE_MAX = 1_000_000_000n;

/** The most pools that can be configured. */
const POOLS_MAX = 256;
/** A pool's fee is below 100 %, in hundredths of a bip. */
const FEE_MAX = 999_999;

export const address = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isAddress, "an address is 0x and 40 hex digits");

const pool = z
	.strictObject({
		address,
		tokens: z.tuple([address, address]),
		fee: z.int().min(1).max(FEE_MAX),
	})
	.refine(({ tokens: [one, other] }) => one !== other, "a pool has two tokens");

/**
 * The shape of `TRADE_POOLS_JSON`: Uniswap V3 pools, which have no hooks. The fee is in hundredths
 * of a bip, as the pool has it.
 *
 * @example [{"address":"0x…","tokens":["0x…","0x…"],"fee":3000}]
 */
export const poolsConfig = z.array(pool).max(POOLS_MAX);

type PoolsConfig = z.output<typeof poolsConfig>;

/** The shape of `STOCK_FEEDS_JSON`: price feeds by token. */
export const feedsConfig = z
	.record(address, address)
	.refine((feeds) => Object.keys(feeds).length <= POOLS_MAX, `at most ${POOLS_MAX} feeds`);

/**
 * Keeps the configured pools ranked. Excludes pools that the factory does not know under their
 * tokens and fee, pools that cannot be read, and pools whose price is far from their tokens'
 * prices: by feeds, or else by the pool of the same two tokens that surely holds most.
 */
export function createPools(options: PoolsOptions): Pools {
	const { rpc, log, factory } = options;
	const configured = options.config.map(poolOf);
	let ranked: readonly Pool[] = configured;
	let setAside: readonly SetAside[] = [];
	let told = "";
	return {
		ranked: () => ranked,
		setAside: () => setAside,
		async refresh(signal) {
			if (configured.length === 0) return [];
			const views = configured.flatMap((pool) => viewsOf(pool, factory));
			const outcomes = await settleViews(rpc, views, { signal });
			const read = configured.map((pool, index) => {
				return stateOf(outcomes.slice(index * VIEWS_PER_POOL, (index + 1) * VIEWS_PER_POOL), pool);
			});
			const sides = await readSides(options, configured, read, signal);
			const offered = new Map(sides.map(({ pool, liquidity }) => [pool, liquidity]));
			const judged = await judgeAll(options, { pools: configured, read, offered });
			ranked = judged
				.filter(({ flaw }) => flaw === null)
				.map(({ pool }) => pool)
				.sort(byOffer(offered));
			setAside = judged.flatMap(({ pool, flaw, offBps }): SetAside[] => {
				return flaw ? [{ pool, flaw, offBps, boundBps: options.deviationBpsMax }] : [];
			});
			const flaws = judged.flatMap(({ pool, flaw }) => (flaw ? [`${pool.address} ${flaw}`] : []));
			if (flaws.join() !== told && flaws.length > 0) log.warn("pools are not used", { flaws });
			told = flaws.join();
			return sides;
		},
	};
}

function poolOf({ address, tokens, fee }: PoolsConfig[number]): Pool {
	const [one, other] = tokens;
	const [token0, token1] = one < other ? [one, other] : [other, one];
	return { address, token0, token1, feeBps100: fee, liquidity: null, version: "v3" };
}

function viewsOf({ address, token0, token1, feeBps100 }: Pool, factory: Address): View[] {
	const getPool: Hex = `${GET_POOL}${word(token0)}${word(token1)}${word(feeBps100)}`;
	return [
		{ to: factory, data: getPool },
		{ to: address, data: SLOT0 },
		{ to: address, data: LIQUIDITY },
	];
}

function word(value: Address | number): string {
	return BigInt(value).toString(16).padStart(64, "0");
}

function stateOf(
	outcomes: readonly RpcOutcome[],
	{ address }: Pool,
): PoolState | "not_of_factory" | "unreadable" {
	const [known, slot0, liquidity] = outcomes.map((outcome) => {
		return outcome.kind === "result" ? outcome.result : null;
	});
	const found = readAbiUint(known);
	if (found !== null && found !== BigInt(address)) return "not_of_factory";
	const price = readSlot0(slot0);
	const depth = readAbiUint(liquidity);
	if (found === null || price === null || depth === null) return "unreadable";
	return { liquidity: depth, ...price };
}

/** Reads both sides of pools, also of empty ones: a minute without liquidity is recorded. */
async function readSides(
	deps: Pick<PoolsOptions, "rpc" | "quoter">,
	pools: readonly Pool[],
	read: readonly ReturnType<typeof stateOf>[],
	signal: AbortSignal,
): Promise<PoolTick[]> {
	const found = pools.flatMap((pool, index) => {
		const state = read[index] ?? "unreadable";
		return typeof state === "string" ? [] : [{ ...pool, ...state }];
	});
	const offered = await readOffered(deps, found, signal);
	return found.flatMap(({ address, tick }, index): PoolTick[] => {
		const liquidity = offered[index] ?? null;
		return liquidity === null ? [] : [{ pool: address, tick, liquidity }];
	});
}

/**
 * Returns the liquidity that each pool offers on both sides of its price; null where no node says
 * it. A position may hold only one side of the price, where no one trades, and seem deep: so a pool
 * counts as empty where it does not pay on both sides what its liquidity promises.
 */
export async function readOffered(
	{ rpc, quoter }: { rpc: Pick<Rpc, "settle">; quoter: Address },
	pools: readonly PoolSides[],
	signal: AbortSignal,
): Promise<(bigint | null)[]> {
	const sides = pools.map((pool) => narrowestOf(pool, pool.feeBps100));
	const views = pools.flatMap(({ token0, token1, feeBps100 }, index): View[] => {
		const { raw0, raw1 } = sides[index] ?? { raw0: 0n, raw1: 0n };
		return [
			{ to: quoter, data: quoteCall({ tokenIn: token0, tokenOut: token1, feeBps100 }, raw0) },
			{ to: quoter, data: quoteCall({ tokenIn: token1, tokenOut: token0, feeBps100 }, raw1) },
		];
	});
	const outcomes = await settleViews(rpc, views, { signal });
	return pools.map(({ liquidity, feeBps100 }, index) => {
		const { raw0, raw1 } = sides[index] ?? { raw0: 0n, raw1: 0n };
		const paid = [outcomes[2 * index], outcomes[2 * index + 1]].map(paidOf);
		const [paid1, paid0] = paid;
		// A node that did not answer says nothing of the pool.
		if (paid1 === undefined || paid0 === undefined) return null;
		return pays(paid1, raw1, feeBps100) && pays(paid0, raw0, feeBps100) ? liquidity : 0n;
	});
}

function quoteCall(
	{ tokenIn, tokenOut, feeBps100: fee }: { tokenIn: Address; tokenOut: Address; feeBps100: number },
	amountIn: bigint,
): Hex {
	const args = [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }] as const;
	return encodeFunctionData({ abi, functionName: "quoteExactInputSingle", args });
}

/** Returns what a pool pays: nothing where that reverts; undefined where no node says it. */
function paidOf(outcome: RpcOutcome | undefined): bigint | undefined {
	if (outcome?.kind === "fault") return outcome.fault.code === "rpc_refused" ? 0n : undefined;
	const words = outcome?.result;
	if (typeof words !== "string" || !/^0x(?:[0-9a-f]{64}){4}$/i.test(words)) return undefined;
	return BigInt(words.slice(0, 66));
}

function pays(paidRaw: bigint, promisedRaw: bigint, feeBps100: number): boolean {
	const least = (promisedRaw * (FEE_WHOLE - BigInt(feeBps100)) * PAID_BPS) / (FEE_WHOLE * BPS);
	return promisedRaw > 0n && paidRaw >= least;
}

async function judgeAll(
	{ readAssets, reference, deviationBpsMax }: PoolsOptions,
	given: {
		pools: readonly Pool[];
		read: readonly ReturnType<typeof stateOf>[];
		offered: ReadonlyMap<Address, bigint>;
	},
): Promise<Judged[]> {
	const { pools, read, offered } = given;
	const worth = await worthOf({ readAssets, reference }, pools);
	const deepest = new Map<string, { state: PoolState; money: bigint }>();
	for (const [index, pool] of pools.entries()) {
		const state = read[index];
		if (state === undefined || typeof state === "string") continue;
		// As if it were in the narrowest position: liquidity alone costs its owner nothing.
		const money = (offered.get(pool.address) ?? 0n) * narrowestTicks(pool.feeBps100);
		const best = deepest.get(pairOf(pool));
		if (money > (best?.money ?? 0n)) deepest.set(pairOf(pool), { state, money });
	}
	return pools.map((pool, index): Judged => {
		const state = read[index] ?? "unreadable";
		if (typeof state === "string") return { pool, flaw: state, offBps: null };
		const fair = fairOf(worth.get(pool.token0), worth.get(pool.token1)) ?? {
			squareX192: (deepest.get(pairOf(pool))?.state ?? state).sqrtPriceX96 ** 2n,
		};
		const offBps = distanceBps(state.sqrtPriceX96 ** 2n, fair.squareX192);
		const flaw = offBps > BigInt(deviationBpsMax) ? "price" : null;
		return { pool: { ...pool, liquidity: state.liquidity }, flaw, offBps: Number(offBps) };
	});
}

/** Returns the price of each token of the pools; tokens without a known price are left out. */
async function worthOf(
	{ readAssets, reference }: Pick<PoolsOptions, "readAssets" | "reference">,
	pools: readonly Pool[],
): Promise<Map<Address, Worth>> {
	const tokens = [...new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]))];
	const found = await Promise.all(
		(await readAssets(tokens)).map(async (asset): Promise<[Address, Worth] | null> => {
			const price = await reference.priceUsd(asset);
			if (!price || "closed" in price) return null;
			return [asset.address, { microsPerUnit: price.microsPerUnit, decimals: asset.decimals }];
		}),
	);
	return new Map(found.filter((entry) => entry !== null));
}

function pairOf({ token0, token1 }: Pool): string {
	return `${token0}:${token1}`;
}

/** Returns the square of the pool's sqrtPrice at which both sides have equal value, times 2^192. */
function fairOf(
	worth0: Worth | undefined,
	worth1: Worth | undefined,
): { squareX192: bigint } | null {
	if (!worth0 || !worth1 || worth1.microsPerUnit === 0n || worth0.microsPerUnit === 0n) return null;
	const above = worth0.microsPerUnit * 10n ** BigInt(worth1.decimals);
	const below = worth1.microsPerUnit * 10n ** BigInt(worth0.decimals);
	return { squareX192: (above << 192n) / below };
}

/** Returns how far a value is from a fair one, in basis points of that, rounded up. */
function distanceBps(value: bigint, fair: bigint): bigint {
	const distance = value > fair ? value - fair : fair - value;
	const found = fair === 0n ? DISTANCE_MAX : (distance * BPS + fair - 1n) / fair;
	return found > DISTANCE_MAX ? DISTANCE_MAX : found;
}

/** Sorts by what pools offer on both sides of their price: one that only sells is tried last. */
function byOffer(offered: ReadonlyMap<Address, bigint>) {
	return (a: Pool, b: Pool): number => {
		const more = (offered.get(b.address) ?? 0n) - (offered.get(a.address) ?? 0n);
		if (more !== 0n) return more > 0n ? 1 : -1;
		return byLiquidity(a, b);
	};
}

function byLiquidity(a: Pool, b: Pool): number {
	const [of, to] = [a.liquidity ?? -1n, b.liquidity ?? -1n];
	if (of === to) return a.address < b.address ? -1 : 1;
	return of > to ? -1 : 1;
}
