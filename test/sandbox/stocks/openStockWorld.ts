// Opens the stock world on a chain, and hands out money to trade with.

import { type Address, encodeFunctionData, getAddress, type Hex, parseUnits, toHex } from "viem";
import { createRpc } from "../createRpc.ts";
import { createSender, deployStockWorld, type SenderTx } from "./deployStockWorld.ts";
import {
	cataloguePrices,
	decoyPools,
	describeStockWorld,
	honestV4Pools,
	type Pool,
	type PoolKey,
	type Prices,
	priceOf,
	type Stock,
	type StockPlace,
	type V4Pool,
	v4PriceOf,
} from "./describeStockWorld.ts";
import { forgetPrices, makeRoom } from "./poolMemory.ts";
import { makerAbi, stockAbi, stockAddresses, stockFeedAbi } from "./stockCatalogue.ts";

export type StockWorldOptions = {
	/** Current prices; the catalogue's for missing names. */
	prices?: Prices;
};

/** Stocks, their pools and feeds on an anvil, and the functions that change them. */
export type StockWorld = StockPlace & {
	addresses: typeof stockAddresses;
	/** Honest V4 pools, which move like V3's, and the nine hundred decoys. */
	v4: { pools: readonly V4Pool[]; decoys: readonly V4Pool[] };
	/** True if it was deployed just now. */
	isNew: boolean;
	/** Returns a stock; throws for an unknown ticker. */
	stock(ticker: string): Stock;
	/** Mints tokens; for WETH it wraps ether. */
	give(token: Address, to: Address, raw: bigint): Promise<void>;
	/** Moves every pool of these tokens to their new price and updates all feeds, some, or none. */
	moveMarket(
		prices: Prices,
		options?: { feeds?: boolean | readonly string[]; pools?: boolean },
	): Promise<void>;
	/**
	 * Publishes a round: an answer in hundred-millionths of a dollar, as of now or of a given time.
	 */
	setFeed(name: string, answer: bigint, updatedAtS?: number): Promise<void>;
	/** Makes a feed revert, or work again. */
	setFeedDead(name: string, isDead: boolean): Promise<void>;
	/** Leaves a pool this part of its liquidity, in basis points; 10,000 fills it again. */
	drain(pool: Pool, keepBps?: number): Promise<void>;
	setPaused(token: Address, to: boolean): Promise<void>;
	setBlocked(token: Address, account: Address, to: boolean): Promise<void>;
	/** Sets the fee that the token keeps of each transfer, in basis points. */
	setTransferFee(token: Address, bps: number): Promise<void>;
	/** Multiplies all balances by index / 1e18. */
	rebase(token: Address, index: bigint): Promise<void>;
	rename(token: Address, symbol: string): Promise<void>;
	/** Takes effect at `atS`; without it at once. */
	setMultiplier(token: Address, multiplier: bigint, atS?: number): Promise<void>;
	setOraclePaused(token: Address, to: boolean): Promise<void>;
	/**
	 * Has pools keep a history of their prices, and remember no other than that of now: as if it had
	 * been this for a day. So the mean of half an hour can be asked for at once.
	 */
	settlePrices(): Promise<void>;
};

/** The settings of a service for the stock world, except its chain's URL. */
export type StockSettings = {
	/** TRADE_POOLS_JSON */
	pools: { address: string; tokens: [string, string]; fee: number }[];
	/** TRADE_V4_POOLS_JSON */
	v4Pools: { tokens: [string, string]; fee: number; tickSpacing: number }[];
	/** STOCK_FEEDS_JSON: feeds by token. */
	feeds: Record<string, string>;
};

type TokenHands = Pick<
	StockWorld,
	| "setPaused"
	| "setBlocked"
	| "setTransferFee"
	| "rebase"
	| "rename"
	| "setMultiplier"
	| "setOraclePaused"
>;

type Place = Pick<StockWorld, "pools" | "v4" | "stocks" | "addresses" | "feeds">;

const BLOCK_GAS_LIMIT = toHex(300_000_000);
/** The ether that it wraps when a pool needs WETH. */
const MAKER_WEALTH = toHex(10n ** 27n);

const HEARTBEAT_SECONDS = 3_600;

/**
 * Opens the stock world on an anvil of chain 4663: deploys it if it is missing. It sends from an
 * account of its own, and sets the block gas limit to 300 million.
 */
export async function openStockWorld(
	rpcUrl: string,
	options: StockWorldOptions = {},
): Promise<StockWorld> {
	const rpc = createRpc(rpcUrl);
	const place = describeStockWorld();
	const prices = { ...cataloguePrices(), ...options.prices };
	await rpc.batch([
		{ method: "evm_setBlockGasLimit", params: [BLOCK_GAS_LIMIT] },
		{ method: "anvil_setBalance", params: [stockAddresses.maker, MAKER_WEALTH] },
	]);
	const send = await createSender(rpc, stockAddresses.issuer);
	const code = await rpc.call("eth_getCode", [stockAddresses.maker, "latest"]);
	const isNew = code === "0x";
	if (isNew) {
		await deployStockWorld(rpc, { send, prices });
		await send([movementOf(place, { pools: [], names: Object.keys(place.feeds), prices })]);
	}
	const call = (to: Address, data: Hex, value = 0n) => send([{ to, data, value }]);
	const { stocks } = place;
	return {
		...place,
		addresses: stockAddresses,
		v4: { pools: honestV4Pools(), decoys: decoyPools() },
		isNew,
		stock(ticker) {
			const stock = stocks.find((one) => one.ticker === ticker);
			if (!stock) throw new Error(`no stock is called ${ticker}`);
			return stock;
		},
		give: (token, to, raw) => send(giftOf(token, to, raw)),
		async moveMarket(changes, { feeds = true, pools = true } = {}) {
			Object.assign(prices, changes);
			const names = Object.keys(changes);
			const moved = place.pools.filter((pool) => {
				return (
					pools && names.some((name) => tokensOf(place, name).some((token) => isIn(pool, token)))
				);
			});
			const all = feeds ? names : [];
			const told = typeof feeds === "boolean" ? all : feeds;
			await send([movementOf(place, { pools: moved, names: told, prices })]);
		},
		setFeed: (name, answer, updatedAtS = 0) =>
			call(feedOf(place, name), publishOf(answer, updatedAtS)),
		setFeedDead: (name, isDead) =>
			call(
				feedOf(place, name),
				encodeFunctionData({ abi: stockFeedAbi, functionName: "setDead", args: [isDead] }),
			),
		drain: ({ address }, keepBps = 0) =>
			call(
				stockAddresses.maker,
				encodeFunctionData({
					abi: makerAbi,
					functionName: "keep",
					args: [address, BigInt(keepBps)],
				}),
			),
		...tokenHands(call),
		async settlePrices() {
			await send(place.pools.map(makeRoom));
			await forgetPrices(rpc, place.pools);
		},
	};
}

/** Returns the configured pools, including those of bad tokens, and the feeds of stocks. */
export function stockSettings({ pools, v4, stocks }: Place): StockSettings {
	const configured = pools.map(({ address, token0, token1, fee }) => {
		const tokens: [string, string] = [token0.toLowerCase(), token1.toLowerCase()];
		return { address: address.toLowerCase(), tokens, fee };
	});
	const feeds = stocks.flatMap(({ address, feed }) =>
		feed ? [[address.toLowerCase(), feed.toLowerCase()]] : [],
	);
	const v4Pools = v4.pools.map(({ key: { currency0, currency1, fee, tickSpacing } }) => {
		const tokens: [string, string] = [currency0.toLowerCase(), currency1.toLowerCase()];
		return { tokens, fee, tickSpacing };
	});
	return { pools: configured, v4Pools, feeds: Object.fromEntries(feeds) };
}

/**
 * Returns the home chain's part of `USD_FEEDS_JSON`. Without ether: of several feeds the one on the
 * lowest chain id is used, and the market's chain has the history of its rates.
 */
export function homeFeeds({ addresses, feeds }: Place): Record<string, unknown> {
	const { USDG: feed } = feeds;
	const usdg = { feed, heartbeatSeconds: HEARTBEAT_SECONDS, symbol: "USDG" };
	return { 4663: { [addresses.usdg]: usdg } };
}

/** Gives users currencies to trade with and stocks to sell. */
export async function handOut(
	{ addresses, stock, give }: Pick<StockWorld, "addresses" | "stock" | "give">,
	people: readonly Address[],
): Promise<void> {
	const { usdg, weth } = addresses;
	const gifts: [Address, bigint][] = [
		[usdg, parseUnits("20000", 6)],
		[weth, parseUnits("5", 18)],
		[stock("AAPL").address, parseUnits("12", 18)],
		[stock("TSLA").address, parseUnits("4", 18)],
		[stock("GME").address, parseUnits("30", 18)],
	];
	for (const to of people) for (const [token, raw] of gifts) await give(token, to, raw);
}

/**
 * Returns one transaction that moves pools and feeds; a pool with a paused token cannot be moved.
 */
function movementOf(
	{ feeds, bad }: StockPlace,
	{ pools, names, prices }: { pools: readonly Pool[]; names: readonly string[]; prices: Prices },
): SenderTx {
	const moves4 = honestV4Pools()
		.filter(({ key }) => pools.some((pool) => isSamePair(pool, key)))
		.map(({ key }) => ({ key, sqrtPriceX96: v4PriceOf(key, prices) }));
	const moves = pools
		.filter((pool) => !isOf(pool, bad.paused))
		.map((pool) => ({ pool: pool.address, sqrtPriceX96: priceOf(pool, prices) }));
	const rounds = names.flatMap((name) => {
		const feed = feeds[name];
		return feed ? [{ feed, answer: BigInt(Math.round((prices[name] ?? 0) * 1e8)) }] : [];
	});
	const args = [moves, moves4, rounds] as const;
	const data = encodeFunctionData({ abi: makerAbi, functionName: "move", args });
	return { to: stockAddresses.maker, data };
}

function isSamePair({ token0, token1 }: Pool, { currency0, currency1 }: PoolKey): boolean {
	return token0 === currency0 && token1 === currency1;
}

function isOf(pool: Pool, { pools }: Stock): boolean {
	return pools.some(({ address }) => address === pool.address);
}

function giftOf(token: Address, to: Address, raw: bigint): SenderTx[] {
	const isWrapped = getAddress(token) === stockAddresses.weth;
	const args = [to, raw] as const;
	const functionName = isWrapped ? "transfer" : "mint";
	const gift = { to: token, data: encodeFunctionData({ abi: stockAbi, functionName, args }) };
	// WETH wraps the ether that it receives.
	return isWrapped ? [{ to: token, data: "0x", value: raw }, gift] : [gift];
}

function tokensOf({ stocks }: StockPlace, name: string): Address[] {
	if (name === "ETH") return [stockAddresses.weth];
	if (name === "USDG") return [stockAddresses.usdg];
	return stocks.filter(({ ticker }) => ticker === name).map(({ address }) => address);
}

function isIn({ token0, token1 }: Pool, token: Address): boolean {
	return token0 === token || token1 === token;
}

function feedOf({ feeds }: StockPlace, name: string): Address {
	const feed = feeds[name];
	if (!feed) throw new Error(`${name} has no feed`);
	return feed;
}

function publishOf(answer: bigint, updatedAtS: number): Hex {
	const args = [answer, BigInt(updatedAtS)] as const;
	return encodeFunctionData({ abi: stockFeedAbi, functionName: "publish", args });
}

function tokenHands(call: (to: Address, data: Hex) => Promise<void>): TokenHands {
	const abi = stockAbi;
	return {
		setPaused: (token, to) =>
			call(token, encodeFunctionData({ abi, functionName: "setPaused", args: [to] })),
		setBlocked: (token, account, to) =>
			call(token, encodeFunctionData({ abi, functionName: "setBlocked", args: [account, to] })),
		setTransferFee: (token, bps) =>
			call(token, encodeFunctionData({ abi, functionName: "setFee", args: [BigInt(bps)] })),
		rebase: (token, index) =>
			call(token, encodeFunctionData({ abi, functionName: "rebase", args: [index] })),
		rename: (token, symbol) =>
			call(token, encodeFunctionData({ abi, functionName: "rename", args: [symbol] })),
		setMultiplier: (token, multiplier, atS = 0) =>
			call(
				token,
				encodeFunctionData({ abi, functionName: "setMultiplier", args: [multiplier, BigInt(atS)] }),
			),
		setOraclePaused: (token, to) =>
			call(token, encodeFunctionData({ abi, functionName: "setOraclePaused", args: [to] })),
	};
}
