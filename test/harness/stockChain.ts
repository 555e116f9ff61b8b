// Starts a chain of stock tokens, registers them, and inserts people who trade them.

import { type Hex, hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { CustodyTransaction } from "#plugins/custody/contract.ts";
import { skeletonOf } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { nodeAccount, nodeAccounts } from "#test/harness/fixtures.ts";
import {
	cataloguePrices,
	describeStockWorld,
	openingsOf,
} from "#test/sandbox/stocks/describeStockWorld.ts";
import { openStockWorld, type StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

/** The home chain's id, as in production. */
export const STOCK_CHAIN_ID = 4663;
const lower = (address: string) => address.toLowerCase() as Address;

export type Trader = { profile: Profile; wallet: Wallet; token: string };
export type TraderOptions = {
	/** The index of the node's account that is the wallet. */
	account?: number;
	capability?: Wallet["capability"];
	requireTradeConfirmation?: boolean;
	perTradeUsdMax?: bigint;
	dailyUsdMax?: bigint;
};

/** Starts a chain 4663 with Uniswap, stocks and pools, for all tests of a file. */
export async function startStockChain(
	more: readonly string[] = [],
): Promise<{ anvil: Anvil; world: StockWorld }> {
	const anvil = await startAnvil({ args: ["--chain-id", String(STOCK_CHAIN_ID), ...more] });
	return { anvil, world: await openStockWorld(anvil.url) };
}

const isFirst = (stock: Ticker, at: number, all: readonly Ticker[]) => {
	return all.findIndex(({ ticker }) => skeletonOf(ticker) === skeletonOf(stock.ticker)) === at;
};
type Ticker = { ticker: string };

/** Puts the world's tokens into the registry, checked and active. */
export async function registerStocks(db: Database, world: StockWorld): Promise<void> {
	const { weth, usdg } = world.addresses;
	const money = { uid: null, feed: null, multiplier: null } as const;
	const rows = [
		newAssetRow({ ...money, symbol: "WETH", address: lower(weth), kind: "wrapped" }),
		newAssetRow({ ...money, symbol: "USDG", address: lower(usdg), kind: "stable", decimals: 6 }),
		// Lookalikes are never in a registry.
		...[...world.stocks, ...Object.values(world.bad)]
			.filter(isFirst)
			.map(({ ticker, address, feed, multiplier, decimals }) =>
				newAssetRow({
					...{ symbol: ticker, address: lower(address), multiplier, decimals },
					feed: feed && lower(feed),
				}),
			),
	];
	await db.transaction(async (tx) => {
		for (const row of rows) await assetRows.write(tx, row);
	});
	await recordPools(db, world.pools);
}

/**
 * Records the price at which these pools opened for each minute of the last hour and the next two,
 * as a service would that runs as long.
 */
export async function recordPools(db: Database, pools: StockWorld["pools"]): Promise<void> {
	const openings = openingsOf(cataloguePrices());
	const all = describeStockWorld().pools;
	for (const { address } of pools) {
		const opening = openings[all.findIndex((one) => one.address === address)];
		if (!opening) throw new Error("a pool that the world does not open");
		const price = (Number(opening.sqrtPriceX96) / 2 ** 96) ** 2;
		await db.execute(
			`insert into trading.pool_price (pool, minute, tick_sum, samples, liquidity)
			select $1, minute, $2, 1, $3::text::numeric from generate_series(
				date_trunc('minute', now()) - interval '1 hour',
				date_trunc('minute', now()) + interval '2 hours', interval '1 minute') as minute
			on conflict do nothing`,
			[
				...[hexToBytes(address), Math.floor(Math.log(price) / Math.log(1.0001))],
				String(opening.spans.reduce((sum, { liquidity }) => sum + liquidity, 0n)),
			],
		);
	}
}

/** Signs with the key that the node has for the sender, and broadcasts. */
export async function broadcast(anvil: Anvil, transaction: CustodyTransaction): Promise<Hex> {
	const signer = nodeAccounts().find(({ address }) => lower(address) === transaction.from);
	if (!signer) throw new Error("a wallet that is none of the node's");
	const { chainId, nonce, to, valueRaw: value, data, gasLimit: gas } = transaction;
	const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
	const raw = await signer.signTransaction({
		...{ chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas },
	});
	return anvil.rpc<Hex>("eth_sendRawTransaction", [raw]);
}

/** Inserts a profile with one wallet, which is an account of the node. */
export async function insertTrader(
	{ db, clock }: { db: Database; clock: { ms: number } },
	options: TraderOptions,
): Promise<Trader> {
	const { account = 1, capability = "embedded/delegated" } = options;
	const address = hexToBytes(nodeAccount(account).address);
	const [id, walletId] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
	const at = new Date(clock.ms);
	await db.execute(
		"update wallets.wallet set removed_at = $2 where address = $1 and removed_at is null",
		[address, at],
	);
	await db.execute(
		`insert into wallets.profile
			(id, require_trade_confirmation, per_trade_usd_max, daily_usd_max, created_at)
		values ($1, $2, $3, $4, $5)`,
		[
			...[id, options.requireTradeConfirmation ?? false, options.perTradeUsdMax ?? null],
			...[options.dailyUsdMax ?? null, at],
		],
	);
	const name = capability.startsWith("embedded") ? `pw-${walletId}` : null;
	await db.execute(
		`insert into wallets.wallet
			(id, profile_id, address, chain_id, capability, provider_wallet_id, created_at)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		[walletId, id, address, STOCK_CHAIN_ID, capability, name, at],
	);
	const profile = await readProfile(db, { id });
	const wallet = profile?.wallets[0];
	if (!profile || !wallet) throw new Error("the trader is not there");
	return { profile, wallet, token: id };
}
