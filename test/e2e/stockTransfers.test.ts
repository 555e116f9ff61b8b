import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { HOUR_MS } from "#core/time.ts";
import { transferRoutes } from "#plugins/transfers/routes.ts";
import { transferKind } from "#plugins/transfers/transferKind.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { openTradeLab, type TradeLab } from "#test/harness/openTradeLab.ts";
import {
	recordPools,
	registerStocks,
	startStockChain,
	type Trader,
} from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { cataloguePrices } from "#test/sandbox/stocks/describeStockWorld.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: a stock token can be transferred, and counts in dollars by its open feed; without one
// its owner is asked in figures, up to a bound, and above it nothing is sent.

const ANNA = `0x${"a1".repeat(20)}` as const;
const ONE = 10n ** 18n;

let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let lab: TradeLab;
let by: Trader;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});
beforeEach(async () => {
	lab = openTradeLab({ db: database.db, anvil, world });
	const { chains, clock, execution, deps } = lab;
	const chainOf = (id: number) => chains.byId(id) ?? null;
	const { tokens } = execution;
	execution.register(transferKind({ clock, chainOf, rpcOf: deps.rpcOf, tokens }));
	by = await lab.trader();
});

/** Asks for a transfer over HTTP; returns the only one that the answer has. */
async function send(ticker: string, amount: string): Promise<any> {
	const { chains, clock, deps } = lab;
	const app = testHttpApp({
		clock,
		routes: [
			transferRoutes({
				...{ wallets: lab.wallets, log: silentLog, newId: deps.newId, rpcOf: deps.rpcOf },
				chains: { ...chains, isServed: () => true },
				ending: new AbortController().signal,
			}),
		],
	});
	const currency = world.stock(ticker).address;
	const answer = await app.handle(
		new Request("http://localhost/v1/trading/wallet-transfers", {
			method: "POST",
			headers: {
				authorization: `Bearer ${by.profile.id}`,
				"content-type": "application/json",
			},
			body: JSON.stringify({ fromWalletId: by.wallet.id, recipients: [ANNA], amount, currency }),
		}),
	);
	const { transfers } = await answer.json();
	expect({ status: answer.status, transfers }).toMatchObject({ status: 202, transfers: [{}] });
	return transfers[0];
}

const give = (ticker: string, raw: bigint) =>
	world.give(world.stock(ticker).address, by.wallet.address, raw);
const heldByAnna = (ticker: string) => lab.balance(world.stock(ticker).address, ANNA);

/** Says yes by the link, and follows the transfer to its end. */
async function sayYes(made: any, figure: string): Promise<void> {
	expect(made).toMatchObject({ status: "confirmation_required", errorCode: null });
	expect(lab.sent).toEqual([]);
	const path = `/v1/links/${made.confirmUrl.split("/").at(-1)}`;
	const { body: link } = await lab.ask(path);
	expect(link.transactions[0].shown.summary).toContain(figure);
	expect((await lab.ask(path, { body: { planHash: link.planHash } })).status).toBe(200);
}

test("a stock with an open feed is sent at once, and counts at the feed's price", async () => {
	await give("TSLA", ONE);
	const before = await heldByAnna("TSLA");
	const made = await send("TSLA", "0.5");
	expect(made).toMatchObject({ status: "submitted", errorCode: null });
	await lab.tick();
	expect((await heldByAnna("TSLA")) - before).toBe(ONE / 2n);
	const [{ usd } = {}] = await database.db.query<{ usd: string }>(
		"select usd_micros::text as usd from wallets.spend_entry where intent_id = $1 and kind = 'spend'",
		[made.id],
	);
	const { TSLA = 0 } = cataloguePrices();
	expect(Number(usd)).toBe((TSLA / 2) * 1e6);
});

test("a stock without a feed is confirmed at our record's price, and then sent", async () => {
	await give("AMD", 2n * ONE);
	const before = await heldByAnna("AMD");
	const made = await send("AMD", "0.5");
	await sayYes(made, "It counts as $10");
	await lab.tick();
	expect((await heldByAnna("AMD")) - before).toBe(ONE / 2n);
	lab.sent.length = 0;
	expect(await send("AMD", "1.5")).toMatchObject({
		...{ status: "rejected", errorCode: "price_unknown" },
	});
	expect(lab.sent).toEqual([]);
});

test("a stock without a feed and without a record is not sent, however small the amount", async () => {
	await give("AMD", ONE);
	await database.db.execute("truncate trading.pool_price");
	try {
		expect(await send("AMD", "0.001")).toMatchObject({ errorCode: "usd_rate_unavailable" });
	} finally {
		await recordPools(database.db, world.pools);
	}
});

test("while the market is closed a stock counts at its last close, also above the confirmation bound", async () => {
	await give("MSFT", 3n * ONE);
	lab.clock.ms += 26 * HOUR_MS;
	const before = await heldByAnna("MSFT");
	const made = await send("MSFT", "1.5");
	expect(made).toMatchObject({ status: "submitted", errorCode: null });
	await lab.tick();
	expect((await heldByAnna("MSFT")) - before).toBe((3n * ONE) / 2n);
	const [{ usd } = {}] = await database.db.query<{ usd: string }>(
		"select usd_micros::text as usd from wallets.spend_entry where intent_id = $1 and kind = 'spend'",
		[made.id],
	);
	const { MSFT = 0 } = cataloguePrices();
	expect(Number(usd)).toBeGreaterThanOrEqual(Math.floor(MSFT * 1.5 * 1e6));
	expect(Number(usd)).toBeLessThan(MSFT * 1.5 * 1.001e6);
	// Limits hold as ever: $5,000 at once.
	await give("MSFT", 20n * ONE);
	expect(await send("MSFT", "12")).toMatchObject({ errorCode: "per_trade_limit" });
});

test("a feed that stopped while others update is not trusted: the owner is asked, up to a bound", async () => {
	await give("MSFT", 2n * ONE);
	lab.clock.ms += 26 * HOUR_MS;
	// The others speak again, and this one does not.
	const others = ["AAPL", "NVDA", "AMZN", "GOOGL", "SPY"];
	for (const name of others)
		await world.setFeed(name, 10n ** 10n, Math.floor(lab.clock.ms / 1_000));
	const made = await send("MSFT", "0.3");
	await sayYes(made, "It counts as $14");
	expect(await send("MSFT", "1")).toMatchObject({ errorCode: "price_unknown" });
});
