import { afterAll, beforeAll, expect, test } from "bun:test";
import { encodeFunctionData } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";
import { encodeSwap, type SwapTerms } from "#plugins/trading/swap/encodeSwap.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { openTradeLab, type TradeLab } from "#test/harness/openTradeLab.ts";
import {
	recordPools,
	registerStocks,
	startStockChain,
	type Trader,
} from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { cataloguePrices, poolOf, priceOf } from "#test/sandbox/stocks/describeStockWorld.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import { makerAbi } from "#test/sandbox/stocks/stockCatalogue.ts";

// Guarantee: what a pool does not take never stays in the public router: it is in the wallet again
// in the same call, and a trade that would leave something is refused. What a receipt says is held
// against the balances of its block.

const ONE = 10n ** 18n;
const FEE = 500;
let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let lab: TradeLab;
let by: Trader;
let short: Pool;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
	short = await openShortPool();
	lab = openTradeLab({ db: database.db, anvil, world });
	by = await lab.trader();
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});

const lower = (text: string) => text.toLowerCase() as Address;

/** Opens a pool of COIN and WETH that ends ten ticks from its price: it takes less than one ETH. */
async function openShortPool(): Promise<Pool> {
	const { weth, issuer, maker } = world.addresses;
	const { address: coin } = world.stock("COIN");
	const place = poolOf(coin, weth, FEE);
	const sqrtPriceX96 = priceOf(place, cataloguePrices());
	const tick = Math.log((Number(sqrtPriceX96) / 2 ** 96) ** 2) / Math.log(1.0001);
	const at = Math.floor(tick / 10) * 10;
	const spans = [{ lower: at - 100, upper: at + 100, liquidity: 5n * 10n ** 20n }];
	const opening = { tokenA: coin, tokenB: weth, fee: FEE, sqrtPriceX96, spans };
	const data = encodeFunctionData({ abi: makerAbi, functionName: "open", args: [[opening]] });
	await anvil.rpc("anvil_impersonateAccount", [issuer]);
	await anvil.rpc("anvil_setBalance", [issuer, "0x8ac7230489e80000"]);
	await anvil.rpc("eth_sendTransaction", [{ from: issuer, to: maker, data, gas: "0x989680" }]);
	await anvil.mined();
	const { address, token0, token1 } = place;
	return {
		...{ address: lower(address), token0: lower(token0), token1: lower(token1) },
		...{ feeBps100: FEE, liquidity: 1n, version: "v3" },
	};
}

const hopTo = (tokenOut: Address): Hop => ({
	...{ version: "v3", pool: short.address, fee: FEE, tokenOut },
	tokenIn: tokenOut === short.token0 ? short.token1 : short.token0,
});

/** Sends a swap as it would be signed, with a least amount that lets it through. */
async function swap(change: Pick<SwapTerms, "hops" | "amountRaw" | "isNativeIn">): Promise<void> {
	const { data, valueRaw } = encodeSwap({
		...{ ...change, exact: "in", limitRaw: 1n, isNativeOut: false },
		...{ recipient: by.wallet.address, deadlineS: 2n ** 40n },
	});
	const value = `0x${valueRaw.toString(16)}`;
	const to = world.addresses.router;
	const sent = { from: by.wallet.address, to, data, value, gas: "0x989680" };
	const hash = await anvil.rpc<string>("eth_sendTransaction", [sent]);
	await anvil.mined();
	const receipt = await anvil.rpc<{ status: string }>("eth_getTransactionReceipt", [hash]);
	expect(receipt.status).toBe("0x1");
}

async function expectRouterEmpty(): Promise<void> {
	const { weth, usdg, router } = world.addresses;
	for (const token of [ZERO_ADDRESS, weth, usdg, world.stock("COIN").address]) {
		expect({ token, left: await lab.balance(token, router) }).toEqual({ token, left: 0n });
	}
}

test("the coin that a pool does not take returns to the wallet, to the last unit except gas", async () => {
	const wallet = by.wallet.address;
	const snapshot = await anvil.rpc("evm_snapshot", []);
	const before = await lab.balance(ZERO_ADDRESS, wallet);
	const pooled = await lab.balance(world.addresses.weth, short.address);
	const coin = lower(world.stock("COIN").address);
	await swap({ hops: [hopTo(coin)], amountRaw: 20n * ONE, isNativeIn: true });
	const taken = (await lab.balance(world.addresses.weth, short.address)) - pooled;
	expect(taken).toBeLessThan(20n * ONE);
	const gone = before - (await lab.balance(ZERO_ADDRESS, wallet));
	expect(gone - taken).toBeGreaterThanOrEqual(0n);
	expect(gone - taken).toBeLessThan(ONE / 100n);
	await expectRouterEmpty();
	await anvil.rpc("evm_revert", [snapshot]);
});

test("an amount that the second pool does not take returns to the wallet", async () => {
	const snapshot = await anvil.rpc("evm_snapshot", []);
	const { usdg, weth } = world.addresses;
	const wallet = by.wallet.address;
	const raw = 50_000_000_000n;
	await world.give(usdg, wallet, raw);
	await lab.approve(by, usdg, raw);
	const [deep] = world.pools.filter(({ token0, token1 }) => {
		return [token0, token1].includes(usdg) && [token0, token1].includes(weth);
	});
	if (!deep) throw new Error("the world has a pool of dollars and ether");
	const first: Hop = {
		...{ version: "v3", pool: lower(deep.address), fee: deep.fee },
		...{ tokenIn: lower(usdg), tokenOut: lower(weth) },
	};
	const hops = [first, hopTo(lower(world.stock("COIN").address))];
	await swap({ hops, amountRaw: raw, isNativeIn: false });
	expect(await lab.balance(usdg, wallet)).toBe(0n);
	expect(await lab.balance(weth, wallet)).toBeGreaterThan(ONE);
	await expectRouterEmpty();
	await anvil.rpc("evm_revert", [snapshot]);
});

test("a trade of more than its pools take is refused by its code, and nothing is sent", async () => {
	await recordPools(database.db, world.pools);
	lab.state.pools = [short];
	const { body } = await lab.trade(by, "buy COIN with 20 ETH");
	expect(body).toMatchObject({ status: "rejected", errorCode: "liquidity_insufficient" });
	expect(body.reason).toBe("The pools that lead there do not take all of it.");
	expect(lab.sent).toEqual([]);
	expect(await lab.ledger(body.intentId)).toEqual({});
});

/** Has a balance of the wallet, as it was after the swap's block, told by so much more or less. */
function tellBalance(token: string, byRaw: bigint): void {
	const { settle } = lab.rpc;
	let seen = 0;
	lab.state.settle = async (calls, options) => {
		const own = lab.state.settle;
		lab.state.settle = null;
		const answered = settle(calls, options);
		lab.state.settle = own;
		return (await answered).map((outcome, place) => {
			const [call, block] = calls[place]?.params ?? [];
			const { to, data } = (call ?? {}) as { to?: string; data?: string };
			const isAsked = to === token.toLowerCase() && data?.startsWith("0x70a08231");
			if (!isAsked || block === "latest" || outcome.kind !== "result") return outcome;
			seen++;
			// Of each two the first is before the block, and the second after it.
			const raw = BigInt(String(outcome.result)) + (seen % 2 === 0 ? byRaw : 0n);
			return { kind: "result" as const, result: `0x${raw.toString(16).padStart(64, "0")}` };
		});
	};
}

test("a balance below the receipt's amount is uncertain, keeps its spend, and both figures are named", async () => {
	lab = openTradeLab({ db: database.db, anvil, world });
	by = await lab.trader({ account: 2 });
	tellBalance(world.stock("AAPL").address, -1n);
	const { body } = await lab.trade(by, "buy AAPL with 0.1 ETH");
	for (let turn = 0; turn < 5; turn++) await lab.tick(2_000);
	const trade = await lab.read(by, body.id);
	expect(trade).toMatchObject({ status: "uncertain", errorCode: "arrival_doubtful" });
	expect(await lab.ledger(body.intentId)).toEqual({ reserve: String(ONE / 10n) });
	const { body: list } = await lab.ask("/v1/admin/trading/intents", { actor: "ann" });
	expect(list.intents.map(({ id }: any) => id)).toContain(body.intentId);
	lab.state.settle = null;
});

test("a balance above the receipt's amount is noted, and no fault", async () => {
	lab = openTradeLab({ db: database.db, anvil, world });
	by = await lab.trader({ account: 3 });
	tellBalance(world.stock("AAPL").address, 7n);
	const { body } = await lab.trade(by, "buy AAPL with 0.1 ETH");
	const trade = await lab.settled(by, body.id);
	expect(trade).toMatchObject({ status: "confirmed", errorCode: null, settled: { moreRaw: "7" } });
	lab.state.settle = null;
});

test("a token that arrives without a log is uncertain and not failed, to prevent a second payment", async () => {
	lab = openTradeLab({ db: database.db, anvil, world });
	by = await lab.trader({ account: 4 });
	const { body } = await lab.trade(by, "buy AAPL with 0.1 ETH");
	const { transactionHash: hash } = await lab.settled(by, body.id);
	const intent = await lab.execution.read(body.intentId, by.profile.id);
	const kind = intent && lab.deps.kindOf(intent.kind);
	const { signal } = new AbortController();
	if (!intent || !kind) throw new Error("no trade was settled");
	type Mined = { blockNumber: Hex; blockHash: Hex; logs: Receipt["logs"] };
	const mined = await anvil.rpc<Mined>("eth_getTransactionReceipt", [hash]);
	const blockNumber = Number(mined.blockNumber);
	const receipt: Receipt = { ...mined, transactionHash: hash, blockNumber, succeeded: true };
	const token = lower(world.stock("AAPL").address);
	const settle = (logs: typeof receipt.logs) =>
		kind.settle(
			{ ...intent, request: kind.request.parse(intent.request) },
			{ ...receipt, logs },
			{
				...{ wallet: by.wallet, outbound: (_: string, call: () => any) => call(), signal },
			},
		);
	expect(await settle(receipt.logs)).toEqual({ spentRaw: ONE / 10n });
	const silent = receipt.logs.filter(({ address }) => address !== token);
	expect(await settle(silent)).toMatchObject({ code: "arrival_doubtful", isDoubtful: true });
});

test("a trade that the node cannot simulate is not sent, with that reason", async () => {
	lab = openTradeLab({ db: database.db, anvil, world });
	by = await lab.trader({ account: 5 });
	const { settle } = lab.rpc;
	lab.state.pathSettle = async (calls, options) => {
		const outcomes = await settle(calls, options);
		return outcomes.map((outcome, place) => {
			const { method, params = [] } = calls[place] ?? {};
			const isTried = method === "eth_call" && params.length === 3;
			const fault = rpcFault.refused({ detail: "no overrides" });
			return isTried ? { kind: "fault" as const, fault } : outcome;
		});
	};
	const { body } = await lab.trade(by, "buy AAPL with 0.1 ETH");
	expect(body).toMatchObject({ status: "rejected", errorCode: "simulation_unavailable" });
	expect(lab.sent).toEqual([]);
	expect(await lab.ledger(body.intentId)).toEqual({});
});
