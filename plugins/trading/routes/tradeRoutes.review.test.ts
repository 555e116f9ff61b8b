import { beforeEach, expect, test } from "bun:test";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import type { Trader } from "#test/harness/stockChain.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: where sources differ too much nothing is sent, not even an allowance, before an
// operator approves; that approval does not replace the owner's, and is valid only within the shown
// bounds.

const DAY_MS = 86_400_000;
const DOLLARS_RAW = 100_000_000n;
const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let account: number;
beforeEach(() => {
	stocks.router.clearFaults();
	stocks.router.fault({ kind: "price", bps: 300 });
	({ lab, world, account } = stocks.open({ ROUTER_BASE_URL: stocks.router.url }));
});

/** Requests a trade that needs an allowance first, and a review before that. */
async function asked(options: Parameters<TradeLab["trader"]>[0] = {}) {
	const by = await lab.trader({ account, ...options });
	await world.give(world.addresses.usdg, by.wallet.address, DOLLARS_RAW);
	const { body } = await lab.trade(by, "buy TSLA with 50 USDG");
	expect(body).toMatchObject({ status: "review_required", errorCode: "venue_divergence" });
	expect(body.plan).toMatchObject({ steps: ["allowance", "swap"], mostRaw: "50000000" });
	await expectNothingSent(by, body.intentId);
	return { by, trade: body };
}

async function expectNothingSent(by: Trader, intentId: string): Promise<void> {
	expect(lab.sent).toEqual([]);
	expect(await lab.ledger(intentId)).toEqual({});
	const { data } = (await lab.ask("/v1/trading/intents", { by })).body;
	expect(data).toHaveLength(1);
}

test("[TRD-05] an operator's approval lets the trade continue: its allowance, one swap, no second question", async () => {
	const { by, trade } = await asked();
	const { body: list } = await lab.ask("/v1/admin/trading/intents", { actor: "ann" });
	expect(list.intents).toContainEqual(
		expect.objectContaining({
			...{ id: trade.intentId, reason: "review", errorCode: "venue_divergence" },
			actions: [expect.objectContaining({ name: "review" })],
		}),
	);
	// Much later, and with sources as far apart as before: the approval is valid within its bounds.
	lab.clock.ms += DAY_MS / 2;
	expect((await lab.review(trade.intentId, "approve")).status).toBe(200);
	const after = await lab.settled(by, trade.id);
	expect(after).toMatchObject({ status: "confirmed", leftover: null });
	expect(lab.sent.map(({ to }) => to)).toEqual(
		[world.addresses.usdg, world.addresses.router].map((to) => to.toLowerCase()) as never,
	);
	expect(lab.audited).toEqual([{ action: "trading.review.approved", actor: "operator:ann" }]);
	expect((await lab.review(trade.intentId, "approve")).status).toBe(409);
});

test("an operator's refusal ends the trade, and nothing was sent or allowed", async () => {
	const { by, trade } = await asked();
	expect((await lab.review(trade.intentId, "refuse")).body).toMatchObject({ status: "rejected" });
	expect(await lab.read(by, trade.id)).toMatchObject({
		...{ status: "rejected", errorCode: "review_refused", leftover: null },
	});
	await lab.tick();
	await expectNothingSent(by, trade.intentId);
	expect(lab.audited).toMatchObject([{ action: "trading.review.refused" }]);
});

test("a day without an answer ends the trade, and a late answer changes nothing", async () => {
	const { by, trade } = await asked();
	await lab.tick(DAY_MS - 60_000);
	expect((await lab.read(by, trade.id)).status).toBe("review_required");
	lab.clock.ms += 60_000;
	expect((await lab.review(trade.intentId, "approve")).status).toBe(409);
	await lab.tick();
	expect(await lab.read(by, trade.id)).toMatchObject({ status: "expired", leftover: null });
	await expectNothingSent(by, trade.intentId);
});

test("an approval needs no body: none, an empty one, null and {} mean the stored plan", async () => {
	const ask = async (init: RequestInit) => {
		const by = await lab.trader({ account, requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		await lab.review(body.intentId, "approve");
		const headers = new Headers({ ...init.headers, authorization: `Bearer ${by.token}` });
		const url = `http://localhost/v1/trading/intents/${body.id}/confirm`;
		const response = await lab.handle(new Request(url, { method: "POST", ...init, headers }));
		return { ...init, status: response.status, ...(await response.json()) };
	};
	const json = { "content-type": "application/json" };
	for (const init of [
		{},
		{ headers: json },
		{ headers: json, body: "" },
		{ headers: json, body: "null" },
		{ headers: json, body: "{}" },
	] satisfies RequestInit[]) {
		expect(await ask(init)).toMatchObject({ ...init, kind: "buy" });
	}
	expect(await ask({ headers: json, body: "{" })).toMatchObject({ code: "malformed_body" });
	expect(await ask({ headers: json, body: '{"planHash":"0x"}' })).toMatchObject({
		code: "validation_error",
	});
});

test("an operator's approval does not replace the owner's, who is asked after it", async () => {
	const { by, trade } = await asked({ requireTradeConfirmation: true });
	const confirm = () =>
		lab.ask(`/v1/trading/intents/${trade.id}/confirm`, { by, method: "POST", body: {} });
	expect((await confirm()).body.code).toBe("trade_state");
	await lab.review(trade.intentId, "approve");
	expect(lab.sent).toEqual([]);
	expect((await lab.read(by, trade.id)).status).toBe("waiting");
	expect((await confirm()).status).toBe(200);
	expect((await lab.settled(by, trade.id)).status).toBe("confirmed");
	expect(lab.sent).toHaveLength(2);
});

test("a price that moved beyond the bounds is refused in spite of an operator's approval", async () => {
	const { by, trade } = await asked();
	await world.moveMarket({ TSLA: 1_400 });
	await lab.review(trade.intentId, "approve");
	expect(await lab.settled(by, trade.id)).toMatchObject({ status: "rejected", leftover: null });
	expect(lab.sent).toEqual([]);
});

test("a caller who is no operator can neither answer nor see a review", async () => {
	const { by, trade } = await asked();
	const path = `/v1/admin/trading/intents/${trade.intentId}/resolve`;
	const { status } = await lab.ask(path, { by, body: { review: "approve" } });
	expect(status).toBe(401);
	expect((await lab.ask("/v1/admin/trading/intents", { by })).status).toBe(401);
	for (const review of ["yes", true, null, ""]) {
		const answer = await lab.ask(path, { actor: "ann", body: { review } });
		expect({ review, status: answer.status }).toEqual({ review, status: 422 });
	}
	expect((await lab.read(by, trade.id)).status).toBe("review_required");
});
