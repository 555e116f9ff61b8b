import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SENDING_MS } from "#plugins/social/limits.ts";
import { signatureOf } from "#plugins/social/x/callX.ts";
import { openSocialWorld, type SocialWorld } from "#test/e2e/social/openSocialWorld.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { renderMention } from "#test/sandbox/social/createTimeline.ts";

// Guarantee: whatever X does, each event is handled once and each answer is sent at most once; and
// a missing credential is reported at the call that needs it.

const BOT = "@tapeline_bot";

let world: SocialWorld;
beforeAll(async () => {
	world = await openSocialWorld({
		env: {
			ENABLE_POLLING_FALLBACK: "true",
			ENABLE_PROACTIVE_POSTS: "true",
			ENABLE_TREND_POSTS: "true",
			SOCIAL_MONTHLY_READS_MAX: "2000",
		},
	});
});
afterAll(() => world?.close());
beforeEach(async () => {
	world.x.clearFaults();
	await world.db.execute("delete from social.event");
});

const answersTo = (id: string) => world.x.timeline.posts.filter(({ replyTo }) => replyTo === id);
const replyOf = async (id: string) => (await world.repliesOf(`post:${id}`))[0];

/** Returns an answer without its mention and without its time of day. */
const helpOf = (text: string) => text.replace(/^@\S+ /, "").replace(/ · [\d:]{8} UTC.*$/, "");

/** Runs a job of the plugin now. */
async function runJob(name: string): Promise<void> {
	const job = world.service.host.jobs.find((one) => one.name === `social.${name}`);
	if (!job) throw new Error(`there is no job ${name}`);
	await job.run({ signal: AbortSignal.timeout(job.timeoutMs) });
}

/** Posts, and waits until the bot has stored it. */
async function tell(text: string) {
	const { post, delivered } = world.x.post({ by: "stranger", text: `${BOT} ${text}` });
	await delivered;
	return post;
}

/**
 * Waits for a state of a reply, while the service's clock runs ahead. It runs only while nothing
 * but time is waited for: what a busy machine is still working on would count as too old.
 */
async function replyBecomes(id: string, state: string, stepMs = 0): Promise<void> {
	await until(async () => {
		if ((await replyOf(id))?.state === state) return true;
		if (await isResting(id)) world.lab.advance(stepMs);
		return false;
	}, `the reply to ${id} is ${state}`);
}

/** Returns true if the next try or search of a reply is not due yet. */
async function isResting(id: string): Promise<boolean> {
	const due = await world.db.query(
		`select from social.reply
		where event_id = $1 and state in ('ready', 'uncertain') and due_at > $2`,
		[`post:${id}`, new Date(world.lab.nowMs())],
	);
	return due.length > 0;
}

describe("an answer that was sent to X", () => {
	test("an answer whose reply was lost is found on X and not posted again", async () => {
		world.x.fault({ kind: "lost", path: "POST /2/tweets", times: 1 });
		const { id } = await tell("help");
		await replyBecomes(id, "sent", 1_000);
		expect(answersTo(id)).toHaveLength(1);
		expect((await replyOf(id))?.sentId).toBe(answersTo(id)[0]?.id ?? "none");
	});

	test("an answer that X never received is not posted again either, and is kept with its reason", async () => {
		world.x.fault({ kind: "status", status: 503, path: "POST /2/tweets", times: 1 });
		const { id } = await tell("help");
		await replyBecomes(id, "unanswered", 20_000);
		expect(await replyOf(id)).toMatchObject({ reason: "sending_uncertain" });
		expect(answersTo(id)).toHaveLength(0);
	});

	test("an answer that X refuses by its rate limit is posted later, and once", async () => {
		world.x.fault({ kind: "429", path: "POST /2/tweets", times: 1, retryAfter: 30 });
		const { id } = await tell("help");
		await until(
			async () => (await replyOf(id))?.reason === "rate_limited",
			"it waits for X's limit",
		);
		expect(answersTo(id)).toHaveLength(0);
		await replyBecomes(id, "sent", 5_000);
		expect(answersTo(id)).toHaveLength(1);
	});

	test("an answer that X refuses by its rate limit until its end is kept with that reason", async () => {
		world.x.fault({ kind: "429", path: "POST /2/tweets", retryAfter: 3_600 });
		const { id } = await tell("help");
		await replyBecomes(id, "unanswered", 120_000);
		expect(await replyOf(id)).toMatchObject({ reason: "rate_limited" });
		world.lab.advance(3_600_000);
	});

	test("an answer that X refuses as a duplicate of another author's is posted in other words", async () => {
		const told = await Promise.all([tell("help"), tell("help"), tell("help")]);
		for (const { id } of told) await replyBecomes(id, "sent", 1_000);
		const texts = told.flatMap(({ id }) => answersTo(id).map(({ text }) => text));
		expect(texts).toHaveLength(3);
		expect(new Set(texts).size).toBe(3);
		// This process learns from X what another process said.
		const help = helpOf(texts[0] ?? "");
		const { bot, timeline } = world.x;
		world.lab.advance(1_000);
		const time = new Date(world.lab.nowMs());
		for (let ahead = -5; ahead < 60; ahead++) {
			const at = new Date(time.getTime() + ahead * 1_000).toISOString().slice(11, 19);
			for (const twin of ["", " (2)", " (3)", " (4)"]) {
				timeline.post({ by: bot, text: `${help} · ${at} UTC${twin}`, replyTo: told[0]?.id });
			}
		}
		const { id } = await tell("help");
		await until(async () => (await replyOf(id))?.reason === "duplicate", "X refuses the text");
		await replyBecomes(id, "sent", 2_000);
		expect(answersTo(id)).toHaveLength(1);
		// The next answers are not like those posts.
		world.lab.advance(120_000);
	});

	test("an answer that is on X from an earlier try is found and not posted again", async () => {
		world.x.fault({ kind: "lost_429", path: "POST /2/tweets", times: 1, retryAfter: 30 });
		const { id } = await tell("help");
		await until(async () => (await replyOf(id))?.reason === "rate_limited", "X wants a rest");
		expect(answersTo(id)).toHaveLength(1);
		await replyBecomes(id, "sent", 5_000);
		expect(answersTo(id)).toHaveLength(1);
		expect((await replyOf(id))?.sentId).toBe(answersTo(id)[0]?.id ?? "none");
	});

	test("an answer to which X does not reply is looked up, and neither lost nor posted twice", async () => {
		world.x.fault({ kind: "silence", path: "POST /2/tweets", times: 1 });
		const heard = await tell("help");
		await until(() => answersTo(heard.id).length === 1, "X has the first");
		world.x.fault({ kind: "dead", path: "POST /2/tweets", times: 1 });
		const lost = await tell("help");
		await until(() => world.x.faults().length === 0, "X has the second call");
		// Longer than a process that lives takes to send.
		world.lab.advance(SENDING_MS + 1_000);
		await replyBecomes(heard.id, "sent", 1_000);
		await replyBecomes(lost.id, "unanswered", 20_000);
		expect(await replyOf(lost.id)).toMatchObject({ reason: "sending_uncertain" });
		expect([answersTo(heard.id).length, answersTo(lost.id).length]).toEqual([1, 0]);
	});

	test("an answer that X forbids is not tried again", async () => {
		world.x.fault({ kind: "status", status: 403, path: "POST /2/tweets", times: 1 });
		const { id } = await tell("help");
		await replyBecomes(id, "refused");
		expect(await replyOf(id)).toMatchObject({ reason: "http_403" });
	});
});

describe("the delivery of a mention", () => {
	test("[SOC-02] a delivery that comes twice, late, or not at all is one event, by webhook and polling", async () => {
		world.x.fault({ kind: "duplicate_delivery", times: 1 });
		const twice = await tell("help");
		world.x.fault({ kind: "late_delivery", times: 1 });
		const late = await tell("help");
		const after = await tell("help");
		world.x.fault({ kind: "drop_delivery", times: 2 });
		const lost = await tell("help");
		const { message } = world.x.message({ by: "stranger", text: "help" });
		await runJob("poll-mentions");
		await runJob("poll-messages");
		await runJob("poll-mentions");
		for (const { id } of [twice, late, after, lost]) {
			await world.settled(`post:${id}`);
			expect(answersTo(id)).toHaveLength(1);
		}
		const { dm } = await world.settled(`dm:${message.id}`);
		expect(dm).toContain("commands in all");
	});

	test("[SOC-02] a delivery that is lost with hundreds of others is read by polling, page by page", async () => {
		const { x, db } = world;
		const count = async () =>
			(await db.query<{ n: number }>("select count(*)::int as n from social.event"))[0]?.n;
		await runJob("poll-mentions");
		await runJob("poll-messages");
		await db.execute("delete from social.event");
		x.sendWebhooksTo(null);
		for (let n = 0; n < 210; n++) x.post({ by: "stranger", text: `${BOT} thanks ${n}` });
		for (let n = 0; n < 130; n++) x.message({ by: "stranger", text: `thanks ${n}` });
		x.sendWebhooksTo(`${world.service.url}/v1/social/webhook`);
		await runJob("poll-mentions");
		await runJob("poll-messages");
		expect(await count()).toBe(340);
		// The next round reads none of it again.
		const pages = () => x.calls().byPath[`GET /2/users/${x.bot.id}/mentions`] ?? 0;
		const before = pages();
		await runJob("poll-mentions");
		expect(pages()).toBe(before + 1);
		expect(await count()).toBe(340);
	});

	test("a delivery that several processes read simultaneously is answered once", async () => {
		const { api } = await world.lab.openApi({ env: world.env });
		const ids: string[] = [];
		for (let n = 0; n < 12; n++) {
			world.x.sendWebhooksTo(`${(n % 2 ? api : world.service).url}/v1/social/webhook`);
			ids.push((await tell(`help`)).id);
		}
		world.x.sendWebhooksTo(`${world.service.url}/v1/social/webhook`);
		for (const id of ids) {
			await world.settled(`post:${id}`);
			expect(answersTo(id)).toHaveLength(1);
		}
	});
});

test("each mention of a flood is answered once, or stored with the reason for no answer", async () => {
	const isProving = process.env["PROVE"] === "1";
	const [count, authors] = isProving ? [10_000, 120] : [240, 3];
	const { x, service } = world;
	const { bot, timeline, access } = x;
	const people = Array.from({ length: authors }, (_, n) =>
		x.addPerson({ id: `94000000000000${1_000 + n}`, username: `crowd${n}`, isAutomated: false }),
	);
	const left = Array.from({ length: count }, (_, n) => n);
	const ids: string[] = [];
	async function lane(): Promise<void> {
		for (let n = left.shift(); n !== undefined; n = left.shift()) {
			const by = people[n % authors] ?? bot;
			const post = timeline.post({ by, text: `${BOT} ${n % 2 ? "help" : "upcoming"}` });
			const body = JSON.stringify(renderMention(post, { shape: "activity", bot, timeline }));
			const headers = {
				"content-type": "application/json",
				"x-twitter-webhooks-signature": signatureOf(access.webhookSecret, body),
			};
			const url = `${service.url}/v1/social/webhook`;
			const response = await fetch(url, { method: "POST", headers, body });
			expect(response.status).toBe(200);
			ids.push(`post:${post.id}`);
		}
	}
	await Promise.all(Array.from({ length: 16 }, lane));
	const rows = () =>
		world.db.query<{ state: string; reason: string | null; reply: string | null }>(
			`select e.state, coalesce(e.reason, r.reason) as reason, r.state as reply
			from social.event e left join social.reply r on r.event_id = e.id
			where e.id = any($1)`,
			[ids],
		);
	const isOpen = ({ state, reply }: { state: string; reply: string | null }) =>
		["received", "thinking"].includes(state) || ["ready", "sending"].includes(reply ?? "");
	await until(async () => !(await rows()).some(isOpen), "nothing is left to do");
	const ended = await rows();
	expect(ended).toHaveLength(count);
	for (const { reason, reply } of ended) expect(reply === "sent" || reason !== null).toBe(true);
	const isLimited = ended.filter(({ reason }) => reason === "author_limit").length;
	// Many events are worked on at the same time, and none gets past the limit of its author.
	expect(isLimited).toBe(count - 60 * authors);
	const isOf = new Set(ids);
	const told = timeline.posts.filter(({ replyTo }) => isOf.has(`post:${replyTo}`));
	const answered = ended.filter(({ reply }) => reply === "sent").length;
	expect(told.map(({ replyTo }) => replyTo)).toHaveLength(answered);
	expect(new Set(told.map(({ replyTo }) => replyTo)).size).toBe(answered);
});

describe("the month's reads", () => {
	test("[SOC-03] the month's reads are counted and shared, and no call is made beyond them", async () => {
		const { status, body } = await world.admin("GET", "/usage");
		expect(status).toBe(200);
		expect(body).toMatchObject({
			readsMax: 2_000,
			pollingEnabled: true,
			x: { postsMax: 3_000_000 },
		});
		expect(body.reads).toBeGreaterThan(0);
		expect(body.remaining).toBe(2_000 - body.reads);
		// What is counted is what X bills, and a round that finds nothing new costs nothing.
		const billed = () => {
			const { items } = world.x.cost();
			const kinds = ["owned_read", "user_read", "message_read"];
			return kinds.reduce((sum, kind) => sum + (items[kind] ?? 0), 0);
		};
		await runJob("poll-mentions");
		await runJob("poll-messages");
		const [before, bill] = [(await world.admin("GET", "/usage")).body.reads, billed()];
		for (let n = 0; n < 30; n++) {
			await runJob("poll-mentions");
			await runJob("poll-messages");
		}
		expect((await world.admin("GET", "/usage")).body.reads).toBe(before);
		expect(billed()).toBe(bill);
		await world.db.execute("update social.read_month set reads = 1995");
		const asked = world.x.calls().byPath[`GET /2/users/${world.x.bot.id}/mentions`];
		await runJob("poll-mentions");
		expect(world.x.calls().byPath[`GET /2/users/${world.x.bot.id}/mentions`]).toBe(asked ?? 0);
		expect((await world.admin("GET", "/usage")).body.reads).toBe(1_995);
		await world.db.execute("update social.read_month set reads = 0");
	});
});

describe("the bot's token", () => {
	test("[SOC-08] the bot's token is renewed by one process, once, and stored encrypted", async () => {
		const { grants } = world.x;
		const rounds = grants.rounds();
		grants.expire();
		const { api } = await world.lab.openApi({ env: world.env });
		const key = { "x-api-key": "an-operators-key-of-these-tests" };
		const ask = (url: string) => fetch(`${url}/v1/admin/social/connection`, { headers: key });
		const posts = await Promise.all([tell("help"), tell("help"), tell("help")]);
		expect((await ask(api.url)).status).toBe(200);
		for (const { id } of posts) await replyBecomes(id, "sent");
		expect(grants.rounds()).toBe(rounds + 1);
		expect(grants.isRevoked()).toBe(false);
		const [row] = await world.db.query<{ sealed: Uint8Array }>("select sealed from social.token");
		expect(Buffer.from(row?.sealed ?? []).toString("latin1")).not.toContain("refresh");
		// The next token is read from where the last was stored.
		grants.expire();
		const { id } = await tell("help");
		await replyBecomes(id, "sent");
		expect(grants.rounds()).toBe(rounds + 2);
		expect(grants.isRevoked()).toBe(false);
	});
});

test("an answer waits while X wants to be paid, or refuses the credential, and is posted then", async () => {
	// A 401 ends the token, its successor and OAuth 1.0a, each with a call of its own.
	const faults = [
		{ status: 402, times: 2 },
		{ status: 401, times: 3 },
	];
	for (const { status, times } of faults) {
		world.x.fault({ kind: "status", status, path: "POST /2/tweets", times });
		const { id } = await tell("help");
		await until(async () => (await replyOf(id))?.reason === `http_${status}`, "it waits");
		await replyBecomes(id, "sent", 10_000);
		expect(answersTo(id)).toHaveLength(1);
	}
});

describe("the market radar", () => {
	test("[SOC-06] the radar posts once in its time, never the same twice, and nothing without news", async () => {
		const own = () =>
			world.x.timeline.posts.filter(
				({ authorId, replyTo }) => authorId === world.x.bot.id && replyTo === null,
			);
		await runJob("radar");
		expect(own()).toHaveLength(0);
		await world.db.execute("update market_index.collection set excluded = false");
		await until(async () => {
			world.lab.advance(60_000);
			await runJob("radar");
			return own().length > 0;
		}, "something is trending");
		await runJob("radar");
		expect(own()).toHaveLength(1);
		expect(own()[0]?.text).toStartWith("Trending 24h: ");
		// The same figures are not posted again in the next span.
		await world.db.execute("update social.radar_post set slot = slot - 1");
		await runJob("radar");
		expect(own()).toHaveLength(1);
	});
});

describe("operators", () => {
	test("[SOC-03, SOC-11] operators see the bot's account, and subscribe its webhook as often as they like", async () => {
		const { x } = world;
		expect((await world.admin("GET", "/connection")).body).toEqual({
			authenticatedAccount: { id: x.bot.id, username: x.bot.username },
			...{ matchesConfiguredBot: true, webhookIdConfigured: true, webhooksEnabled: true },
			readsForecast: expect.stringMatching(/^At this rate the budget (?:ends on 20|lasts)/),
		});
		const by = { "x-admin-actor": "olga" };
		const first = await world.admin("POST", "/webhook/subscribe", by);
		expect([first.status, first.body]).toEqual([
			200,
			{ subscribed: true, alreadySubscribed: false, interface: "activity" },
		]);
		const again = await world.admin("POST", "/webhook/subscribe", by);
		expect([again.status, again.body]).toMatchObject([200, { alreadySubscribed: true }]);
		expect([...x.subscriptions]).toEqual(["post.mention.create", "dm.received"]);
		x.setActivity(false);
		const old = await world.admin("POST", "/webhook/subscribe", by);
		expect(old.body).toMatchObject({ alreadySubscribed: false, interface: "account_activity" });
		expect((await world.admin("POST", "/webhook/subscribe", by)).body).toMatchObject({
			...{ subscribed: true, alreadySubscribed: true },
		});
		x.setActivity(true);
		const audited = await world.db.query(
			`select from core.audit_entry where entry like '%social.webhook.subscribed%'
				and entry like '%operator:olga%'`,
		);
		expect(audited).toHaveLength(4);
	});

	test("[SOC-11] operators see if the credentials belong to another bot, and what is not set", async () => {
		const env = {
			...world.env,
			SOCIAL_BOT_USERNAME: "somebody_else",
			...{ SOCIAL_WEBHOOK_ID: "", SOCIAL_WEBHOOK_SECRET: "", SOCIAL_API_SECRET: "" },
		};
		const { api } = await world.lab.openApi({ env });
		const headers = { "x-api-key": "an-operators-key-of-these-tests" };
		const response = await fetch(`${api.url}/v1/admin/social/connection`, { headers });
		expect(await response.json()).toEqual({
			authenticatedAccount: { id: world.x.bot.id, username: world.x.bot.username },
			...{ matchesConfiguredBot: false, webhookIdConfigured: false, webhooksEnabled: false },
			readsForecast: expect.any(String),
		});
	});

	test("the operators' routes show nothing to other callers", async () => {
		for (const [method, path] of [
			["GET", "/connection"],
			["POST", "/webhook/subscribe"],
			["GET", "/usage"],
			["GET", "/unlinked-trades"],
		] as const) {
			expect((await world.admin(method, path, { "x-api-key": "wrong" })).status).toBe(401);
		}
	});
});

test("[SOC-08] a service without any credential starts, and each call names what is missing", async () => {
	const bare = await startTestService({ env: { ADMIN_API_KEY: "key-of-this-test-alone" } });
	const ask = async (method: string, path: string) => {
		const headers = { "x-api-key": "key-of-this-test-alone" };
		const response = await fetch(`${bare.url}${path}`, { method, headers });
		return [response.status, ((await response.json()) as any).code, response.status];
	};
	const admin = "/v1/admin/social";
	const missing = [503, "social_credential_missing", 503];
	expect(await ask("GET", "/v1/social/webhook?crc_token=x")).toEqual(missing);
	expect(await ask("POST", "/v1/social/webhook")).toEqual(missing);
	expect(await ask("GET", `${admin}/connection`)).toEqual(missing);
	expect(await ask("POST", `${admin}/webhook/subscribe`)).toEqual([
		...[503, "social_webhook_missing", 503],
	]);
	expect((await ask("GET", `${admin}/usage`))[0]).toBe(200);
	// Nor does it post by itself.
	expect(bare.host.jobs.map(({ name }) => name)).not.toContain("social.radar");
	await bare.stop();
	await bare.database.drop();
});

test("[SOC-08] an answer that no credential can send is stored with that reason", async () => {
	const secret = "what-signs-the-deliveries-of-this-test";
	const { bot, timeline } = world.x;
	const mute = await startTestService({
		clock: { nowMs: world.lab.nowMs },
		env: {
			...{ SOCIAL_WEBHOOK_SECRET: secret, SOCIAL_BOT_USERNAME: bot.username },
			// Says who the bot is, and is no credential without the other three.
			SOCIAL_OAUTH1_ACCESS_TOKEN: `${bot.id}-of-these-tests`,
		},
	});
	const post = timeline.post({ by: world.x.person("stranger"), text: `${BOT} help` });
	const body = JSON.stringify(renderMention(post, { shape: "activity", bot, timeline }));
	const headers = {
		"content-type": "application/json",
		"x-twitter-webhooks-signature": signatureOf(secret, body),
	};
	const url = `${mute.url}/v1/social/webhook`;
	expect((await fetch(url, { method: "POST", headers, body })).status).toBe(200);
	const replies = () =>
		mute.core.db.query<{ state: string; reason: string | null }>(
			"select state, reason from social.reply",
		);
	const reason = "social_credential_missing";
	const isTried = async () => (await replies()).some((reply) => reply.reason === reason);
	await until(isTried, "it was tried to send it");
	await until(async () => {
		world.lab.advance(60_000);
		return (await replies()).some(({ state }) => state === "unanswered");
	}, "its time is over");
	expect(await replies()).toEqual([{ state: "unanswered", reason }]);
	await mute.stop();
	await mute.database.drop();
});

// The last one: X takes no OAuth 2 token of this account afterwards.
test("after a lost renewal OAuth 1.0a posts answers, and readyz says what to do", async () => {
	// What the tests before this one used of X's shares and pauses is over.
	world.lab.advance(1_800_000);
	world.x.fault({ kind: "lost", path: "POST /2/oauth2/token" });
	world.x.grants.expire();
	const calls = () => world.x.calls().byPath["POST /2/oauth2/token"] ?? 0;
	const before = calls();
	for (let n = 0; n < 3; n++) {
		const { id } = await tell("help");
		await replyBecomes(id, "sent");
	}
	expect(calls() - before).toBe(1);
	// The clock ran ahead, so other parts may need a moment; X alone makes nothing unready.
	let response = new Response();
	await until(async () => {
		response = await fetch(`${world.service.url}/readyz`);
		return response.status === 200;
	}, "the service is ready without a token of X");
	const { degraded } = (await response.json()) as any;
	const told = degraded.find(({ code }: any) => code === "social_token_dead");
	expect(told).toMatchObject({ component: "social", count: 1 });
	expect(told.action).toContain("SOCIAL_USER_REFRESH_TOKEN");
});
