import { afterAll, beforeAll, expect, test } from "bun:test";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import { writtenAtMs } from "#plugins/social/inbox/judgeSpeaker.ts";
import { openSocialTrades, type SocialTrades } from "#test/e2e/social/openSocialTrades.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { registerStocks, startStockChain } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: however many people write, and whatever X limits, each linked person's order is
// answered within a minute, and the month's reads last. The clock is simulated.

const isProving = process.env["PROVE"] === "1";
/** The full hour has 1,000 posts of 100 authors; a test has its first six minutes. */
const POSTS = isProving ? 1_000 : 100;
const EVERY_MS = 3_600;
const AUTHORS = 100;
const LINKED = 4;
/** One in so many posts is an order of somebody linked. */
const ORDER_EACH = 9;
const BOT = "@tapeline_bot";
const BURST = 10;

let database: TestDatabase;
let anvil: Anvil;
let at: SocialTrades;
const linked: string[] = [];
let others: string[] = [];
beforeAll(async () => {
	const [made, { anvil: chain, world }] = await Promise.all([
		createTestDatabase(),
		startStockChain(),
	]);
	[database, anvil] = [made, chain];
	await registerStocks(database.db, world);
	at = await openSocialTrades({ db: database.db, anvil, world, keepsRates: true });
	for (let n = 1; n <= LINKED; n++) {
		linked.push(at.account(await at.trader({ account: n })).id);
	}
	others = Array.from({ length: AUTHORS - LINKED }, () => at.account().id);
	// Half of them may get messages: their posts wait for those.
	for (const one of linked.slice(0, LINKED / 2)) await at.dm(one, "start");
});
afterAll(async () => {
	await at?.stop();
	await anvil?.stop();
	await database?.drop();
});

/** Returns the n-th post: an order of somebody linked, or what the others write. */
function nth(n: number): { by: string; text: string; isOrder: boolean } {
	const tickers = ["AAPL", "TSLA", "NVDA", "GME"];
	if (n % ORDER_EACH === 0) {
		const by = linked[(n / ORDER_EACH) % linked.length] ?? "";
		return { by, text: `hold ${tickers[n % tickers.length]}`, isOrder: true };
	}
	// A tenth of the crowd writes half of its posts.
	const by = n % 2 ? others[n % 10] : others[n % others.length];
	const texts = ["help", "thanks!", "buy 2 AAPL", "what is this", "price of TSLA"];
	return { by: by ?? "", text: texts[n % texts.length] ?? "help", isOrder: false };
}

const isThinking = async () =>
	(await at.db.query("select from social.event where state in ('received', 'thinking')")).length >
	0;

/** Says whether X is being called: what a busy machine takes for that is no time of the test's. */
const isSending = async (id: string) => {
	const rows = await at.db.query(
		"select from social.reply where event_id = $1 and state = 'sending'",
		[`post:${id}`],
	);
	return rows.length > 0;
};

test(
	"an hour of a hundred authors answers each order within a minute, and stays within the budget",
	async () => {
		const orders: string[] = [];
		const answerTo = (id: string) => at.x.timeline.posts.find(({ replyTo }) => replyTo === id);
		const beganMs = at.clock.nowMs();
		for (let n = 0; n < POSTS; n++) {
			const { by, text, isOrder } = nth(n);
			const { post, delivered } = at.x.post({ by, text: `${BOT} ${text}` });
			await delivered;
			if (isOrder) orders.push(post.id);
			if (isOrder || n % BURST === 0) {
				await until(async () => !(await isThinking()), "all is thought about");
			}
			// Time passes only as far as an order waits for it.
			const dueMs = beganMs + (n + 1) * EVERY_MS;
			if (isOrder) {
				await until(async () => {
					if (answerTo(post.id)) return true;
					if (!(await isSending(post.id))) at.clock.ms += SECOND_MS / 4;
					return at.clock.nowMs() - writtenAtMs(post.id) > 2 * MINUTE_MS;
				}, "an order is answered, or too late");
			}
			at.clock.ms = Math.max(at.clock.ms, dueMs);
			if (n % Math.ceil(MINUTE_MS / EVERY_MS) === 0) {
				await at.runJob("social.poll-mentions");
				await at.runJob("social.poll-messages");
			}
		}
		const late = orders.flatMap((id) => {
			const answer = answerTo(id);
			const waitedMs = answer ? writtenAtMs(answer.id) - writtenAtMs(id) : null;
			return waitedMs !== null && waitedMs <= MINUTE_MS ? [] : [{ id, waitedMs }];
		});
		expect(orders.length).toBeGreaterThan(POSTS / (ORDER_EACH + 1));
		expect(late).toEqual([]);
		// X never had to refuse a post by its limit.
		const limited = await at.db.query(
			"select from social.reply where reason = 'rate_limited' and state = 'ready'",
		);
		expect(limited.length).toBe(0);
		const { reads, readsMax } = await at.admin("/usage");
		expect(reads).toBeGreaterThan(0);
		expect(reads).toBeLessThanOrEqual(readsMax);
	},
	3 * TEST_LIMIT_MS,
);
