// Opens one wallet that does everything on one chain, and holds its ledger against both chains.

import { encodeFunctionData, type Hex, pad, zeroAddress } from "viem";
import {
	type KillLane,
	type KillPlace,
	laneClock,
	openLane,
} from "#test/e2e/kills/openKillLane.ts";
import { type Owner, openOwner } from "#test/e2e/kills/openOwner.ts";
import { bundleKillable } from "#test/e2e/kills/startKillable.ts";
import {
	USDG as BRIDGED,
	type BridgeWorldParts,
	openBridgeWorld,
} from "#test/harness/openBridgeLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { registerStocks, startStockChain } from "#test/harness/stockChain.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

export type LedgerLane = KillLane<Place> & {
	/** What is bridged, traded and sent, by what a test calls it. */
	tokens: { usdg: Hex; tsla: Hex; nvda: Hex; bridged: Hex };
	/** Sends with a wallet of its own, in all the ways in which such a wallet does. */
	owner: Owner;
	/** Reads a token's or the coin's balance. */
	balanceOf(chainId: number, currency: string, account: string): Promise<bigint>;
};

/** What the wallet held, by `chain currency`, and how many transactions there were. */
export type Holdings = { byKey: ReadonlyMap<string, bigint>; transactions: number };

type Place = KillPlace & {
	bridges: BridgeWorldParts;
	stocks: StockWorld;
	seaport: SeaportChain;
};

const HOME = 4_663;
const MARKET = 31_337;
/** What takes tokens for the bridge that owners signed for. */
const APPROVAL_PROXY: Hex = "0x00000000000000000000000000000000a997070a";
const DEPOSITORY: Hex = "0x00000000000000000000000000000000de905170";
const STATES_KEPT = 1_000;
const PURSE_RAW = 100_000n * 1_000_000n;
const COINS = "0x21e19e0c9bab2400000";
/** A feed never goes stale, however far the lane's clock is ahead of the chain's. */
const FEEDS_SILENT_S = 86_400;
const BETWEEN_LIVES_MS = 20_000;

/**
 * Opens a lane on a chain 4663 with pools, stocks, a marketplace and one end of a bridge. Its nodes
 * mine at once; their time goes with the lane's, as offers end by it.
 */
export async function openLedgerLane(): Promise<LedgerLane> {
	const clock = laneClock();
	const [{ anvil: home, world: stocks }, bundle] = await Promise.all([
		startStockChain(["--prune-history", String(STATES_KEPT)]),
		bundleKillable(),
	]);
	const seaport = await deploySeaport(home);
	const bridges = await openBridgeWorld({ clock, made: home });
	const { market, custody } = bridges;
	const usdg = stocks.addresses.usdg.toLowerCase() as Hex;
	const pools = stocks.pools.map(({ address, token0, token1, fee }) => {
		return { address, tokens: [token0, token1], fee };
	});
	const place: Place = { anvil: home, bundle, bridges, stocks, seaport };
	const lane = await openLane<Place>(place, {
		...{ index: 0, chain: "robinhood", made: { clock, custody } },
		env: {
			...bridges.env,
			CHAINS: "robinhood",
			...{ STAND_IN_COIN: seaport.tokens.coin, STAND_IN_DOLLAR: `${usdg},${BRIDGED}` },
			// As the pools have it.
			STAND_IN_ETH_USD: "2500",
			...{ STAND_IN_CHAIN: "robinhood", STOCK_FEED_SILENT_SECONDS: String(FEEDS_SILENT_S) },
			...{ TRADE_POOLS_JSON: JSON.stringify(pools), TRADE_QUOTE_TIMEOUT_MS: "15000" },
			...{ STOCK_ELIGIBILITY: "open", STOCK_MARKET_HOURS: "always" },
		},
		async prepare({ address, db }) {
			await registerStocks(db, stocks);
			for (const chain of [home, market]) await chain.rpc("anvil_setBalance", [address, COINS]);
			await stocks.give(usdg, address, PURSE_RAW);
			await stocks.give(stocks.stock("TSLA").address, address, 10n ** 20n);
			const args = [address, PURSE_RAW] as const;
			const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
			const [from] = await home.rpc<string[]>("eth_accounts");
			await home.rpc("eth_sendTransaction", [{ from, to: BRIDGED, data }]);
			await home.mined();
		},
	});
	const pass = async (ms: number) => {
		for (const chain of [market, home]) {
			await chain.rpc("evm_increaseTime", [Math.ceil(ms / 1_000)]);
			await chain.rpc("evm_mine");
		}
	};
	const { ask, db } = lane;
	const owner = await openOwner({ ask, anvil: home, custody, db, chain: "robinhood" });
	const address = (ticker: string) => stocks.stock(ticker).address.toLowerCase() as Hex;
	return {
		...lane,
		owner,
		get wallet() {
			return lane.wallet;
		},
		tokens: { usdg, tsla: address("TSLA"), nvda: address("NVDA"), bridged: BRIDGED },
		async balanceOf(chainId, currency, account) {
			const { rpc } = chainId === HOME ? home : market;
			if (currency === zeroAddress)
				return BigInt(await rpc<Hex>("eth_getBalance", [account, "latest"]));
			const data = `0x70a08231${pad(account as Hex).slice(2)}`;
			return BigInt(await rpc<Hex>("eth_call", [{ to: currency, data }, "latest"]));
		},
		async tick(ms) {
			await pass(ms);
			return await lane.tick(ms);
		},
		async revive() {
			await pass(BETWEEN_LIVES_MS);
			await lane.revive();
		},
		async stop() {
			await lane.stop();
			await bridges.stop();
			await bundle.remove();
		},
	};
}

/** Takes down what the wallet holds of everything that is moved here. */
export async function holdingsOf(lane: LedgerLane): Promise<Holdings> {
	const { address } = lane.wallet;
	const all: [number, string][] = [
		[HOME, zeroAddress],
		[MARKET, zeroAddress],
		...Object.values(lane.tokens).map((token): [number, string] => [HOME, token]),
	];
	const held = await Promise.all(
		all.map(async ([chainId, currency]): Promise<[string, bigint]> => {
			return [`${chainId} ${currency}`, await lane.balanceOf(chainId, currency, address)];
		}),
	);
	return { byKey: new Map(held), transactions: lane.custody.transactions().length };
}

/**
 * Compares the spend ledger, what trades and bridges say that arrived, and the gas of each
 * transaction with what the wallet has. Returns a sentence for each currency that is off by a unit.
 */
export async function judgeLedger(lane: LedgerLane, before: Holdings): Promise<string[]> {
	const changes = new Map<string, bigint>();
	const count = (key: string, raw: bigint) => changes.set(key, (changes.get(key) ?? 0n) + raw);
	for (const { key, raw } of await booked(lane)) count(key, BigInt(raw));
	const problems: string[] = [];
	for (const { caip2, hash } of lane.custody.transactions()) {
		const chainId = Number(caip2.split(":")[1]);
		const { home, market } = lane.world.bridges;
		type Told = { gasUsed: string; effectiveGasPrice: string } | null;
		const { rpc } = chainId === HOME ? home : market;
		const receipt = await rpc<Told>("eth_getTransactionReceipt", [hash]);
		if (!receipt) problems.push(`${hash} is in no block`);
		else {
			const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
			count(`${chainId} ${zeroAddress}`, -gas);
		}
	}
	for (const [key, held] of (await holdingsOf(lane)).byKey) {
		const really = held - (before.byKey.get(key) ?? 0n);
		const told = changes.get(key) ?? 0n;
		if (really !== told) problems.push(`${key}: changed by ${really}, the books say ${told}`);
	}
	const [row] = await lane.db.query<{ open: number; mined: number }>(
		`select (select count(*)::int from (
				select intent_id from wallets.spend_entry group by intent_id
				having sum(case when kind in ('reserve', 'unspend', 'unrelease') then amount_raw
					else -amount_raw end) <> 0) as o) as open,
			(select count(*)::int from wallets.submission
				where state in ('mined', 'reverted') and wallet_id = $1) as mined`,
		[lane.wallet.id],
	);
	if (row?.open !== 0) problems.push(`${row?.open} intents keep something reserved`);
	const sent = lane.custody.transactions().length - before.transactions;
	if (sent !== row?.mined) problems.push(`the provider sent ${sent}, we know ${row?.mined}`);
	return [...problems, ...(await judgeStrangers(lane))];
}

/** What our own books say that left and came, by `chain currency`. */
async function booked(lane: LedgerLane): Promise<{ key: string; raw: string }[]> {
	return lane.db.query<{ key: string; raw: string }>(
		`select chain_id || ' 0x' || encode(currency, 'hex') as key,
			sum(case kind when 'spend' then -amount_raw when 'unspend' then amount_raw else 0 end)::text
				as raw
		from wallets.spend_entry where wallet_id = $1 group by 1
		union all
		select '${HOME} ' || (terms->'buy'->>'address'), (settled->>'receivedRaw')
		from trading.trade where settled is not null
		union all
		select out_chain_id || ' 0x' || encode(out_currency, 'hex'), arrived_raw::text
		from bridge.bridge where out_hash is not null and status in ('success', 'refund')`,
		[lane.wallet.id],
	);
}

/**
 * Whoever money goes through keeps nothing of it, and may take no more than what a trade that was
 * not done left allowed, which its owner sees with that trade.
 */
async function judgeStrangers(lane: LedgerLane): Promise<string[]> {
	const { stocks, seaport } = lane.world;
	const { router, weth } = stocks.addresses;
	const tokens = [weth, ...Object.values(lane.tokens)];
	const left = await lane.db.query<{ raw: string }>(
		`select t.approval->>'amountRaw' as raw from trading.trade t
		join wallets.intent i on i.id = t.intent_id
		where i.status <> 'confirmed' and t.approval is not null`,
	);
	const seen = new Set(left.map(({ raw }) => BigInt(raw)));
	const problems: string[] = [];
	for (const spender of [router, seaport.address, APPROVAL_PROXY, DEPOSITORY]) {
		for (const currency of [zeroAddress, ...tokens]) {
			// What was deposited is the bridge's.
			const kept = spender === DEPOSITORY ? 0n : await lane.balanceOf(HOME, currency, spender);
			if (kept !== 0n) problems.push(`${spender} keeps ${kept} of ${currency}`);
			const allowed = currency === zeroAddress ? 0n : await allowedTo(lane, currency, spender);
			const isSeen = spender === router && seen.has(allowed);
			if (allowed !== 0n && !isSeen) {
				problems.push(`${spender} may still take ${allowed} of ${currency}`);
			}
		}
	}
	return problems;
}

async function allowedTo(lane: LedgerLane, token: string, spender: string): Promise<bigint> {
	const data = `0xdd62ed3e${pad(lane.wallet.address).slice(2)}${pad(spender as Hex).slice(2)}`;
	const call = [{ to: token, data: data.toLowerCase() }, "latest"];
	return BigInt(await lane.world.anvil.rpc<string>("eth_call", call));
}
