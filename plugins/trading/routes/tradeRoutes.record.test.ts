import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Anvil } from "#test/harness/anvil.ts";
import {
	openTradeLab,
	registerStocks,
	startStockChain,
	type TradeLab,
} from "#test/harness/openTradeLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import {
	type RouterEmulator,
	startRouterEmulator,
} from "#test/sandbox/stocks/router/startRouterEmulator.ts";

// Guarantee: a trade is on chain 4663 only, uses a fresh quote, is stored with everything it was
// decided by, and a later change of that record is detected.

let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let router: RouterEmulator;
let lab: TradeLab;
let account = 0;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
	router = startRouterEmulator({ rpcUrl: anvil.url });
});
afterAll(async () => {
	await router?.stop();
	await anvil?.stop();
	await database?.drop();
});
beforeEach(() => {
	lab = openTradeLab({ db: database.db, anvil, world, env: { ROUTER_BASE_URL: router.url } });
	account = (account % 9) + 1;
});

test("[TRD-03] a trade is of chain 4663: no body names another, and what is sent says so", async () => {
	const by = await lab.trader({ account });
	for (const chain of [{ chain: "base" }, { chainId: 8453 }]) {
		const body = { action: "buy", asset: "TSLA", spend: "0.01", settlement: "ETH", ...chain };
		const { status } = await lab.ask("/v1/trading/intents", { by, body });
		expect({ chain, status }).toEqual({ chain, status: 422 });
	}
	const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
	expect(body).toMatchObject({ status: "submitted", chainId: 4663 });
	expect(lab.sent).toMatchObject([{ chainId: 4663, from: by.wallet.address }]);
});

test("[TRD-03] a trade whose quote grew old in the wallet's queue is called off, and holds nothing", async () => {
	const by = await lab.trader({ account });
	const busy = Promise.withResolvers<void>();
	lab.state.beforeSend = () => busy.promise;
	const first = lab.trade(by, "buy TSLA with 0.01 ETH");
	while (lab.sent.length === 0) await Bun.sleep(1);
	const { body: second } = await lab.trade(by, "buy AAPL with 0.01 ETH");
	expect(second.status).toBe("submitting");
	lab.clock.ms += 31_000;
	busy.resolve();
	expect((await first).status).toBe(201);
	const trade = await lab.settled(by, second.id);
	expect(trade).toMatchObject({ status: "failed", errorCode: "quote_expired", settled: null });
	expect(lab.sent).toHaveLength(1);
	const { reserve, release, ...others } = await lab.ledger(second.intentId);
	expect({ released: release, others }).toEqual({ released: reserve ?? "", others: {} });
});

test("[TRD-03] a trade and its result are sealed, and a row that is changed later is detected", async () => {
	const by = await lab.trader({ account });
	const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
	expect((await lab.settled(by, body.id)).status).toBe("confirmed");
	const { db } = lab;
	expect(await lab.bookFlaws()).toBe(0);
	const change = `update wallets.intent set request = jsonb_set(request, '{limitRaw}', $2::jsonb)
		where id = $1`;
	const [row] = await db.query<{ limit: string }>(
		"select request->>'limitRaw' as limit from wallets.intent where id = $1",
		[body.intentId],
	);
	await db.execute(change, [body.intentId, '"1"']);
	expect(await lab.bookFlaws()).toBeGreaterThan(0);
	await db.execute(change, [body.intentId, `"${row?.limit}"`]);
	expect(await lab.bookFlaws()).toBe(0);
});

test("[TRD-07] a trade stores everything that is needed to judge it later", async () => {
	const by = await lab.trader({ account });
	await world.give(world.addresses.usdg, by.wallet.address, 100_000_000n);
	const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
	const trade = await lab.settled(by, body.id);
	const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
	const digits = expect.stringMatching(/^[1-9]\d*$/);
	expect(trade).toMatchObject({
		...{ command: "buy TSLA with 50 USDG", status: "confirmed", walletId: by.wallet.id },
		settings: {
			slippageBps: 50,
			profile: { requireTradeConfirmation: false },
			wallet: { capability: "embedded/delegated" },
		},
		// Every route, with the source's own id of its answer; one of them is the selected one.
		quotes: [
			{ source: "local", isTaken: true, blockNumber: digits, hops: [expect.anything()] },
			{ source: "hosted", requestId: expect.stringMatching(/^request-/), outRaw: digits },
		],
		plan: { simulation: { spentRaw: "50000000", receivedRaw: trade.expectedRaw } },
		approval: { token: world.addresses.usdg.toLowerCase(), amountRaw: "50000000" },
		...{ expectedRaw: digits, notionalUsd: "50.00", transactionHash: hash },
		settled: { transactionHash: trade.transactionHash, blockHash: hash, spentRaw: "50000000" },
	});
	expect(trade.policy.map(({ check }: any) => check)).toEqual([
		...["registry", "eligibility", "settlement", "amount", "price_impact", "reference_price"],
		...["min_liquidity", "venue_divergence"],
	]);
	const [quote] = await lab.db.query<{ detail: { permitData?: unknown } }>(
		"select detail from trading.quote where trade_id = $1 and source = 'hosted'",
		[trade.id],
	);
	expect(quote?.detail).toHaveProperty("permitData");
	// The reference under which the wallet provider knows each payment, and its state.
	const payments = await lab.db.query<{ reference: string; state: string; kind: string }>(
		`select s.id as reference, s.state::text, i.kind from wallets.submission s
		join wallets.intent i on i.id = s.intent_id where i.profile_id = $1 order by s.id`,
		[by.profile.id],
	);
	expect(payments).toMatchObject([
		{ kind: "allowance", state: "mined" },
		{ kind: "trade", state: "mined" },
	]);
});

test("[TRD-07] a caller without a wallet gets a stored, refused trade with its reason, once per key", async () => {
	const by = await lab.trader({ account });
	await lab.db.execute("update wallets.wallet set removed_at = now() where id = $1", [
		by.wallet.id,
	]);
	const { status, body } = await lab.trade(by, "buy TSLA with 0.01 ETH", "no-wallet");
	expect({ status, body }).toMatchObject({
		...{ status: 201, body: { status: "rejected", errorCode: "no_executable_wallet" } },
	});
	expect(body.intentId).toEqual(expect.any(String));
	const again = await lab.trade(by, "buy TSLA with 0.01 ETH", "no-wallet");
	expect(again.body).toEqual(body);
	expect((await lab.ask("/v1/trading/intents", { by })).body.data).toHaveLength(1);
});
