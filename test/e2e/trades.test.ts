import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, getAddress, parseUnits, toHex, zeroAddress } from "viem";
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
import { quoteWays } from "#test/sandbox/stocks/router/renderQuote.ts";
import {
	type RouterEmulator,
	startRouterEmulator,
} from "#test/sandbox/stocks/router/startRouterEmulator.ts";
import {
	type IssuerEmulator,
	startIssuerEmulator,
} from "#test/sandbox/stocks/startIssuerEmulator.ts";

// Guarantee: the whole service, with the issuer's list, the hosted router, a wallet provider and
// Uniswap on a chain 4663, turns a command into one swap that returns as much as the best route.

const ADMIN_KEY = "operators-key-of-this-test";
const FEED_HEARTBEAT_S = 86_400;
let anvil: Anvil;
let world: StockWorld;
let custody: CustodyEmulator;
let issuer: IssuerEmulator;
let router: RouterEmulator;
let service: TestService;
let asked = 0;

beforeAll(async () => {
	({ anvil, world } = await startStockChain());
	custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	issuer = startIssuerEmulator({ rpcUrl: anvil.url });
	router = startRouterEmulator({ rpcUrl: anvil.url });
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
			...{ STOCK_ASSETS_BASE_URL: issuer.url, ROUTER_BASE_URL: router.url },
			...{ STOCK_ELIGIBILITY: "open", STOCK_MARKET_HOURS: "always" },
			STOCK_FEED_SILENT_SECONDS: String(FEED_HEARTBEAT_S),
			TRADE_POOLS_JSON: JSON.stringify(pools),
			TRADE_QUOTE_TIMEOUT_MS: "15000",
			STOCK_FEEDS_JSON: JSON.stringify(feeds),
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			TRADING_DRY_RUN: "false",
			ADMIN_API_KEY: ADMIN_KEY,
		},
	});
	await until(async () => {
		const { body } = await service.get("/v1/stock-tokens?limit=200");
		return body.data?.some(({ symbol }: any) => symbol === "TSLA");
	}, "the registry is read");
	// As a service that runs for half an hour: a stock without a feed is traded by its pools' mean.
	await recordPools(service.database.db, world.pools);
});
afterAll(async () => {
	await service?.stop();
	await service?.database.drop();
	await Promise.all([custody?.stop(), issuer?.stop(), router?.stop(), anvil?.stop()]);
});

async function ask(path: string, options: { by?: Person; body?: unknown; isOperator?: boolean }) {
	const { by, body, isOperator = false } = options;
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
			...(by && { authorization: `Bearer ${custody.token({ userId: by.id })}` }),
			...(isOperator && { "x-api-key": ADMIN_KEY }),
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

const trade = (by: Person, command: string) =>
	ask("/v1/trading/intents", { by, body: { command } });
const read = async (by: Person, id: string) =>
	(await ask(`/v1/trading/intents/${id}`, { by })).body;
const walletOf = ({ wallet, external }: Person): Address => {
	const address = wallet?.address ?? external;
	if (!address) throw new Error("somebody without a wallet");
	return address;
};

/** Signs a person in and gives them something to trade. */
async function trader(gift: [token: Address, raw: bigint], own?: Person): Promise<Person> {
	const by = own ?? (await custody.addPerson());
	const enrolled = await ask("/v1/trading/enrollment", { by, body: {} });
	expect(enrolled.status).toBe(200);
	await world.give(gift[0], walletOf(by), gift[1]);
	return by;
}

async function ended(by: Person, id: string): Promise<any> {
	let found: any;
	await until(async () => {
		found = await read(by, id);
		return /^(confirmed|failed|rejected|expired|dry_run)$/.test(found.status);
	}, "the trade is over");
	return found;
}

/** Returns a confirmed trade once its receipt was read: what it moved is known from then on. */
async function settledOf(by: Person, id: string): Promise<any> {
	let found: any;
	await until(async () => {
		found = await read(by, id);
		return found.settled !== null;
	}, "the trade's receipt is read");
	return found;
}

async function balance(token: Address, account: Address): Promise<bigint> {
	if (token === zeroAddress) return BigInt(await anvil.rpc("eth_getBalance", [account, "latest"]));
	const data = `0x70a08231${account.slice(2).toLowerCase().padStart(64, "0")}`;
	return BigInt(await anvil.rpc<string>("eth_call", [{ to: token, data }, "latest"]));
}

/** Returns QuoterV2's result for the best of all routes, in the block before the swap's. */
async function bestOf(done: any): Promise<{ inRaw: bigint; outRaw: bigint }> {
	const tokenOf = ({ address }: { address: Address }) =>
		address === zeroAddress ? world.addresses.weth : getAddress(address);
	const { exact } = done;
	const ask = {
		...{ tokenIn: tokenOf(done.sell), tokenOut: tokenOf(done.buy), exact },
		amount: BigInt(done.amountRaw),
	};
	const block = toHex(Number(done.settled.blockNumber) - 1);
	const [best] = await quoteWays(anvil.url, { ask, pools: world.pools, block });
	if (!best) throw new Error("no way leads there");
	return { inRaw: best.amountIn, outRaw: best.amountOut };
}

/**
 * Expects one swap, for exactly what the best route gave, and no allowance left beyond what is
 * shown.
 */
async function expectBest(by: Person, id: string): Promise<void> {
	expect(await ended(by, id)).toMatchObject({ status: "confirmed", errorCode: null });
	const done = await settledOf(by, id);
	const { inRaw, outRaw } = await bestOf(done);
	expect(done.settled).toMatchObject({ spentRaw: String(inRaw), receivedRaw: String(outRaw) });
	expect(done.quotes.map(({ source }: any) => source).slice(0, 2)).toEqual(["local", "hosted"]);
	const account = walletOf(by);
	const { buy, sell, settled } = done;
	if (buy.address !== zeroAddress) {
		expect(await balance(buy.address, account)).toBe(BigInt(settled.receivedRaw));
	}
	// The unspent part of an exact output is still allowed, and shown; an exact input leaves nothing.
	const restRaw = BigInt(done.mostSpentRaw) - inRaw;
	const left = restRaw === 0n || sell.address === zeroAddress ? null : String(restRaw);
	expect(done.leftover?.amountRaw ?? null).toBe(left);
	if (sell.address === zeroAddress) return;
	const data = `0xdd62ed3e${[account, world.addresses.router]
		.map((address) => address.slice(2).toLowerCase().padStart(64, "0"))
		.join("")}`;
	const allowed = await anvil.rpc<string>("eth_call", [{ to: sell.address, data }, "latest"]);
	expect(BigInt(allowed)).toBe(restRaw);
}

const usdg = (): [Address, bigint] => [world.addresses.usdg, parseUnits("5000", 6)];
const stock = (ticker: string, amount: string): [Address, bigint] => [
	world.stock(ticker).address,
	parseUnits(amount, 18),
];

test.concurrent.each<[command: string, gift: () => [Address, bigint]]>([
	["buy $TSLA with 50 USDG", usdg],
	["buy 2 AAPL", usdg],
	["sell 25% of my AMD to ETH", () => stock("AMD", "2")],
	["sell all GME", () => stock("GME", "3")],
	["sell 0.5 MSFT to USDG", () => stock("MSFT", "2")],
	["buy GOOGL with 0.1 ETH", usdg],
])("%s: a delegated wallet's trade is one swap by the best route", async (command, gift) => {
	const by = await trader(gift());
	const { status, body } = await trade(by, command);
	expect({ status, code: body.errorCode }).toEqual({ status: 201, code: null });
	await expectBest(by, body.id);
});

test.concurrent("the owner is asked once by a link if confirmation is on, and then it is one swap", async () => {
	const by = await trader(stock("NVDA", "2"));
	const set = await ask("/v1/trading/profile", { by, body: { requireTradeConfirmation: true } });
	expect(set.status).toBe(200);
	const { body } = await trade(by, "sell half of my NVDA to WETH");
	expect(body.status).toBe("waiting");
	const sent = () => custody.transactions().filter(({ sender }) => sender === walletOf(by));
	const path = `/v1/links/${String(body.link.url).split("/").at(-1)}`;
	const { planHash } = (await ask(path, {})).body;
	expect(sent()).toEqual([]);
	expect((await ask(path, { body: { planHash } })).status).toBe(200);
	await expectBest(by, body.id);
});

test.concurrent("an owner's own wallet signs the allowance and then the swap, each by a link", async () => {
	const by = await trader(usdg(), custody.person("fay"));
	const { body } = await trade(by, "buy AMZN with 40 USDG");
	const seen: string[] = [];
	/** Does as the page does: reads the request, has the wallet send it, and reports the hash. */
	const sign = async (url: string) => {
		const path = `/v1/links/${url.split("/").at(-1)}`;
		const link = (await ask(path, {})).body;
		expect(link.purpose).toBe("sign");
		seen.push(link.request.to);
		const { from, to, data, value } = link.request;
		const transactionHash = await anvil.rpc("eth_sendTransaction", [{ from, to, data, value }]);
		expect((await ask(path, { body: { transactionHash } })).status).toBe(200);
	};
	await sign(body.link.url);
	await until(async () => (await read(by, body.id)).status === "signature_required", "the swap");
	expect((await read(by, body.id)).approval).toMatchObject({ amountRaw: "40000000" });
	const { body: made } = await ask("/v1/links", { by, body: { intentId: body.intentId } });
	await sign(made.url);
	await expectBest(by, body.id);
	const { addresses } = world;
	expect(seen).toEqual([addresses.usdg, addresses.router].map((to) => to.toLowerCase()));
	expect(custody.transactions().some(({ sender }) => sender === walletOf(by))).toBe(false);
});

test.concurrent("hold is stored without a trade, and an agent's command trades as its text says", async () => {
	const by = await trader(usdg());
	const held = await trade(by, "hold COIN");
	expect(held.body).toMatchObject({
		kind: "hold",
		status: "confirmed",
		intentId: expect.any(String),
	});
	const told = await ask("/v1/agent/command", { by, body: { text: "buy SPY with 20 USDG" } });
	expect(told.body).toMatchObject({ kind: "done" });
	await expectBest(by, told.body.data.id);
});

test("diverging sources wait for an operator, whose approval continues the trade and whose refusal ends it", async () => {
	router.fault({ kind: "price", bps: 300 });
	try {
		for (const review of ["approve", "refuse"] as const) {
			const by = await trader(usdg());
			const { body } = await trade(by, "buy PLTR with 30 USDG");
			expect(body).toMatchObject({ status: "review_required", errorCode: "venue_divergence" });
			const path = `/v1/admin/trading/intents/${body.intentId}/resolve`;
			expect((await ask(path, { by, body: { review } })).status).toBe(401);
			expect((await ask(path, { isOperator: true, body: { review } })).status).toBe(200);
			if (review === "approve") await expectBest(by, body.id);
			else expect((await ended(by, body.id)).errorCode).toBe("review_refused");
		}
	} finally {
		router.clearFaults();
	}
});
