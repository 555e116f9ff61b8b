import { afterAll, beforeAll, expect, test } from "bun:test";
import { toHex, zeroAddress } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { keeperWallet } from "#test/sandbox/custody/people.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { economySettings } from "#test/sandbox/economy/describeEconomy.ts";
import { type Economy, openEconomy } from "#test/sandbox/economy/openEconomy.ts";
import { openStockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: the whole service, as an operator configures it, buys the token with the burn's share
// of revenue and burns it; everybody sees the burn, once: in economics, agent and ledger.

const HOME = 4663;
const ETH_USD = 2_500;
const ETHER = 10n ** 18n;
const ADMIN = { "x-api-key": "an-operators-key-of-these-tests", "x-admin-actor": "olga" };
/** The time over which pools are watched before they are bought through. */
const SPAN_S = 30;
const { signal } = new AbortController();

let market: Anvil;
let home: Anvil;
let custody: CustodyEmulator;
let economy: Economy;
let service: TestService;
let laterMs = 0;
beforeAll(async () => {
	[market, home] = await Promise.all([
		startAnvil(),
		startAnvil({ args: ["--chain-id", String(HOME)] }),
	]);
	const { feeds } = await openStockWorld(home.url, { prices: { ETH: ETH_USD } });
	const keeper = keeperWallet();
	economy = await openEconomy(home.url, { keeper: keeper.address, ethUsd: ETH_USD });
	await home.rpc("anvil_setBalance", [keeper.address, toHex(ETHER)]);
	await economy.payCoins("marketplace", 2n * ETHER);
	custody = await startCustodyEmulator({ rpcUrl: home.url });
	const { token, router, burner, currencies, keeperWalletId } = economySettings();
	service = await startTestService({
		scanFrom: null,
		clock: { nowMs: () => Date.now() + laterMs },
		env: {
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [market.url], robinhood: [home.url] }),
			USD_FEEDS_JSON: JSON.stringify({ [HOME]: { [zeroAddress]: { feed: feeds["ETH"] } } }),
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			...{ TOKEN_ADDRESS: token, REVENUE_ROUTER_ADDRESS: router, BUYBACK_BURN_ADDRESS: burner },
			...{ BUYBACK_WALLET_ID: keeperWalletId, BUYBACK_CURRENCIES: currencies.join() },
			...{ BUYBACK_ENABLED: "true", BUYBACK_JITTER_SECONDS: "0", TOKEN_FINAL_DEPTH_BLOCKS: "2" },
			BUYBACK_TWAP_SECONDS: String(SPAN_S),
			...{ TRADING_DRY_RUN: "false", ADMIN_API_KEY: ADMIN["x-api-key"] },
		},
	});
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await custody?.stop();
	await Promise.all([market?.stop(), home?.stop()]);
});

const economics = async (): Promise<any> => (await service.get("/v1/token/economics")).body;

async function run(name: string): Promise<void> {
	const job = service.host.jobs.find((one) => one.name === `tokenomics.${name}`);
	if (!job) throw new Error(`there is no job ${name}`);
	await job.run({ signal });
}

async function admin(path: string): Promise<any> {
	const response = await fetch(`${service.url}/v1/admin${path}`, { headers: ADMIN });
	expect(response.status).toBe(200);
	return await response.json();
}

test("[TOK-04] revenue is spent on the token, which is burned, and every route shows one burn", async () => {
	let worker: any = null;
	// Pools are watched for the whole time before anything is bought through them.
	for (let part = 0; part <= 2; part++) {
		if (part > 0) laterMs += (SPAN_S / 2) * 1_000;
		await run("buyback_pools");
	}
	// The first turn is taken at the start, where prices may not be known yet.
	await until(
		async () => {
			await run("buyback");
			worker = (await economics()).buyback.worker;
			return worker.run !== null;
		},
		() => `a run begins, and not ${worker?.code}`,
	);
	await until(
		async () => {
			await home.rpc("anvil_mine", ["0x3"]);
			await run("ledger");
			worker = (await economics()).buyback.worker;
			return worker.run.status === "confirmed";
		},
		() => `the run is confirmed, and not ${worker?.run.status}`,
	);
	let buyback: any = null;
	await until(
		async () => {
			await home.rpc("anvil_mine", ["0x3"]);
			await run("ledger");
			buyback = (await economics()).buyback;
			return buyback.burns.value === "1";
		},
		() => `the burn is counted, and not ${JSON.stringify(buyback?.burns)}`,
	);
	// A fifth of two ether, within the run's maximum of 500 dollars.
	expect(BigInt(worker.run.spentRaw)).toBe(ETHER / 5n);
	expect(buyback).toMatchObject({
		...{ burned: { unit: "TAPE" }, spent: [{ raw: String(ETHER / 5n), unit: "ETH" }] },
		last: { spent: { raw: String(ETHER / 5n) } },
	});
	expect(BigInt(buyback.burned.raw) > 0n).toBe(true);
	const { data } = await admin("/treasury?entryType=buyback_burned");
	expect(data).toMatchObject([
		{ amountRaw: String(ETHER / 5n), transactionHash: buyback.last.transactionHash },
	]);
	const response = await fetch(`${service.url}/v1/agent/command`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ text: "token economics" }),
	});
	const said: any = await response.json();
	expect(said.line).toMatch(/^\d+(?:\.\d+)? TAPE burned in buybacks, \d+ holders\./);
});

test("the keeper's account is in the audit log, and no second run begins within ten minutes", async () => {
	const rows = await service.core.db.query<{ entry: { actor: string; detail: object } }>(
		`select entry::jsonb as entry from core.audit_entry
		where entry::jsonb ->> 'action' = 'wallets.profile.created'`,
	);
	expect(rows).toMatchObject([{ entry: { actor: "service:wallets" } }]);
	await economy.payCoins("marketplace", ETHER);
	const before = (await economics()).buyback.worker.run.startedAt;
	await Promise.all([run("buyback"), run("buyback")]);
	const { worker } = (await economics()).buyback;
	const isNext = Math.floor(Date.now() / 600_000) > Math.floor(Date.parse(before) / 600_000);
	expect(worker.run.startedAt === before || isNext).toBe(true);
});
