import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { openStockWorld, type StockWorld } from "./openStockWorld.ts";
import { type IssuerEmulator, type IssuerRow, startIssuerEmulator } from "./startIssuerEmulator.ts";

let anvil: Anvil;
let world: StockWorld;
let issuer: IssuerEmulator;

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	world = await openStockWorld(anvil.url);
	issuer = startIssuerEmulator({ rpcUrl: anvil.url, world });
});
afterEach(() => issuer.clearFaults());
afterAll(async () => {
	await issuer?.stop();
	await anvil?.stop();
});

async function list(): Promise<IssuerRow[]> {
	const answer = await fetch(`${issuer.url}/rhj/assets`);
	return (await answer.json()).assets;
}
const called = async (symbol: string) =>
	(await list()).filter(({ tokenSymbol }) => tokenSymbol === symbol);

test("the list has each stock under its address, with the token's multipliers", async () => {
	const tsla = world.stock("TSLA");
	const [row] = await called("TSLA");
	expect(row).toMatchObject({
		...{ tokenName: "Tesla token", tokenDecimals: 18, status: "ASSET_STATUS_ACTIVE" },
		currentMultiplier: "3.000000000000000000",
		pendingMultiplierEffectiveTime: null,
		deployments: [{ contractAddress: tsla.address, chainId: 4663 }],
	});
	const { timestamp } = await anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", [
		...["latest", false],
	]);
	await world.setMultiplier(tsla.address, 6n * 10n ** 18n, Number(timestamp) + 500);
	expect((await called("TSLA"))[0]).toMatchObject({
		currentMultiplier: "3.000000000000000000",
		pendingMultiplier: "6.000000000000000000",
		pendingMultiplierEffectiveTime: new Date((Number(timestamp) + 500) * 1_000).toISOString(),
	});
	const tickers = (await list()).map(({ tokenSymbol }) => tokenSymbol);
	expect(tickers).toEqual([...new Set(tickers)]);
	expect(tickers).toContain("SIXD");
});

test("on request a row of the issuer is removed, doubled or given wrong data", async () => {
	issuer.fault({ kind: "removal", ticker: "NVDA", times: 1 });
	expect(await called("NVDA")).toEqual([]);
	expect(await called("NVDA")).toHaveLength(1);
	issuer.fault({ kind: "wrong_decimals", ticker: "NVDA" });
	issuer.fault({ kind: "pending_multiplier", ticker: "AMD", multiplier: "2.000000000000000000" });
	issuer.fault({ kind: "inactive", ticker: "GME" });
	issuer.fault({ kind: "odd_row", ticker: "SPY" });
	issuer.fault({ kind: "twice", ticker: "AAPL" });
	issuer.fault({ kind: "confusable", ticker: "META" });
	expect((await called("NVDA"))[0]?.tokenDecimals).toBe(6);
	expect((await called("AMD"))[0]?.pendingMultiplierEffectiveTime).toStartWith("2099");
	expect((await called("GME"))[0]?.status).toBe("ASSET_STATUS_INACTIVE");
	expect((await called("SPY"))[0]?.deployments).toBe("robinhood" as never);
	const doubles = (await called("AAPL")).map(({ deployments }) => deployments[0]?.contractAddress);
	expect(doubles).toEqual([world.stock("AAPL").address, world.bad.namesake.address]);
	const lookalike = (await list()).find(({ tokenSymbol }) => /[Ѐ-ӿ]/.test(tokenSymbol));
	expect(lookalike?.tokenSymbol).toHaveLength(4);
	issuer.fault({ kind: "empty", times: 1 });
	expect(await list()).toEqual([]);
});

test("an outage is requested over HTTP, and ends", async () => {
	const desk = `${issuer.url}/_sandbox/faults`;
	const order = JSON.stringify({ kind: "500", status: 503 });
	expect((await fetch(desk, { method: "POST", body: order })).status).toBe(200);
	expect((await fetch(`${issuer.url}/rhj/assets`)).status).toBe(503);
	const unknown = JSON.stringify({ kind: "melts" });
	expect((await fetch(desk, { method: "POST", body: unknown })).status).toBe(400);
	await fetch(desk, { method: "DELETE" });
	expect((await fetch(`${issuer.url}/rhj/assets`)).status).toBe(200);
	expect(issuer.calls().byPath["GET /rhj/assets"]).toBeGreaterThan(2);
});

test("a developer changes the world over HTTP; unknown names are refused", async () => {
	const lend = async (hand: unknown) => {
		const body = JSON.stringify(hand);
		return (await fetch(`${issuer.url}/_sandbox/world`, { method: "POST", body })).status;
	};
	const to = `0x${"77".repeat(20)}`;
	const hands = [
		{ do: "move", prices: { AMD: 300 } },
		{ do: "feed", name: "META", answer: "-1" },
		{ do: "feed_dead", name: "META", is: true },
		{ do: "drain", ticker: "AMD" },
		{ do: "pause", ticker: "AMD", is: true },
		{ do: "block", ticker: "AMD", account: to, is: true },
		{ do: "tax", ticker: "PLTR", bps: 100 },
		{ do: "rebase", ticker: "COIN", index: "1000000000000000001" },
		{ do: "multiplier", ticker: "AMD", multiplier: "2000000000000000000" },
		{ do: "oracle_paused", ticker: "AMD", is: true },
		{ do: "give", token: "USDG", to, raw: "5" },
	];
	for (const hand of hands) expect([hand.do, await lend(hand)]).toEqual([hand.do, 200]);
	expect((await called("AMD"))[0]?.currentMultiplier).toBe("2.000000000000000000");
	expect(await lend({ do: "drain", ticker: "NONE" })).toBe(409);
	expect(await lend({ do: "fly" })).toBe(400);
});
