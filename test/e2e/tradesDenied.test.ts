import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toHex, zeroAddress } from "viem";
import type { Anvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { recordPools, startStockChain } from "#test/harness/stockChain.ts";
import { until } from "#test/harness/until.ts";
import type { Person } from "#test/sandbox/custody/people.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { type StockWorld, stockSettings } from "#test/sandbox/stocks/openStockWorld.ts";
import {
	type IssuerEmulator,
	startIssuerEmulator,
} from "#test/sandbox/stocks/startIssuerEmulator.ts";

// Guarantee: whatever is refused says why to its owner, whole and as long as it is kept, by every
// route that shows it; holders of a link see no figures of its owner's; and nothing is paid to a
// contract that gives nothing back.

const FEED_HEARTBEAT_S = 86_400;
const DOLLAR = 1_000_000n;
const ETHER = 10n ** 18n;
let anvil: Anvil;
let world: StockWorld;
let custody: CustodyEmulator;
let issuer: IssuerEmulator;
let service: TestService;
let asked = 0;

beforeAll(async () => {
	({ anvil, world } = await startStockChain());
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	issuer = startIssuerEmulator({ rpcUrl: anvil.url });
	const { pools, feeds } = stockSettings(world);
	const heartbeatSeconds = FEED_HEARTBEAT_S;
	service = await startTestService({
		scanFrom: null,
		env: {
			CHAINS: "robinhood",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ robinhood: [anvil.url, anvil.wsUrl] }),
			USD_FEEDS_JSON: JSON.stringify({
				4663: {
					[zeroAddress]: { feed: world.feeds["ETH"], heartbeatSeconds },
					[world.addresses.usdg]: { feed: world.feeds["USDG"], heartbeatSeconds, symbol: "USDG" },
				},
			}),
			...{ STOCK_ASSETS_BASE_URL: issuer.url, STOCK_ELIGIBILITY: "open" },
			...{ STOCK_MARKET_HOURS: "always", STOCK_FEED_SILENT_SECONDS: String(FEED_HEARTBEAT_S) },
			TRADE_POOLS_JSON: JSON.stringify(pools),
			TRADE_QUOTE_TIMEOUT_MS: "15000",
			STOCK_FEEDS_JSON: JSON.stringify(feeds),
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			TRADING_DRY_RUN: "false",
		},
	});
	await until(async () => {
		const { body } = await service.get("/v1/stock-tokens?limit=200");
		return body.data?.some(({ symbol }: any) => symbol === "TSLA");
	}, "the registry is read");
	await recordPools(service.database.db, world.pools);
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await Promise.all([custody?.stop(), issuer?.stop(), anvil?.stop()]);
});

async function ask(path: string, { by, body }: { by?: Person; body?: unknown } = {}) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"x-forwarded-for": `10.8.${asked >> 8}.${asked & 255}`,
			...(by && { authorization: `Bearer ${custody.token({ userId: by.id })}` }),
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

/** Signs a person in, with a wallet that holds coin and dollars. */
async function person(settings: Record<string, unknown> = {}) {
	const by = await custody.addPerson();
	const { body } = await ask("/v1/trading/enrollment", { by, body: {} });
	const address = by.wallet?.address;
	if (!address) throw new Error("somebody without a wallet");
	await anvil.rpc("anvil_setBalance", [address, toHex(10n * ETHER)]);
	await world.give(world.addresses.usdg, address, 2_000n * DOLLAR);
	if (Object.keys(settings).length > 0) {
		expect((await ask("/v1/trading/profile", { by, body: settings })).status).toBe(200);
	}
	const walletId: string = body.wallets?.[0]?.id ?? body.profile?.wallets?.[0]?.id;
	const trade = (command: string) => ask("/v1/trading/intents", { by, body: { command } });
	const read = async (id: string) => (await ask(`/v1/trading/intents/${id}`, { by })).body;
	const pay = (to: string, more: Record<string, unknown> = {}) =>
		ask("/v1/trading/wallet-transfers", {
			...{ by, body: { fromWalletId: walletId, recipients: [to], amount: "0.1", ...more } },
		});
	async function ended(id: string): Promise<any> {
		let found: any;
		await until(async () => {
			found = await read(id);
			return /^(confirmed|failed|rejected|expired|dry_run)$/.test(found.status);
		}, "the trade is over");
		return found;
	}
	return { by, address, walletId, trade, read, pay, ended };
}

const tokenOf = (url: string) => url.split("/").at(-1) ?? "";

describe("the reason of a refusal", () => {
	test("the whole reason of a trade and of a transfer is in each route, with limit and amount", async () => {
		const one = await person({ perTradeUsdMax: "100" });
		const limit = { value: "100", unit: "USD" };
		const { body: trade } = await one.trade("buy TSLA with 500 USDG");
		const { body: sent } = await one.pay(`0x${"a1".repeat(20)}`, { amount: "1" });
		const [transfer] = sent.transfers;
		for (const refused of [trade, transfer]) {
			expect(refused).toMatchObject({
				...{ status: "rejected", errorCode: "per_trade_limit" },
				error: { code: "per_trade_limit", limit, message: expect.stringContaining("$100.00") },
			});
		}
		expect(trade.error.amount).toEqual({ value: "500", unit: "USD" });
		const again = await Promise.all([
			one.read(trade.id),
			ask("/v1/trading/intents", { by: one.by }).then(({ body }) => body.data[0]),
		]);
		for (const read of again) expect(read.error).toEqual(trade.error);
		const path = `/v1/trading/wallet-transfers/${transfer.id}`;
		const { body: kept } = await ask(path, { by: one.by });
		expect(kept.error).toEqual(transfer.error);
	});

	test("a failed step is named with its state, its own reason and where it is read", async () => {
		const one = await person({ requireTradeConfirmation: true });
		const { body: waiting } = await one.trade("buy TSLA with 400 USDG");
		expect(waiting).toMatchObject({ status: "waiting", waitsFor: expect.any(String) });
		const stepId: string = waiting.approval.intentId;
		const { body: link } = await ask("/v1/links", { by: one.by, body: { intentId: stepId } });
		await anvil.rpc("anvil_setBalance", [one.address, "0x0"]);
		expect(await yes(link.url)).toMatchObject({
			body: { intents: [{ id: stepId, status: "rejected", error: { code: "gas_reserve" } }] },
		});
		const { error, status, errorCode, reason } = await one.ended(waiting.id);
		expect({ status, errorCode, reason }).toEqual({
			...{ status: "rejected", errorCode: "previous_step_failed", reason: error.message },
		});
		const { body: step } = await ask(`/v1/trading/steps/${stepId}`, { by: one.by });
		expect(step).toMatchObject({ status: "rejected", errorCode: "gas_reserve" });
		const why = `(allowance ${stepId}) is rejected: ${step.error.message} (gas_reserve)`;
		expect(error.message).toContain(why);
		expect(error.action).toContain(`GET /v1/trading/steps/${stepId}`);
		// Nobody else reads the step.
		const other = await person();
		expect((await ask(`/v1/trading/steps/${stepId}`, { by: other.by })).status).toBe(404);
	});

	test("holders of a link see that a limit was too low, and none of its owner's figures", async () => {
		const one = await person({ requireTradeConfirmation: true, dailyUsdMax: "600" });
		const { body: asking } = await one.trade("buy TSLA with 0.16 ETH");
		expect(asking).toMatchObject({ status: "confirmation_required" });
		const [, intentId] = /"intentId":"([^"]+)"/.exec(asking.waitsFor) ?? [];
		const { body: link } = await ask("/v1/links", { by: one.by, body: { intentId } });
		// Meanwhile another payment takes most of what the day allows.
		const { body: sent } = await one.pay(`0x${"a2".repeat(20)}`, { amount: "0.12" });
		expect((await yes(sent.transfers[0].confirmUrl)).status).toBe(200);
		const { body: used } = await yes(link.url);
		const path = `/v1/links/${tokenOf(link.url)}/outcome`;
		const { body: outcome } = await ask(path);
		for (const told of [used.intents[0], outcome.intents[0]]) {
			expect(told).toMatchObject({ status: "rejected", errorCode: "daily_limit" });
			expect(Object.keys(told.error).toSorted()).toEqual(["code", "message"]);
			expect(told.error.message).not.toMatch(/\d/);
		}
		const { error } = await one.read(asking.id);
		expect(error).toMatchObject({
			...{ code: "daily_limit", message: expect.stringContaining("$300.00 of the last 24 hours") },
			...{ limit: { value: "600", unit: "USD" }, amount: { value: "700", unit: "USD" } },
			action: expect.any(String),
		});
	});

	test("every answer that has a code of an intent's end has its sentence and figures beside it", async () => {
		const { body: document } = await ask("/openapi/json");
		const without: string[] = [];
		const visit = (node: any, at: string) => {
			if (node === null || typeof node !== "object") return;
			const members = node.properties;
			if (members?.errorCode && !members.error && !members.message) without.push(at);
			for (const [name, child] of Object.entries(node)) visit(child, `${at}/${name}`);
		};
		expect(document.openapi).toBeString();
		visit(document, "");
		expect(without).toEqual([]);
	});
});

/** Says yes by a link, as whoever has it. */
async function yes(url: string) {
	const path = `/v1/links/${tokenOf(url)}`;
	const { body: link } = await ask(path);
	return await ask(path, { body: { planHash: link.planHash } });
}

describe("contracts that give nothing back", () => {
	test("what each of them is stands in the refusal, for coin and for tokens", async () => {
		const one = await person();
		const { weth, usdg, router, quoter, factory } = world.addresses;
		const [pool] = world.stock("AMD").pools;
		if (!pool) throw new Error("AMD has a pool");
		const before = await service.database.db.query("select from wallets.intent");
		for (const [to, what] of [
			[world.stock("TSLA").address, "the contract of the token TSLA"],
			[usdg, "the contract of the token USDG"],
			[pool.address, "a pool of the exchange"],
			[router, "the router of trades"],
			[quoter, "the quoter of trades"],
			[factory, "the factory of pools"],
		] as const) {
			for (const more of [{}, { amount: "1", currency: world.stock("AAPL").address }]) {
				const { status, body } = await one.pay(to, more);
				expect({ to, status, body }).toMatchObject({
					...{ to, status: 422 },
					body: { issues: [{ path: "recipients.0", message: expect.stringContaining(what) }] },
				});
			}
		}
		expect((await one.pay(weth)).status).toBe(422);
		const after = await service.database.db.query("select from wallets.intent");
		expect(after.length).toBe(before.length);
	});
});
