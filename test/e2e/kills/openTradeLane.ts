// Opens the chains that processes die on, and a lane that trades stocks.

import { type Hex, pad } from "viem";
import {
	type KillChain,
	type KillLane,
	type KillWorld,
	openLane,
} from "#test/e2e/kills/openKillLane.ts";
import { bundleKillable } from "#test/e2e/kills/startKillable.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { registerStocks, startStockChain } from "#test/harness/stockChain.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

export type TradeLane = KillLane<KillChain> & { stocks: StockWorld };

/** How much of a token left the wallet or arrived there (raw units), in how many transfers. */
export type Moved = { times: number; raw: bigint };

const BLOCK_EVERY_MS = 60;

const PURSE_RAW = 100_000n * 1_000_000n;
/** A feed never goes stale, however far the lane's clock is ahead of the chain's. */
const FEEDS_SILENT_S = 86_400;
/**
 * States of so many blocks are kept: each is a third of a megabyte, and `prove` mines many
 * thousands.
 */
const STATES_KEPT = 1_000;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Opens a lane on a chain 4663 of its own, with pools and stocks, whose wallet has dollars. */
export async function openTradeLane(): Promise<TradeLane> {
	const [{ anvil, world: stocks }, bundle] = await Promise.all([
		startStockChain(["--prune-history", String(STATES_KEPT)]),
		bundleKillable(),
	]);
	const { usdg } = stocks.addresses;
	const pools = stocks.pools.map(({ address, token0, token1, fee }) => {
		return { address, tokens: [token0, token1], fee };
	});
	const chain = await openKillChain({ anvil, bundle });
	const lane = await openLane(chain, {
		...{ index: 0, chain: "robinhood" },
		env: {
			STAND_IN_COIN: usdg.toLowerCase(),
			STAND_IN_DOLLAR: usdg.toLowerCase(),
			TRADE_POOLS_JSON: JSON.stringify(pools),
			TRADE_QUOTE_TIMEOUT_MS: "15000",
			STOCK_ELIGIBILITY: "open",
			STOCK_MARKET_HOURS: "always",
			STOCK_FEED_SILENT_SECONDS: String(FEEDS_SILENT_S),
		},
		async prepare({ address, db }) {
			await registerStocks(db, stocks);
			await chain.whileMining(() => stocks.give(usdg, address, PURSE_RAW));
		},
	});
	return {
		...lane,
		// The wallet exists only from here on.
		get wallet() {
			return lane.wallet;
		},
		stocks,
		async stop() {
			await lane.stop();
			await chain.stop();
		},
	};
}

export async function openKillWorld(): Promise<KillWorld> {
	const [anvil, bundle] = await Promise.all([startAnvil(), bundleKillable()]);
	const seaport = await deploySeaport(anvil);
	return { ...(await openKillChain({ anvil, bundle })), seaport };
}

/** Makes the chain mine at an interval from now on. */
async function openKillChain(parts: Pick<KillChain, "anvil" | "bundle">): Promise<KillChain> {
	const { anvil, bundle } = parts;
	await anvil.rpc("evm_setAutomine", [false]);
	const holders = new Set<symbol>();
	const takeTurn = createTurns();
	const hold = () => {
		const holder = Symbol();
		holders.add(holder);
		return () => void holders.delete(holder);
	};
	let needed = 0;
	let mining: Promise<unknown> | null = null;
	const waiting: (() => void)[] = [];
	const timer = setInterval(() => {
		if (mining || (holders.size > 0 && needed === 0)) return;
		mining = anvil
			.rpc("evm_mine")
			.then(() => {
				for (const resolve of waiting.splice(0)) resolve();
			})
			.catch(() => {})
			.finally(() => {
				mining = null;
			});
	}, BLOCK_EVERY_MS);
	return {
		...{ anvil, bundle },
		holdMining: hold,
		nextBlock: () => new Promise<void>((resolve) => void waiting.push(resolve)),
		async holdMiningAlone() {
			const leave = await takeTurn();
			const release = hold();
			return () => {
				release();
				leave();
			};
		},
		async whileMining(act) {
			const leave = await takeTurn();
			needed++;
			return act().finally(() => {
				needed--;
				leave();
			});
		},
		async stop() {
			clearInterval(timer);
			await anvil.stop();
			await bundle.remove();
		},
	};
}

/**
 * Returns how much of a token moved from or to the wallet since a block, by the token's own logs.
 */
export async function movedSince(
	{ world: { anvil }, wallet }: TradeLane,
	of: { token: Hex; fromBlock: Hex; side: "from" | "to" },
): Promise<Moved> {
	const account = pad(wallet.address);
	const topics = of.side === "from" ? [TRANSFER, account] : [TRANSFER, null, account];
	const { token: address, fromBlock } = of;
	const filter = { address, fromBlock, toBlock: "latest", topics };
	const logs = await anvil.rpc<{ data: Hex }[]>("eth_getLogs", [filter]);
	return { times: logs.length, raw: logs.reduce((sum, { data }) => sum + BigInt(data), 0n) };
}

/** Returns the router's allowance of the wallet's dollars. */
export async function allowedRaw({ world: { anvil }, wallet, stocks }: TradeLane): Promise<bigint> {
	const { usdg, router } = stocks.addresses;
	const data = `0xdd62ed3e${pad(wallet.address).slice(2)}${pad(router).slice(2).toLowerCase()}`;
	return BigInt(await anvil.rpc<string>("eth_call", [{ to: usdg, data }, "latest"]));
}

/** Makes a queue of turns: a turn lasts until its function is called. */
function createTurns(): () => Promise<() => void> {
	let last = Promise.resolve();
	return async () => {
		const before = last;
		const own = Promise.withResolvers<void>();
		last = own.promise;
		await before;
		return own.resolve;
	};
}
