import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS } from "#core/time.ts";
import { openSocialTrades, type SocialTrades } from "#test/e2e/social/openSocialTrades.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { registerStocks, startStockChain, type Trader } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: a linked author's own text on X trades within the channel's caps, once; another
// person's text, or one that only a model can read, moves nothing.

const BOT = "@tapeline_bot";
const ONE = 10n ** 18n;
const DOLLAR = 1_000_000n;

let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let at: SocialTrades;
let ada: Trader;
let adaOnX: string;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
	at = await openSocialTrades({ db: database.db, anvil, world });
	ada = await at.trader({ account: 1 });
	adaOnX = at.account(ada).id;
	const gifts: [string, bigint][] = [
		[world.addresses.usdg, 20_000n * DOLLAR],
		...["AAPL", "NVDA", "TSLA", "GME"].map((one): [string, bigint] => [of(one), ONE / 2n]),
	];
	for (const [token, raw] of gifts) await world.give(token as never, ada.wallet.address, raw);
	// The bot sends messages only to people who wrote to it first.
	await at.dm(adaOnX, "help");
});
afterAll(async () => {
	await at?.stop();
	await anvil?.stop();
	await database?.drop();
});

const of = (ticker: string) => world.stock(ticker).address;

/** Returns a trader's newest trade once it needs no more work. */
async function ended(by: Trader) {
	const [newest] = await at.trades(by);
	return await at.lab.settled(by, newest.id);
}

describe("[TRD-02] each command of a linked author is executed as typed", () => {
	test.each([
		["buy TSLA with 5 USDG", "buy"],
		["buy $TSLA with 5 USDG", "buy"],
		["buy 0.01 AAPL", "buy"],
		["buy 0.01 $aapl", "buy"],
		["sell 25% NVDA", "sell"],
		["sell half of my NVDA to USDG", "sell"],
		["sell all of GME", "sell"],
		["sell 0.1 $AAPL", "sell"],
		["sell 0.1 of my AAPL to ETH", "sell"],
		["buy TSLA with 0.001 ETH", "buy"],
		["hold AAPL", "hold"],
	])("%s", async (command, kind) => {
		const before = (await at.trades(ada)).length;
		const { post } = await at.mention(adaOnX, `${BOT} ${command}`);
		// Where it needs an allowance first, the swap waits for that.
		const said = post?.replace(/^@\S+ /, "").replace(/ · [\d:]{8} UTC.*$/, "");
		expect(said).toMatch(/^It is (?:waiting|submitted|confirmed)\. [^\d$]*$/);
		expect(await ended(ada)).toMatchObject({ kind, status: "confirmed", errorCode: null });
		expect(await at.trades(ada)).toHaveLength(before + 1);
	});

	test("a mention must name the bot, and a message need not", async () => {
		const before = (await at.trades(ada)).length;
		const { post, delivered } = at.x.post({ by: adaOnX, text: "buy TSLA with 5 USDG" });
		await delivered;
		expect(post.text).not.toContain(BOT);
		const { dm } = await at.dm(adaOnX, "buy TSLA with 5 USDG");
		expect(dm).toContain("TSLA");
		await ended(ada);
		expect(await at.trades(ada)).toHaveLength(before + 1);
	});
});

describe("[SOC-10] a strict command of a linked author", () => {
	test("a trade is executed once, however often its post is delivered", async () => {
		const before = (await at.trades(ada)).length;
		at.x.fault({ kind: "duplicate_delivery", times: 1 });
		await at.mention(adaOnX, `${BOT} buy TSLA with 6 USDG`);
		await ended(ada);
		expect(await at.trades(ada)).toHaveLength(before + 1);
	});

	test("a trade above the channel's cap of 500 USD is refused, whatever the profile allows", async () => {
		const sent = at.sent.length;
		await at.mention(adaOnX, `${BOT} buy TSLA with 600 USDG`);
		const [trade] = await at.trades(ada);
		expect(trade).toMatchObject({ status: "rejected", errorCode: "per_trade_limit" });
		expect(at.sent).toHaveLength(sent);
	});

	test("a trade that only a model reads waits for a confirmation by a link, and is then executed", async () => {
		const sent = at.sent.length;
		at.model.fault({ kind: "hostile", command: "buy TSLA with 0.001 ETH", times: 1 });
		const text = `${BOT} pls get TSLA with 0.001 ETH for me`;
		const { post, dm } = await at.mention(adaOnX, text);
		expect(post).toContain("needs your yes by a link");
		const [trade] = await at.trades(ada);
		expect(trade).toMatchObject({ status: "confirmation_required" });
		expect(at.sent).toHaveLength(sent);
		const token = /\/links\/(\S+)$/.exec(dm ?? "")?.[1];
		const { body: link } = await at.ask(`/v1/links/${token}`);
		await at.ask(`/v1/links/${token}`, { body: { planHash: link.transactions[0].planHash } });
		expect(await at.lab.settled(ada, trade.id)).toMatchObject({ status: "confirmed" });
	});
});

describe("[SOC-07] a text", () => {
	test("a text is read as in web chat, and a strict one calls no model", async () => {
		const asked = at.model.calls().total;
		await at.mention(adaOnX, `${BOT} sell 0.01 TSLA to USDG`);
		const [trade] = await at.trades(ada);
		const elsewhere = await at.lab.trade(ada, "sell 0.01 TSLA to USDG");
		expect(trade.wish).toEqual(elsewhere.body.wish);
		expect(at.model.calls().total).toBe(asked);
		await at.lab.settled(ada, elsewhere.body.id);
	});

	test("a model cannot add an amount, share or name that is not in the text", async () => {
		const before = (await at.trades(ada)).length;
		for (const command of ["buy TSLA with 8 USDG", "sell all TSLA", "sell GME", "buy 9 TSLA"]) {
			at.model.fault({ kind: "hostile", command, times: 1 });
			await at.mention(adaOnX, `${BOT} would you kindly sell half of my TSLA, ${command.length}`);
		}
		expect(await at.trades(ada)).toHaveLength(before);
	});
});

describe("[TRD-07] a trade keeps its full record, whatever its outcome", () => {
	test("settings, quotes, policy, approval, plan, receipt and reference are stored", async () => {
		await at.mention(adaOnX, `${BOT} buy NVDA with 5 USDG`);
		const trade = await ended(ada);
		// Its words are kept as long as the trade.
		const known = { command: "buy NVDA with 5 USDG", intentId: expect.any(String), kind: "buy" };
		expect(trade).toMatchObject({ ...known, status: "confirmed" });
		expect(trade.quotes.some((one: any) => one.isTaken && one.hops !== null)).toBe(true);
		for (const part of ["settings", "policy", "plan", "settled"]) {
			expect([part, Object.keys(trade[part] ?? {}).length > 0]).toEqual([part, true]);
		}
		expect(trade.planHash).toMatch(/^0x/);
		expect(trade.transactionHash).toBe(trade.settled.transactionHash);
		expect(trade.notionalUsd).toMatch(/^\d/);
		expect(trade.expectedRaw).toMatch(/^\d+$/);
		const [row] = await database.db.query<{ channel: string }>(
			"select channel from trading.trade where id = $1",
			[trade.id],
		);
		expect(row?.channel).toBe("social");
	});

	test("[SOC-04] [SOC-10] a trade of a profile with confirmations waits for a link, and POST confirm", async () => {
		const careful = await at.trader({ account: 2, requireTradeConfirmation: true });
		const { dm } = await at.dm(at.account(careful).id, "buy TSLA with 0.001 ETH");
		expect(dm).toMatch(/https:\/\/app\.example\/links\/\S+$/);
		const [trade] = await at.trades(careful);
		expect(trade).toMatchObject({ status: "confirmation_required" });
		const path = `/v1/trading/intents/${trade.id}/confirm`;
		const link = `/v1/links/${/\/links\/(\S+)$/.exec(dm ?? "")?.[1]}`;
		expect((await at.ask(link)).status).toBe(200);
		await at.ask(path, { by: careful, method: "POST", body: {} });
		// The link is used up by that.
		const again = await at.ask(link, { body: { planHash: trade.planHash } });
		expect([again.status, again.body.code]).toEqual([404, "not_found"]);
		expect(await at.lab.settled(careful, trade.id)).toMatchObject({ status: "confirmed" });
	});

	test("[SOC-04] [SOC-10] a trade of a wallet that its owner signs for is stored with what it waits for", async () => {
		const own = await at.trader({ account: 3, capability: "external/manual" });
		const sent = at.sent.length;
		const { dm } = await at.dm(at.account(own).id, "buy TSLA with 0.001 ETH");
		expect(dm).toContain("/links/");
		const [trade] = await at.trades(own);
		expect(trade).toMatchObject({ status: "signature_required", errorCode: null });
		expect(at.sent).toHaveLength(sent);
	});

	test("a trade of an author without a profile is kept for 90 days, listed, and counted", async () => {
		const stranger = at.account();
		const { post } = await at.mention(stranger.id, `${BOT} buy 2 AAPL`);
		expect(post).toContain("not linked");
		for (let n = 1; n <= 21; n++) await at.dm(stranger.id, `buy ${n} $TSLA`);
		const { data } = await at.admin("/unlinked-trades?limit=200");
		expect(data).toHaveLength(20);
		expect(data.at(-1)).toMatchObject({
			...{ reason: "no_profile", authorId: stranger.id, command: "buy 2 AAPL" },
		});
		const kept = async () => {
			await at.runJob("social.prune");
			return (await at.admin("/unlinked-trades?limit=200")).data.length;
		};
		// By the database's time, however far a process's clock is ahead.
		at.clock.ms += 91 * DAY_MS;
		expect(await kept()).toBe(20);
		await at.db.execute("update social.unlinked_trade set at = now() - interval '91 days'");
		expect(await kept()).toBe(0);
	});
});
