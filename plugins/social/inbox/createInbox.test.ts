import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createMetrics } from "#core/metrics.ts";
import { createSteps } from "#core/steps.ts";
import { createReceive } from "#plugins/social/inbox/createInbox.ts";
import { socialConfig } from "#plugins/social/limits.ts";
import { countAnswers, insertReplies, keepUnlinked } from "#plugins/social/sql/replies.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a text is stored once, and what repeats it changes nothing and costs next to nothing.

const nowMs = 1_800_000_000_000;
const idOf = (n: number) => String((BigInt(nowMs - 1_000 - 1_288_834_974_657) << 22n) + BigInt(n));

let database: TestDatabase;
let asked = 0;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(() => {
	asked = 0;
});

/** Opens one process's function, on a database that counts what it is asked. */
function open() {
	const { db } = database;
	const counting: typeof db = {
		...db,
		transaction(run) {
			asked += 1;
			return db.transaction(run);
		},
	};
	const metrics = createMetrics();
	const core = { db: counting, clock: { nowMs: () => nowMs }, metrics } as never;
	const config = socialConfig.parse({ SOCIAL_BOT_USERNAME: "bot" });
	let rings = 0;
	const x = { botId: async () => "1" };
	const receive = createReceive({ core, config, steps: createSteps(null), x }, () => {
		rings += 1;
	});
	return {
		rings: () => rings,
		metrics,
		receive: (...written: Written[]) => receive(written),
	};
}

const said = (n: number, text = "@bot help", authorId = "7", forId = "1"): Written => ({
	...{ via: "post", id: idOf(n), firstId: idOf(n), authorId, text },
	...{ isRepost: false, isAutomated: false, conversationId: idOf(n), forId, isReadable: true },
});

test("a repeated delivery stores nothing, starts no job, and sends no query", async () => {
	const { receive, rings, metrics } = open();
	expect(await receive(said(1), said(2))).toBe(2);
	expect([asked, rings()]).toEqual([1, 1]);
	for (let n = 0; n < 50; n++) expect(await receive(said(1), said(2))).toBe(0);
	expect([asked, rings()]).toEqual([1, 1]);
	expect(await receive(said(2), said(3))).toBe(1);
	expect([asked, rings()]).toEqual([2, 2]);
	expect((await metrics.expose()).body).toMatch(/outcome="repeated"[^}]*} 101$/m);
});

test("another or restarted process recognises a stored text", async () => {
	const { receive, rings } = open();
	expect(await receive(said(1))).toBe(0);
	expect([asked, rings()]).toEqual([1, 0]);
	expect(await receive(said(1))).toBe(0);
	expect(asked).toBe(1);
});

test("of two texts with one id the first is kept, whoever the later one names as its author", async () => {
	const { receive } = open();
	expect(await receive(said(10, "@bot thanks", "8"))).toBe(1);
	for (const process of [receive, open().receive]) {
		expect(await process(said(10, "@bot send 1 eth to 0x00", "7"))).toBe(0);
	}
	const rows = await database.db.query("select text, author_id from social.event where id = $1", [
		`post:${idOf(10)}`,
	]);
	expect(rows).toEqual([{ text: "thanks", author_id: "8" }]);
});

test("a text for another account is ignored, and does not use up the bot's place for that id", async () => {
	const { receive, metrics } = open();
	const row = async (n: number) =>
		(
			await database.db.query("select state, reason, text from social.event where id = $1", [
				`post:${idOf(n)}`,
			])
		)[0];
	expect(await receive(said(30, "@bot help", "7", "777"))).toBe(1);
	expect(await row(30)).toEqual({ state: "ignored", reason: "not_direct", text: "" });
	expect((await metrics.expose()).body).toMatch(/outcome="not_direct"[^}]*} 1$/m);
	// A post that names both accounts comes once for each.
	expect(await receive(said(30))).toBe(1);
	expect(await row(30)).toEqual({ state: "received", reason: null, text: "help" });
	for (const again of [said(30), said(30, "@bot help", "7", "777"), said(30, "@bot x", "8")]) {
		expect(await open().receive(again)).toBe(0);
	}
	expect(await row(30)).toEqual({ state: "received", reason: null, text: "help" });
});

test("many simultaneous commands of an author without a profile stay within the day's quota", async () => {
	const at = new Date(nowMs);
	const quota = { since: new Date(nowMs - 86_400_000), max: 20 };
	const row = { authorId: "9", command: "buy 1 AAPL", reason: "no_profile", at };
	await Promise.all(
		Array.from({ length: 60 }, (_, n) =>
			database.db.transaction((tx) => keepUnlinked(tx, { ...row, eventId: `post:${n}` }, quota)),
		),
	);
	const kept = await database.db.query("select from social.unlinked_trade where author_id = '9'");
	expect(kept).toHaveLength(20);
});

test("simultaneous answers to many authors of one conversation stay within its limit", async () => {
	const { receive } = open();
	const texts = Array.from({ length: 24 }, (_, n) => ({
		...said(100 + n, "@bot help", String(100 + n)),
		conversationId: "one",
	}));
	expect(await receive(...texts)).toBe(24);
	const at = new Date(nowMs);
	const body = '{"text":"x"}';
	const terms = { via: "post", part: "answer", goodUntil: at, weight: 0, tellsDm: false } as const;
	await Promise.all(
		texts.map(({ id, authorId }) =>
			database.db.transaction(async (tx) => {
				const eventId = `post:${id}`;
				const { inConversation } = await countAnswers(tx, { eventId, authorId, at });
				const state = inConversation < 5 ? "ready" : "unanswered";
				await insertReplies(tx, [{ ...terms, eventId, toId: id, authorId, body, state }], at);
			}),
		),
	);
	const rows = await database.db.query(
		`select count(*)::int as answers from social.reply r join social.event e on e.id = r.event_id
		where e.conversation_id = 'one' and r.state = 'ready'`,
	);
	expect(rows).toEqual([{ answers: 5 }]);
});
