import { beforeEach, expect, test } from "bun:test";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";
import { custodyFaults } from "#test/harness/fakes.ts";
import type { TradeLab } from "#test/harness/openTradeLab.ts";
import { useTradeLab } from "#test/harness/useTradeLab.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: a trade is on chain 4663 only, uses a fresh quote, is stored with everything it was
// decided by, and a later change of that record is detected.

const stocks = useTradeLab();
let lab: TradeLab;
let world: StockWorld;
let account: number;
beforeEach(() => {
	({ lab, world, account } = stocks.open({ ROUTER_BASE_URL: stocks.router.url }));
});

test("[TRD-03] every trade is on chain 4663: no body can name another", async () => {
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

test("[TRD-03] a trade whose quote became too old in the wallet's queue is cancelled and released", async () => {
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

test("[TRD-03] a trade, its submission and its result are sealed, and a later change of a row is detected", async () => {
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
	// A submission is sealed once it is final.
	for (let turn = 0; turn < 4; turn++) await lab.tick(30_000);
	expect(await lab.bookFlaws()).toBe(0);
	const shift = `update wallets.submission set nonce = nonce + $2 where intent_id = $1`;
	await db.execute(shift, [body.intentId, 1]);
	expect(await lab.bookFlaws()).toBeGreaterThan(0);
	await db.execute(shift, [body.intentId, -1]);
	expect(await lab.bookFlaws()).toBe(0);
});

test("[TRD-07] a trade stores everything that is needed to review it later", async () => {
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
			{ source: "hosted", requestId: expect.stringMatching(/^request-/), blockNumber: digits },
		],
		plan: { simulation: { spentRaw: "50000000", receivedRaw: trade.expectedRaw } },
		approval: {
			...{ token: world.addresses.usdg.toLowerCase(), amountRaw: "50000000" },
			intentId: expect.any(String),
		},
		...{ expectedRaw: digits, notionalUsd: "50.00", transactionHash: hash },
		settled: { transactionHash: trade.transactionHash, blockHash: hash, spentRaw: "50000000" },
	});
	expect(trade.policy.map(({ check }: any) => check)).toEqual([
		...["registry", "eligibility", "settlement", "amount", "shares"],
		...["price_impact", "reference_price"],
		...["pool_average", "price"],
		...["min_liquidity", "venue_divergence"],
	]);
	// The permit data: none is asked for, and an answer with one is refused.
	const [quote] = await lab.db.query<{ detail: { permitData?: unknown } }>(
		"select detail from trading.quote where trade_id = $1 and source = 'hosted'",
		[trade.id],
	);
	expect(quote?.detail).toMatchObject({ permitData: null, route: [[{ type: "v3-pool" }]] });
	// The reference under which the wallet provider knows each payment, and its state.
	const payments = await lab.db.query(
		`select s.id as reference, s.state::text, i.kind, i.id as "intentId"
		from wallets.submission s join wallets.intent i on i.id = s.intent_id
		where i.profile_id = $1 order by s.id`,
		[by.profile.id],
	);
	const [allowed, swapped] = lab.references;
	expect(payments).toEqual([
		{ kind: "allowance", state: "mined", reference: allowed, intentId: trade.approval.intentId },
		{ kind: "trade", state: "mined", reference: swapped, intentId: trade.intentId },
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

test.each<[what: string, errorCode: string, change: () => Promise<unknown> | void]>([
	["it left the list", "asset_delisted", () => list("delisted_pending_review")],
	["it failed its check on chain", "asset_not_verified", () => list("rejected")],
	["its owner may not trade it any more", "not_eligible", () => bar()],
	["an operator switched trading off", "trading_disabled", () => switchOff()],
])(
	"[TRD-03] a trade is refused at its confirmation if %s since it was quoted",
	async (_, errorCode, change) => {
		const by = await lab.trader({ account, requireTradeConfirmation: true });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "confirmation_required", errorCode: null });
		await change();
		const path = `/v1/trading/intents/${body.id}/confirm`;
		const { body: after } = await lab.ask(path, { by, method: "POST", body: {} });
		await list("active");
		await lab.db.execute("delete from wallets.control");
		expect(after).toMatchObject({ status: "rejected", errorCode });
		expect(lab.sent).toEqual([]);
		expect(await lab.ledger(body.intentId)).toEqual({});
	},
);

type Status = Parameters<typeof assetRows.write>[1]["status"];

async function list(status: Status): Promise<void> {
	const at = world.stock("TSLA").address.toLowerCase() as `0x${string}`;
	const row = await assetRows.read(lab.db, 4663, at);
	if (!row) throw new Error("it is registered");
	await lab.db.transaction((tx) => assetRows.write(tx, { ...row, status }));
}

function bar(): void {
	lab.state.barred = { code: "not_eligible", detail: "Not from where you live." };
}

async function switchOff(): Promise<void> {
	await lab.db.execute(
		`insert into wallets.control (key, value, changed_by, changed_at)
		values ('kill:plugin:trading', 'true', 'test', now())`,
	);
}

test.each(["the chain", "the wallet provider"])(
	"[TRD-08] a trade whose submission got no answer is resolved by %s, and is sent once",
	async (who) => {
		const by = await lab.trader({ account });
		const count = () => lab.anvil.rpc("eth_getTransactionCount", [by.wallet.address, "latest"]);
		const before = Number(await count());
		let transactionHash: `0x${string}` | null = null;
		const asked = new Set<string>();
		lab.state.answerOf = (outcome) => {
			if (outcome.kind === "sent") transactionHash = outcome.transactionHash;
			return { kind: "unknown", detail: "It did not answer." };
		};
		lab.state.traceOf = async (referenceId) => {
			asked.add(referenceId);
			if (who === "the chain") throw custodyFaults.silent();
			return { transactionId: "tx-1", referenceId, status: "broadcasted", transactionHash };
		};
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status: "uncertain", transactionHash: null });
		for (let turn = 0; turn < 10; turn++) await lab.tick(30_000);
		const trade = await lab.read(by, body.id);
		expect(trade).toMatchObject({ status: "confirmed", transactionHash });
		expect(trade.settled).toMatchObject({ transactionHash, receivedRaw: body.expectedRaw });
		expect(lab.sent).toHaveLength(1);
		expect([...asked]).toEqual(lab.references);
		expect(Number(await count())).toBe(before + 1);
	},
);

test.each<[Wallet["capability"], status: string, errorCode: string | null]>([
	["embedded/delegated", "submitted", null],
	["embedded/manual", "signature_required", null],
	["external/manual", "signature_required", null],
	["review-required", "rejected", "no_executable_wallet"],
	["disabled", "rejected", "no_executable_wallet"],
])(
	"[TRD-09] the service sends a trade by itself only for an embedded/delegated wallet: %s",
	async (capability, status, errorCode) => {
		const by = await lab.trader({ account, capability });
		const { body } = await lab.trade(by, "buy TSLA with 0.01 ETH");
		expect(body).toMatchObject({ status, errorCode });
		expect(lab.sent).toHaveLength(status === "submitted" ? 1 : 0);
	},
);
