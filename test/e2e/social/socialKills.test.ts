import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { EVENT_AGE_MAX_MS, REPLY_AGE_MAX_MS } from "#plugins/social/limits.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { openSocialKillLane, type SocialKillLane } from "#test/e2e/social/openSocialTrades.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { until } from "#test/harness/until.ts";
import { renderMention, renderMessage } from "#test/sandbox/social/createTimeline.ts";

// Guarantee: wherever the process is killed between a delivery and its reply, a command is carried
// out at most once, answered at most once, and answered or left with a stored reason.

const isProving = process.env["PROVE"] === "1";
/** Plays run one after the other, and the limit of each wait ends before its test's. */
const KILLS_LIMIT_MS = 3 * TEST_LIMIT_MS;

let lane: SocialKillLane;
beforeAll(async () => {
	lane = await openSocialKillLane();
});
afterAll(() => lane?.close());

type Row = { event: string; eventReason: string | null; reply: string; reason: string | null };

/** `answers`: all that X has of the bot's words to it, the notice of its end too. */
type Said = { id: string; payload: unknown; answers(): { id: string }[] };

/** Posts a mention that is to be carried out; returns its delivery. */
function mention(): Said {
	const { x, own } = lane;
	const { post } = x.post({ by: "cleo", text: `@tapeline_bot send 0.001 eth to ${own}` });
	return {
		id: `post:${post.id}`,
		payload: renderMention(post, { shape: "activity", bot: x.bot, timeline: x.timeline }),
		answers: () => x.timeline.posts.filter(({ replyTo }) => replyTo === post.id),
	};
}

/** Sends a direct message that is to be carried out; returns its delivery. */
function message(): Said {
	const { x, own } = lane;
	const before = x.timeline.messages.length;
	const { message: sent } = x.message({ by: "cleo", text: `send 0.001 eth to ${own}` });
	return {
		id: `dm:${sent.id}`,
		payload: renderMessage(sent, { shape: "activity", bot: x.bot, timeline: x.timeline }),
		answers: () =>
			x.timeline.messages.slice(before).filter(({ senderId }) => senderId === x.bot.id),
	};
}

/** The event, and the reply in the way in which its author wrote. */
const rowsOf = (id: string) =>
	lane.db.query<Row>(
		`select e.state as event, e.reason as "eventReason", r.state as reply, r.reason
		from social.event e
		left join social.reply r on r.event_id = e.id and r.via = e.via and r.part = 'answer'
		where e.id = $1`,
		[id],
	);

/** Returns X's ids of the notices of its order's end, once none is under way. */
async function noticesOf(id: string): Promise<(string | null)[]> {
	const read = () =>
		lane.db.query<{ state: string; sentId: string | null }>(
			`select state, sent_id as "sentId" from social.reply
			where event_id = $1 and part = 'notice'`,
			[id],
		);
	const isOpen = ({ state }: { state: string }) =>
		["ready", "sending", "uncertain"].includes(state);
	await until(async () => !(await read()).some(isOpen), "no notice is under way");
	return (await read()).map(({ sentId }) => sentId);
}

const isOver = ([row]: Row[]): boolean =>
	row !== undefined &&
	(row.event === "dropped" ||
		(row.event === "answered" && ["sent", "refused", "unanswered"].includes(row.reply)));

/** Plays a mention, or a message, through one death, and returns the result. */
async function play(point: KillPoint | null, say: () => Said = mention) {
	// Earlier posts must not use up this author's limit of the hour.
	await lane.db.execute("delete from social.event");
	await settleAll();
	const before = await countIntents();
	await lane.arm(point);
	const { id, payload, answers } = say();
	await lane.x.deliver(payload);
	let died = false;
	await until(
		async () => {
			died = !lane.isAlive();
			// A point counts if it is reached: a process that answers first dies a moment later.
			return died || (point === null && isOver(await rowsOf(id)));
		},
		() => `the mention is answered, or its process dead at ${JSON.stringify(point)}`,
	);
	const reached = died ? {} : await lane.reached();
	if (died) {
		await lane.revive();
		// X delivers it again, as after a failed delivery; it may have been taken before.
		await lane.x.deliver(payload);
		const from = lane.clock.offsetMs;
		await until(
			async () => {
				const rows = await rowsOf(id);
				if (isOver(rows)) return true;
				const passedMs = lane.clock.offsetMs - from;
				if (passedMs < passesMsMax(rows)) await lane.pass(20_000);
				return false;
			},
			() => `the mention is over after ${JSON.stringify(point)}`,
		);
	}
	// Delivered once more: nothing follows from it.
	await lane.x.deliver(payload);
	const [row] = await rowsOf(id);
	const notices = new Set(await noticesOf(id));
	const own = answers().filter((one) => !notices.has(one.id)).length;
	return { died, reached, row, answers: own, intents: (await countIntents()) - before };
}

/**
 * Returns by how much the clock may move: less than makes a mention, or its reply, too old while
 * its process waits for a processor.
 */
function passesMsMax([row]: Row[]): number {
	// A reply that is only looked for does not get too old, and each look is further off than the
	// last.
	if (row?.reply === "uncertain" || row?.reply === "sending") return Number.POSITIVE_INFINITY;
	return (row?.event === "answered" ? REPLY_AGE_MAX_MS : EVENT_AGE_MAX_MS) / 2;
}

/** Settles the wallet's earlier payments, so that the next one is handed over at once. */
async function settleAll(): Promise<void> {
	let open: Record<string, unknown>[] = [];
	await until(
		async () => {
			await lane.pass(5_000);
			await lane.reached();
			// A payment whose nonce another one used is over once that is final.
			await lane.anvil.rpc("anvil_mine", ["0x10"]);
			open = await lane.db.query(
				"select * from wallets.intent where status in ('created', 'submitting', 'submitted', 'uncertain')",
			);
			return open.length === 0;
		},
		() => `earlier payments are over: ${JSON.stringify(open)}`,
	);
}

async function countIntents(): Promise<number> {
	const [row] = await lane.db.query<{ count: number }>(
		"select count(*)::int as count from wallets.intent",
	);
	return row?.count ?? 0;
}

const edges = (
	[
		...["social.receive", "social.ask", "social.finish"],
		...["social.render", "social.say", "social.store"],
	] as const
).flatMap((step) => (["before", "after"] as const).map((edge) => ({ step, edge, nth: 1 })));

/** Steps from the idempotency key to the hand-over, and the answer. */
const HAND_OVER = /^(?:commit\.(?:create|decide|outcome|answer)|rpc\.account|custody\.send):/;

test("a mention without a kill is executed and answered, and passes each of these steps", async () => {
	const { row, answers, intents, reached } = await play(null);
	expect({ row, answers, intents }).toMatchObject({
		...{ row: { event: "answered", reply: "sent" }, answers: 1, intents: 1 },
	});
	for (const { step, edge } of edges) expect(Object.keys(reached)).toContain(`${step}:${edge}`);
});

/** Expects what holds after each death; returns nothing. */
function expectOnce(point: KillPoint, { died, row, answers, intents }: Played): void {
	expect(died).toBe(true);
	expect(intents).toBe(1);
	expect(answers).toBeLessThanOrEqual(1);
	if (row?.reply === "sent") expect(answers).toBe(1);
	else expect(row?.reason ?? row?.eventReason).toBeTruthy();
	// Only a death around the call itself leaves the reply in doubt, and one before its refusal is
	// stored: a new process does not know what the last one said, so X may refuse the same words.
	const isSaying = point.step === "social.render" && point.edge === "after";
	const isInDoubt =
		isSaying || point.step === "social.say" || (point.step === "social.store" && answers === 0);
	if (!isInDoubt) expect(row).toMatchObject({ reply: "sent" });
}

type Played = Awaited<ReturnType<typeof play>>;

for (const point of edges) {
	test(`a mention killed ${point.edge} ${point.step} is executed once, and answered once or with a reason`, async () => {
		expectOnce(point, await play(point));
	});
}

test(
	"a mention killed on the path of payments is executed once, and answered",
	async () => {
		const { reached } = await play(null);
		// Background jobs reach steps of their own; only the steps of sending count here.
		const points = Object.keys(reached).filter((name) => HAND_OVER.test(name));
		expect(points.length).toBeGreaterThanOrEqual(8);
		for (const name of points.filter((_, index) => isProving || index % 3 === 0)) {
			const [step = "", edge] = name.split(":");
			const point = { step, edge: edge === "before" ? "before" : "after", nth: 1 } as const;
			const { row, answers, intents } = await play(point);
			expect([name, row?.event, row?.reply, answers, intents]).toEqual([
				...[name, "answered", "sent", 1, 1],
			]);
		}
	},
	KILLS_LIMIT_MS,
);

// Last: from here on cleo may get direct messages, which her posts are then answered by as well.
for (const point of edges.filter(({ step }) => isProving || step === "social.say")) {
	test(`a message killed ${point.edge} ${point.step} is executed once, and answered as a post is`, async () => {
		const played = await play(point, message);
		expectOnce(point, played);
		// What X has is found among the bot's messages.
		if (point.edge === "after" && point.step !== "social.render")
			expect(played.row).toMatchObject({ reply: "sent" });
	});
}

/** Plays an order to the notice of its end, through a death at that notice. */
async function playNotice(point: KillPoint | null) {
	await lane.db.execute("delete from social.event");
	await settleAll();
	await lane.arm(null);
	const { id, payload, answers } = message();
	await lane.x.deliver(payload);
	await until(async () => isOver(await rowsOf(id)), "it is answered");
	const before = answers().length;
	let isArmed = true;
	let rows: { state: string }[] = [];
	await until(
		async () => {
			if (lane.isAlive()) {
				// It may die while it is asked.
				const dies = () => {};
				await lane.pass(5_000, isArmed ? point : null).catch(dies);
				await lane.reached().catch(dies);
			} else {
				isArmed = false;
				await lane.revive();
			}
			rows = await lane.db.query(
				"select state from social.reply where event_id = $1 and part = 'notice'",
				[id],
			);
			// A process that dies after its last statement may still be alive as that is seen.
			if (isArmed && point !== null) return false;
			return rows.some(({ state }) => ["sent", "refused", "unanswered"].includes(state));
		},
		() => `its end is told: ${JSON.stringify(rows)}`,
	);
	return { died: !isArmed, notices: answers().length - before, rows: rows.length };
}

test(
	"a notice of an order's outcome is sent at most once when a process is killed around it",
	async () => {
		const steps = ["social.tell", "social.render", "social.say", "social.store"];
		const points = steps.flatMap((step) =>
			(["before", "after"] as const).map((edge) => ({ step, edge, nth: 1 })),
		);
		for (const point of points.filter((_, n) => isProving || n === 1)) {
			const { died, notices, rows } = await playNotice(point);
			expect([point, died, rows, notices <= 1]).toEqual([point, true, 1, true]);
		}
	},
	KILLS_LIMIT_MS,
);

// 60 deaths in all at full length, at points of chance, of posts and of messages.
test(
	`a text killed at any step is executed once, and answered once or with a reason (TEST_SEED=${TEST_SEED})`,
	async () => {
		const points = fc.sample(fc.record({ at: fc.constantFrom(...edges), isPost: fc.boolean() }), {
			seed: TEST_SEED,
			numRuns: isProving ? 40 : 2,
		});
		for (const { at, isPost } of points) expectOnce(at, await play(at, isPost ? mention : message));
	},
	KILLS_LIMIT_MS,
);
