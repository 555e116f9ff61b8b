import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import { builtinTools } from "#test/agent/builtinCommands.ts";
import { openSocialTrades, type SocialTrades } from "#test/e2e/social/openSocialTrades.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { registerStocks, startStockChain, type Trader } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: what is said is so when it is said, whatever held it up; and the end of each order is
// told once, with its transaction, in public only how far it came.

const BOT = "@tapeline_bot";
const CONFIRMED = /is confirmed on chain\. Transaction 0x[0-9a-f]{64}$/;

let database: TestDatabase;
let anvil: Anvil;
let at: SocialTrades;
let ada: Trader;
let bob: Trader;
let adaOnX: string;
let bobOnX: string;
beforeAll(async () => {
	const [made, { anvil: chain, world }] = await Promise.all([
		createTestDatabase(),
		startStockChain(),
	]);
	[database, anvil] = [made, chain];
	await registerStocks(database.db, world);
	at = await openSocialTrades({ db: database.db, anvil, world });
	[ada, bob] = [await at.trader({ account: 1 }), await at.trader({ account: 2 })];
	[adaOnX, bobOnX] = [at.account(ada).id, at.account(bob).id];
	// The bot sends messages only to people who wrote to it first.
	await at.dm(adaOnX, "help");
});
afterAll(async () => {
	await at?.stop();
	await anvil?.stop();
	await database?.drop();
});
beforeEach(() => {
	at.x.clearFaults();
	// Each begins a window of X's, of which one author has a part.
	at.clock.ms += 16 * MINUTE_MS;
});

let orders = 0;
/** Returns an order that no other one equals: X takes the same text twice for a duplicate. */
function order(): string {
	orders += 1;
	return `buy TSLA with 0.0001${orders} ETH`;
}

const messagesTo = (id: string) =>
	at.x.timeline.messages.filter(({ recipientId }) => recipientId === id).map(({ text }) => text);
const answersTo = (id: string) =>
	at.x.timeline.posts.filter(({ replyTo }) => replyTo === id).map(({ text }) => text);
const repliesOf = (id: string) =>
	at.db.query<{ part: string; via: string; state: string; reason: string | null }>(
		"select part, via, state, reason from social.reply where event_id = $1 order by part, via",
		[id],
	);
const noticesOf = async (id: string) =>
	(await repliesOf(id)).filter(({ part }) => part === "notice").map(({ via }) => via);

/** Settles a trader's newest trade on chain. */
async function settle(by: Trader): Promise<void> {
	const [newest] = await at.trades(by);
	expect(await at.lab.settled(by, newest.id)).toMatchObject({ status: "confirmed" });
}

/**
 * Lets time pass until no order is followed any more, and nothing waits to be sent: slower than
 * answers get too old while a loop sleeps.
 */
async function allTold(): Promise<void> {
	await until(async () => {
		at.clock.ms += 2 * SECOND_MS;
		const open = await at.db.query(
			`select from social.followed_order where state = 'open' union all
			select from social.reply where state in ('ready', 'sending', 'uncertain')`,
		);
		return open.length === 0;
	}, "all is told");
}

/** Sends a text by message without waiting for its answer; returns the id of its event. */
async function write(by: string, text: string): Promise<string> {
	const { message, delivered } = at.x.message({ by, text });
	await delivered;
	return `dm:${message.id}`;
}

const waitsFor = (id: string, reason: string) =>
	until(
		async () => (await repliesOf(id)).some((one) => one.reason === reason),
		() => `${id} waits: ${reason}`,
	);

test("an order's outcome is reported by one message with its transaction", async () => {
	const { dm } = await at.dm(adaOnX, order());
	expect(dm).not.toMatch(CONFIRMED);
	const before = messagesTo(adaOnX).length;
	await settle(ada);
	await allTold();
	expect(messagesTo(adaOnX)).toHaveLength(before + 1);
	expect(messagesTo(adaOnX).at(-1)).toMatch(CONFIRMED);
	const [trade] = await at.trades(ada);
	expect(messagesTo(adaOnX).at(-1)).toContain(trade.transactionHash);
	at.clock.ms += 60 * MINUTE_MS;
	await at.dm(adaOnX, "help");
	expect(messagesTo(adaOnX)).toHaveLength(before + 2);
});

test("in public only the state of an order is shown, and nothing if its author gets messages", async () => {
	const first = at.x.post({ by: bobOnX, text: `${BOT} ${order()}` });
	await first.delivered;
	await until(() => answersTo(first.post.id).length === 1, "it is answered");
	await settle(bob);
	await allTold();
	const told = answersTo(first.post.id);
	expect(told).toHaveLength(2);
	expect(told[1]).toContain("It is confirmed.");
	for (const text of told) expect(text).not.toMatch(/0x|0\.0001|TSLA/);
	const second = at.x.post({ by: adaOnX, text: `${BOT} ${order()}` });
	await second.delivered;
	await until(() => answersTo(second.post.id).length === 1, "it is answered");
	await settle(ada);
	await allTold();
	expect(answersTo(second.post.id)).toHaveLength(1);
	expect(await noticesOf(`post:${second.post.id}`)).toEqual(["dm"]);
	expect(messagesTo(adaOnX).at(-1)).toMatch(CONFIRMED);
});

test("an answer that waited has the current state, and no notice repeats it", async () => {
	const limited = { kind: "429", path: "POST /2/dm_conv", times: 1, retryAfter: 120 } as const;
	at.x.fault(limited);
	await waitsFor(await write(adaOnX, "my wallets"), "rate_limited");
	const id = await write(adaOnX, order());
	await until(async () => (await repliesOf(id)).length === 1, "it waits");
	await settle(ada);
	at.clock.ms += 120 * SECOND_MS;
	await allTold();
	expect(messagesTo(adaOnX).at(-1)).toMatch(CONFIRMED);
	expect(await repliesOf(id)).toMatchObject([{ part: "answer", state: "sent" }]);
});

test("an answer that X may have received is repeated unchanged; one it never received is renewed", async () => {
	const lost = { kind: "lost_429", path: "POST /2/dm_conv", times: 1, retryAfter: 60 } as const;
	at.x.fault(lost);
	const before = messagesTo(adaOnX).length;
	await waitsFor(await write(adaOnX, order()), "rate_limited");
	await settle(ada);
	at.clock.ms += 60 * SECOND_MS;
	await allTold();
	const [heard = "", again, ...more] = messagesTo(adaOnX).slice(before);
	expect(again).toBe(heard);
	// The chain may have been faster than the first try: then that told the end.
	expect([heard, ...more].filter((text) => CONFIRMED.test(text))).toHaveLength(1);
	const known = messagesTo(adaOnX).length;

	at.x.fault({ kind: "status", status: 401, path: "POST /2/dm_conv" });
	const id = await write(adaOnX, order());
	await waitsFor(id, "http_401");
	await settle(ada);
	at.x.clearFaults();
	await allTold();
	expect(messagesTo(adaOnX)).toHaveLength(known + 1);
	expect(messagesTo(adaOnX).at(-1)).toMatch(CONFIRMED);
});

test("an answer that waited for the word link has the current state", async () => {
	const cleo = await at.trader({ account: 3 });
	const { id } = at.account(cleo);
	await at.mention(id, `${BOT} ${order()}`);
	await settle(cleo);
	await allTold();
	await write(id, "link");
	await until(() => messagesTo(id).length === 1, "what waited is sent");
	expect(messagesTo(id)[0]).toMatch(CONFIRMED);
});

test("start by message releases the answers that waited", async () => {
	const dora = await at.trader({ account: 4 });
	const { id } = at.account(dora);
	const { post } = await at.mention(id, `${BOT} ${order()}`);
	expect(post).toContain("Send me the word link");
	await write(id, "start");
	await until(() => messagesTo(id).length === 1, "what waited is sent");
	await settle(dora);
	await allTold();
	expect(messagesTo(id).at(-1)).toMatch(CONFIRMED);
});

test("a question that waited is asked again, and its answer shows its age", async () => {
	const asked = await write(bobOnX, "my trades");
	await until(async () => (await repliesOf(asked))[0]?.state === "sent", "it is answered");
	at.x.fault({ kind: "429", path: "POST /2/dm_conv", times: 1, retryAfter: 120 });
	await waitsFor(await write(bobOnX, "my holdings"), "rate_limited");
	const id = await write(bobOnX, "my trades");
	await until(async () => (await repliesOf(id)).length === 1, "it waits");
	await at.lab.trade(bob, "buy AAPL with 0.0001 ETH");
	await settle(bob);
	at.clock.ms += 122 * SECOND_MS;
	await until(async () => (await repliesOf(id))[0]?.state === "sent", "it is said");
	expect(messagesTo(bobOnX).at(-1)).toContain("AAPL");
});

test("an order in polite words waits for a confirmation by its link, and its outcome is reported", async () => {
	const { dm } = await at.dm(adaOnX, `hey, could you please ${order()}? thanks!!`);
	const token = /\/links\/(\S+)$/.exec(dm ?? "")?.[1];
	const [trade] = await at.trades(ada);
	expect(trade).toMatchObject({ status: "confirmation_required" });
	const { body: link } = await at.ask(`/v1/links/${token}`);
	await at.ask(`/v1/links/${token}`, { body: { planHash: link.transactions[0].planHash } });
	await settle(ada);
	await allTold();
	expect(messagesTo(adaOnX).at(-1)).toMatch(CONFIRMED);
});

test("every tool that begins or undoes something is followed to its outcome", () => {
	const moving = builtinTools.filter(({ effect }) => effect !== "read");
	expect(moving.length).toBeGreaterThan(10);
	expect(moving.filter(({ order: followed }) => !followed).map(({ name }) => name)).toEqual([]);
});

test("an author who is no longer linked hears nothing about their profile", async () => {
	const id = await write(adaOnX, order());
	await until(async () => (await repliesOf(id))[0]?.state === "sent", "it is answered");
	at.account(bob, adaOnX);
	await settle(ada);
	await allTold();
	expect(await noticesOf(id)).toEqual([]);
});
