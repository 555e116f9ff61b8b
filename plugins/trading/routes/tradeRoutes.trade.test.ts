import { beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import type { Trader } from "#test/harness/stockChain.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: a command ends in one swap that gives what its quote says, within its bounds, and its
// cost is settled to the base unit.

const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let account: number;
beforeEach(() => {
	({ lab, world, account } = stocks.open());
});

const ONE = 10n ** 18n;
const DOLLAR = 1_000_000n;
const usdg = () => world.addresses.usdg;
const weth = () => world.addresses.weth;
const of = (ticker: string) => world.stock(ticker).address;

async function trader(
	options: Parameters<TradeLab["trader"]>[0] = {},
	gifts: readonly [string, bigint][] = [],
): Promise<Trader> {
	const by = await lab.trader({ account, ...options });
	for (const [token, raw] of gifts)
		await world.give(token as `0x${string}`, by.wallet.address, raw);
	return by;
}

/** Trades, waits for the end, and returns how both balances changed. */
async function traded(by: Trader, command: string, [sell, buy]: [string, string]) {
	const wallet = by.wallet.address;
	const before = [await lab.balance(sell, wallet), await lab.balance(buy, wallet)] as const;
	const asked = await lab.trade(by, command);
	expect(asked.status).toBe(201);
	const trade = await lab.settled(by, asked.body.id);
	const after = [await lab.balance(sell, wallet), await lab.balance(buy, wallet)] as const;
	const spent = before[0] - after[0];
	const received = after[1] - before[1];
	return { asked: asked.body, trade, spent, received };
}

describe("[TRD-13] each form of a command, in each settlement, is one swap, for exactly its quoted amounts", () => {
	test.each<[string, () => [string, string], "in" | "out"]>([
		["buy TSLA with 50 USDG", () => [usdg(), of("TSLA")], "in"],
		["buy $50 of TSLA", () => [usdg(), of("TSLA")], "in"],
		["swap 1 TSLA to AAPL", () => [of("TSLA"), of("AAPL")], "in"],
		["swap 50 USDG for TSLA", () => [usdg(), of("TSLA")], "in"],
		["buy AAPL with 1 WETH", () => [weth(), of("AAPL")], "in"],
		["buy GOOGL with 75 USDG", () => [usdg(), of("GOOGL")], "in"],
		["buy 2 AAPL", () => [usdg(), of("AAPL")], "out"],
		["buy 0.5 GOOGL", () => [usdg(), of("GOOGL")], "out"],
		["sell 2 AAPL", () => [of("AAPL"), usdg()], "in"],
		["sell 1 GOOGL to WETH", () => [of("GOOGL"), weth()], "in"],
		["sell half of my NVDA", () => [of("NVDA"), usdg()], "in"],
		["sell all GME", () => [of("GME"), usdg()], "in"],
		["sell 25% AMD", () => [of("AMD"), usdg()], "in"],
		// Another stock is a settlement where a configured pool holds it.
		["sell 1 TSLA to NVDA", () => [of("TSLA"), of("NVDA")], "in"],
		["buy MSFT with 0.2 AAPL", () => [of("AAPL"), of("MSFT")], "in"],
	])("%s", async (command, pair, exact) => {
		const [sell, buy] = pair();
		const gift = sell === usdg() ? 20_000n * DOLLAR : 4n * ONE;
		const by = await trader({}, [[sell, gift]]);
		const { trade, spent, received } = await traded(by, command, [sell, buy]);
		expect(trade).toMatchObject({ status: "confirmed", errorCode: null, exact });
		const [inRaw, outRaw] =
			exact === "in" ? [trade.amountRaw, trade.expectedRaw] : [trade.expectedRaw, trade.amountRaw];
		expect({ spent: String(spent), received: String(received) }).toEqual({
			...{ spent: inRaw, received: outRaw },
		});
		expect(trade.settled).toMatchObject({ spentRaw: inRaw, receivedRaw: outRaw });
		expect(trade.transactionHash).toBe(trade.settled.transactionHash);
		const line = lab.tools.find(({ name }) => name === "read_trade")?.line(trade);
		if (/50/.test(command)) expect(line).toMatch(/^Swapping exactly 50 USDG for about /);
		// An exact allowance, then the swap, and nothing else; the ledger keeps what was really spent.
		expect(lab.sent.map(({ to }) => to)).toEqual(
			[sell, world.addresses.router].map((to) => to.toLowerCase()) as never,
		);
		expect(trade.approval).toMatchObject({
			token: sell.toLowerCase(),
			amountRaw: trade.mostSpentRaw,
		});
		const [held] = await lab.execution.held(lab.db, [trade.intentId]);
		expect(held?.raw).toBe(spent);
	});

	test("buy $TSLA with 0.5 ETH: the coin is sent without an allowance", async () => {
		const by = await trader();
		const { trade, received } = await traded(by, "buy $TSLA with 0.5 ETH", [
			ZERO_ADDRESS,
			of("TSLA"),
		]);
		expect(trade).toMatchObject({
			status: "confirmed",
			approval: null,
			amountRaw: String(ONE / 2n),
		});
		expect(String(received)).toBe(trade.expectedRaw);
		expect(trade.settled).toMatchObject({
			spentRaw: String(ONE / 2n),
			receivedRaw: trade.expectedRaw,
		});
		expect(lab.sent).toMatchObject([{ valueRaw: ONE / 2n }]);
	});

	test("sell 1 AAPL to ETH: the received coin is unwrapped", async () => {
		const by = await trader({}, [[of("AAPL"), ONE]]);
		const { trade, spent } = await traded(by, "sell 1 AAPL to ETH", [of("AAPL"), ZERO_ADDRESS]);
		expect(trade.status).toBe("confirmed");
		expect(spent).toBe(ONE);
		expect(trade.settled.receivedRaw).toBe(trade.expectedRaw);
		expect(await lab.balance(weth(), by.wallet.address)).toBe(0n);
		expect(await lab.balance(weth(), world.addresses.router)).toBe(0n);
	});

	test("a buy of a quantity paid in ETH refunds the unspent coin", async () => {
		const by = await trader();
		const body = { action: "buy", asset: "AAPL", quantity: "1", settlement: "ETH" };
		const { body: asked } = await lab.ask("/v1/trading/intents", { by, body });
		const trade = await lab.settled(by, asked.id);
		expect(trade.status).toBe("confirmed");
		expect(await lab.balance(of("AAPL"), by.wallet.address)).toBeGreaterThanOrEqual(ONE);
		expect(trade.settled).toMatchObject({ spentRaw: trade.expectedRaw, receivedRaw: String(ONE) });
		const [held] = await lab.execution.held(lab.db, [trade.intentId]);
		expect(String(held?.raw)).toBe(trade.expectedRaw);
		expect(BigInt(trade.mostSpentRaw)).toBeGreaterThan(BigInt(trade.expectedRaw));
		expect(await lab.balance(ZERO_ADDRESS, world.addresses.router)).toBe(0n);
	});

	test("hold AAPL is stored, and nothing is sent", async () => {
		const by = await trader();
		const { status, body } = await lab.trade(by, "hold AAPL");
		expect({ status, body }).toMatchObject({
			...{ status: 201, body: { kind: "hold", status: "confirmed", errorCode: null } },
		});
		expect(lab.sent).toEqual([]);
	});
});

describe("a trade that asks its owner first", () => {
	test("[TRD-07] a confirmation is asked once for both steps, by the route or by a one-time link", async () => {
		for (const way of ["route", "link"] as const) {
			const by = await trader({ requireTradeConfirmation: true }, [[usdg(), 100n * DOLLAR]]);
			const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
			expect(body.link.url).toStartWith("https://app.example/links/");
			expect(lab.sent).toEqual([]);
			const token = body.link.url.split("/").at(-1);
			const { body: link } = await lab.ask(`/v1/links/${token}`);
			const { shown, planHash } = link.transactions[0];
			expect(shown.summary).toMatch(/^Swaps 50 USDG for at least [0-9.]+ TSLA/);
			expect(shown.steps).toEqual(["allowance", "swap"]);
			if (way === "route") {
				await lab.ask(`/v1/trading/intents/${body.id}/confirm`, { by, method: "POST", body: {} });
			} else {
				const yes = () => lab.ask(`/v1/links/${token}`, { body: { planHash } });
				const answers = await Promise.all([yes(), yes()]);
				expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
			}
			const trade = await lab.settled(by, body.id);
			expect((await lab.ask(`/v1/links/${token}`)).status).toBe(404);
			expect(trade).toMatchObject({ status: "confirmed", errorCode: null });
			expect(lab.sent.map(({ to }) => to)).toEqual(
				[usdg(), world.addresses.router].map((to) => to.toLowerCase()) as never,
			);
			lab.sent.length = 0;
			account += 1;
		}
	});

	test("a waiting trade shows what it waits for and its link's address, and its first step can be read", async () => {
		const by = await trader({ requireTradeConfirmation: true }, [[usdg(), 100n * DOLLAR]]);
		const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
		const trade = await lab.read(by, body.id);
		const stepId = trade.approval.intentId;
		expect(body.approval.intentId).toBe(stepId);
		expect(trade).toMatchObject({
			status: "waiting",
			errorCode: null,
			error: null,
			asks: "confirm",
		});
		expect(trade.waitsFor).toBe(
			`It waits for your yes: POST /v1/links with {"intentId":"${stepId}"} makes the link.`,
		);
		const path = `/v1/trading/steps/${stepId}`;
		const { body: step } = await lab.ask(path, { by });
		expect(step).toMatchObject({
			...{ id: stepId, kind: "allowance", status: "confirmation_required", error: null },
			...{
				waitsFor: trade.waitsFor,
				summary: expect.stringMatching(/^Swaps 50 USDG for at least /),
			},
		});
		const made = await lab.ask("/v1/links", { by, body: { intentId: stepId } });
		expect(made.status).toBe(201);
		expect((await lab.ask(path, { by: await lab.trader() })).status).toBe(404);
		expect((await lab.ask("/v1/trading/steps/none", { by })).status).toBe(404);
		expect((await lab.ask(path)).status).toBe(401);
		const tool = lab.tools.find(({ name }) => name === "read_trade");
		const caller = { profileId: by.profile.id, channel: "api" } as never;
		const context = { caller, idempotencyKey: null } as never;
		const done = await tool?.run({ id: body.id }, context);
		expect(done).toMatchObject({ kind: "done", output: { link: { url: expect.any(String) } } });
	});

	test("confirming another plan is refused; confirming twice is one trade", async () => {
		const by = await trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy TSLA with 0.1 ETH");
		const confirm = (planHash: string | undefined) =>
			lab.ask(`/v1/trading/intents/${body.id}/confirm`, {
				...{ by, method: "POST", body: planHash === undefined ? {} : { planHash } },
			});
		expect((await confirm(`0x${"1".repeat(64)}`)).body.code).toBe("plan_changed");
		expect((await confirm(body.planHash)).body.status).toBe("submitted");
		expect((await confirm(undefined)).body.code).toBe("trade_state");
		expect(lab.sent).toHaveLength(1);
	});

	test("a trade that a program prepared is confirmed on our own page alone", async () => {
		const by = await trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy TSLA with 0.1 ETH");
		await lab.db.execute("update wallets.intent set channel = 'agent' where id = $1", [
			body.intentId,
		]);
		const confirm = (headers: Record<string, string> = {}) =>
			lab.ask(`/v1/trading/intents/${body.id}/confirm`, { by, method: "POST", body: {}, headers });
		for (const headers of [{}, { origin: "https://evil.example" }]) {
			expect((await confirm(headers)).body.code).toBe("origin_not_allowed");
		}
		expect(lab.sent).toEqual([]);
		expect((await confirm({ origin: "https://app.example" })).body.status).toBe("submitted");
		expect(lab.sent).toHaveLength(1);
	});

	test("[TRD-03] an old quote is renewed when it is confirmed, within the confirmed bounds", async () => {
		const by = await trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy NVDA with 0.1 ETH");
		lab.clock.ms += 31_000;
		await world.moveMarket({ NVDA: 178 });
		const { body: after } = await lab.ask(`/v1/trading/intents/${body.id}/confirm`, {
			...{ by, method: "POST", body: {} },
		});
		expect(after.status).toBe("submitted");
		expect(after.quotes).toHaveLength(2);
		const trade = await lab.settled(by, body.id);
		expect(trade.status).toBe("confirmed");
		expect(BigInt(trade.settled.receivedRaw)).toBeGreaterThan(BigInt(body.expectedRaw));
		await world.moveMarket({ NVDA: 180 });
	});

	test("an owner's own wallet signs each step by a link", async () => {
		const by = await trader({ capability: "external/manual" }, [[usdg(), 100n * DOLLAR]]);
		const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
		expect(body.link).not.toBeNull();
		expect(lab.sent).toEqual([]);
		const token = body.link.url.split("/").at(-1);
		const { body: link } = await lab.ask(`/v1/links/${token}`);
		expect(link.request).toMatchObject({ to: usdg().toLowerCase() });
	});

	test("a trade that is cancelled before it was sent has ended", async () => {
		const by = await trader({ requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy TSLA with 0.1 ETH");
		const cancel = () => lab.ask(`/v1/trading/intents/${body.id}/cancel`, { by, method: "POST" });
		expect((await cancel()).body).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		expect((await cancel()).status).toBe(409);
	});

	test("[TRD-12] a dry run sends nothing", async () => {
		lab.state.isDryRun = true;
		const by = await trader();
		expect((await lab.trade(by, "buy TSLA with 0.1 ETH")).body.status).toBe("dry_run");
		expect(lab.sent).toEqual([]);
	});
});

describe("the record", () => {
	test("[TRD-03] a repeated key with the same body is one trade, and with another body is refused", async () => {
		const by = await trader();
		const first = await lab.trade(by, "buy TSLA with 0.01 ETH", "key-1");
		const again = await lab.trade(by, "buy TSLA with 0.01 ETH", "key-1");
		expect(again.body).toEqual(first.body);
		expect(again.headers.get("idempotency-replayed")).toBe("true");
		expect((await lab.trade(by, "buy TSLA with 0.02 ETH", "key-1")).body.code).toBe(
			"idempotency_conflict",
		);
		expect(lab.sent).toHaveLength(1);
		expect((await lab.ask("/v1/trading/intents", { by })).body.data).toHaveLength(1);
	});

	test("the record of a trade has its settings, checks and quotes, and is readable by its owner only", async () => {
		const by = await trader();
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({
			command: "buy TSLA with 0.01 ETH",
			wish: { kind: "buy_with", asset: "TSLA", spend: "0.01", settlement: "ETH" },
			settings: { slippageBps: 50, wallet: { capability: "embedded/delegated" } },
			notionalUsd: "25.00",
			chainId: 4663,
		});
		expect(body.policy.map(({ check, outcome }: any) => `${check}:${outcome}`)).toEqual([
			...["registry:passed", "eligibility:passed", "settlement:passed", "amount:passed"],
			"shares:passed",
			...["price_impact:passed", "reference_price:passed", "pool_average:passed"],
			...["price:passed", "min_liquidity:off"],
			"venue_divergence:unknown",
		]);
		const other = await lab.trader({ account: 8 });
		for (const path of [body.id, crypto.randomUUID(), "nonsense"]) {
			expect((await lab.ask(`/v1/trading/intents/${path}`, { by: other })).status).toBe(404);
		}
		expect((await lab.ask("/v1/trading/intents", { by: other })).body.data).toEqual([]);
		for (const path of ["intents", `intents/${body.id}`]) {
			expect((await lab.ask(`/v1/trading/${path}`)).status).toBe(401);
		}
		for (const path of [
			"intents",
			"quotes",
			"intents/x/confirm",
			"intents/x/cancel",
			"intents/x/revoke",
		]) {
			const { status } = await lab.ask(`/v1/trading/${path}`, {
				...{ method: "POST", body: /cancel|revoke/.test(path) ? {} : "nonsense" },
			});
			expect({ path, status }).toEqual({ path, status: 401 });
		}
	});

	test("the route lists the caller's trades page by page, newest first", async () => {
		const by = await trader();
		const ids: string[] = [];
		for (const ticker of ["AAPL", "TSLA", "ZZZZ"]) {
			ids.unshift((await lab.trade(by, `hold ${ticker}`)).body.id);
		}
		const first = await lab.ask("/v1/trading/intents?limit=2", { by });
		expect(first.body.data.map(({ id }: any) => id)).toEqual(ids.slice(0, 2));
		const next = encodeURIComponent(first.body.page.nextCursor);
		const rest = await lab.ask(`/v1/trading/intents?limit=2&cursor=${next}`, { by });
		expect(rest.body.data.map(({ id }: any) => id)).toEqual(ids.slice(2));
		expect(rest.body.page).toEqual({ nextCursor: null, hasMore: false });
	});
});

describe("the allowance that remains after a trade", () => {
	/** Buys for USDG so that an exact output leaves a part of its allowance. */
	async function bought(by: Trader, command: string) {
		const { body } = await lab.trade(by, command);
		expect((await lab.settled(by, body.id)).status).toBe("confirmed");
		return async () => (await lab.read(by, body.id)).leftover;
	}

	test("the remaining allowance of a trade is its own: not a newer trade's, nor the owner's", async () => {
		const by = await trader({}, [[usdg(), 2_000n * DOLLAR]]);
		const first = await bought(by, "buy 1 AAPL");
		expect(await first()).toMatchObject({ token: usdg().toLowerCase() });
		const second = await bought(by, "buy 2 AAPL");
		expect([await first(), await second()]).toEqual([
			null,
			expect.objectContaining({ amountRaw: expect.stringMatching(/^[1-9]/) }),
		]);
		// An exact input uses all of its own.
		const third = await bought(by, "buy AAPL with 50 USDG");
		expect([await first(), await second(), await third()]).toEqual([null, null, null]);
		await lab.approve(by, usdg(), 1_000_000n * DOLLAR);
		expect([await first(), await second(), await third()]).toEqual([null, null, null]);
		await lab.approve(by, usdg(), 0n);
	});

	test("only the trade that gave its allowance last shows the rest, in any order of requests", async () => {
		const by = await trader({ requireTradeConfirmation: true }, [[usdg(), 2_000n * DOLLAR]]);
		const asked = await lab.trade(by, "buy 1 AAPL");
		const newer = await lab.trade(by, "buy 2 AAPL");
		for (const { body } of [newer, asked]) {
			const path = `/v1/trading/intents/${body.id}/confirm`;
			expect((await lab.ask(path, { by, method: "POST" })).status).toBe(200);
			// What the newer one left is set to nothing first, and that is asked for too.
			if (body === asked.body) await lab.ask(path, { by, method: "POST" });
			expect((await lab.settled(by, body.id)).status).toBe("confirmed");
		}
		const left = async ({ body }: typeof asked) => (await lab.read(by, body.id)).leftover;
		expect(await left(asked)).toMatchObject({ amountRaw: expect.stringMatching(/^[1-9]/) });
		expect(await left(newer)).toBeNull();
		await lab.approve(by, usdg(), 0n);
	});

	test("the remaining allowance of a trade is null if it was never given", async () => {
		const by = await trader({ requireTradeConfirmation: true }, [[usdg(), 100n * DOLLAR]]);
		const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
		const { approval } = await lab.read(by, body.id);
		expect(approval).toMatchObject({ amountRaw: "50000000" });
		await lab.approve(by, usdg(), 20n * DOLLAR);
		await lab.ask(`/v1/trading/intents/${body.id}/cancel`, { by, method: "POST" });
		const trade = await lab.settled(by, body.id);
		expect(trade).toMatchObject({ status: "rejected", leftover: null });
		await lab.approve(by, usdg(), 0n);
	});
});

test("a failed step is named in its waiting trade, with its state, reason and transaction", async () => {
	const by = await trader({ requireTradeConfirmation: true }, [[of("AMD"), ONE]]);
	const { body } = await lab.trade(by, "sell 0.5 AMD");
	const stepId = body.approval.intentId;
	const { signal } = new AbortController();
	await lab.execution.cancel(stepId, { actor: "operator:ann", signal });
	const trade = await lab.settled(by, body.id);
	const { body: step } = await lab.ask(`/v1/trading/steps/${stepId}`, { by });
	expect(step).toMatchObject({ status: "rejected", errorCode: "cancelled" });
	expect(trade).toMatchObject({
		...{ status: "rejected", errorCode: "previous_step_failed", reason: trade.error.message },
		error: {
			code: "previous_step_failed",
			message: expect.stringContaining(
				`(allowance ${step.id}) is rejected: ${step.error.message} (cancelled)`,
			),
			action: expect.stringContaining(`GET /v1/trading/steps/${step.id}`),
		},
	});
});

describe("a swap that fails after its allowance", () => {
	test("a swap that fails leaves its exact allowance visible, and revokes it on request", async () => {
		const by = await trader({}, [[of("PLTR"), 2n * ONE]]);
		const { body } = await lab.trade(by, "sell 1 PLTR");
		expect(body).toMatchObject({ status: "waiting" });
		await world.setBlocked(of("PLTR"), by.wallet.address, true);
		const trade = await lab.settled(by, body.id);
		expect(trade).toMatchObject({
			...{ status: "rejected", errorCode: "simulation_failed" },
			leftover: { token: of("PLTR").toLowerCase(), amountRaw: String(ONE) },
		});
		expect(trade.error).toMatchObject({
			...{ code: "simulation_failed", message: expect.stringMatching(/^It would fail on chain/) },
			...{ limit: { unit: "USDG" }, amount: { value: "1", unit: "PLTR" } },
		});
		await world.setBlocked(of("PLTR"), by.wallet.address, false);
		const revoked = await lab.ask(`/v1/trading/intents/${body.id}/revoke`, { by, method: "POST" });
		expect(revoked).toMatchObject({ status: 201, body: { status: "submitted" } });
		await lab.tick();
		await lab.tick();
		expect((await lab.read(by, body.id)).leftover).toBeNull();
	});
});
