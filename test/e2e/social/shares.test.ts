import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { openSocialWorld, type SocialWorld } from "#test/e2e/social/openSocialWorld.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: what X allows is shared: nobody's texts use up the answers of others, links and money
// have their own part of it, and a post says that something was sent only after it was.

const BOT = "@tapeline_bot";
const SLUG = "kiln-folk";
const WINDOW_MS = 15 * 60_000;

let world: SocialWorld;
beforeAll(async () => {
	world = await openSocialWorld({ only: [SLUG], keepsRates: true });
	await world.lab.runJob("discovery");
	await world.lab.drainQueue();
	for (const by of ["ada", "cleo"]) {
		expect((await world.post("/v1/trading/enrollment", {}, by)).status).toBe(200);
	}
});
afterAll(() => world?.close());
beforeEach(async () => {
	await world.db.execute("delete from social.event");
	world.lab.advance(WINDOW_MS + 1_000);
});

let people = 0;
function newcomer(): string {
	people += 1;
	const id = String(9_500_000_000_000_000_000n + BigInt(people));
	world.x.addPerson({ id, username: `newcomer${people}`, isAutomated: false });
	return id;
}

const sentTo = (id: string) =>
	world.x.timeline.messages.filter(({ recipientId }) => recipientId === id);
const answersTo = (id: string) => world.x.timeline.posts.filter(({ replyTo }) => replyTo === id);
const states = async (ids: readonly string[]) =>
	(
		await world.db.query<{ state: string; reason: string | null }>(
			"select state, reason from social.reply where event_id = any($1)",
			[ids],
		)
	).map(({ state, reason }) => `${state} ${reason ?? ""}`.trim());

test("forty messages of one person do not prevent others' answers, first of all about money", async () => {
	const [loud, quiet] = [newcomer(), newcomer()];
	const own = world.custody.person("cleo").external ?? "";
	const asked = Array.from({ length: 40 }, () => world.x.message({ by: loud, text: "help" }));
	await Promise.all(asked.map(({ delivered }) => delivered));
	await until(
		async () => (await states(asked.map(({ message }) => `dm:${message.id}`))).length === 40,
		"all are thought about",
	);
	const order = await world.dm("cleo", `send 0.0001 eth to ${own}`);
	expect(order.dm).toContain("0.0001 ETH");
	expect((await world.dm(quiet, "help")).dm).toContain("commands in all");
	// X never had to refuse one.
	expect(sentTo(loud).length).toBe(3);
	const all = await states(asked.map(({ message }) => `dm:${message.id}`));
	expect(all.filter((one) => one.startsWith("sent"))).toHaveLength(3);
	expect(all.filter((one) => one.includes("rate_limited"))).toHaveLength(0);
});

test("links and money have a reserved third of the window", async () => {
	const own = world.custody.person("cleo").external ?? "";
	const asked = Array.from({ length: 30 }, () => world.x.message({ by: newcomer(), text: "help" }));
	await Promise.all(asked.map(({ delivered }) => delivered));
	const count = async () =>
		(await states(asked.map(({ message }) => `dm:${message.id}`))).filter((one) => one === "sent");
	await until(async () => (await count()).length === 10, "the others' part is used up");
	for (let n = 1; n <= 3; n++) {
		expect((await world.dm("cleo", `send 0.000${n} eth to ${own}`)).dm).toContain("ETH");
	}
	expect(await count()).toHaveLength(10);
	// Who waited is answered in the next window.
	world.lab.advance(WINDOW_MS + 1_000);
});

test("a post without a command is answered once a day", async () => {
	const by = newcomer();
	const first = await world.mention(by, `${BOT} thanks a lot`);
	expect(first.post).not.toBeNull();
	expect(first.event).toMatchObject({ state: "answered", reason: "chatter" });
	const second = await world.mention(by, `${BOT} lol nice`);
	expect(second.event).toMatchObject({ state: "answered", reason: "chatter" });
	expect(second.replies).toEqual([]);
	expect((await world.mention(by, `${BOT} help`)).post).not.toBeNull();
});

test("a conversation gets few answers, and a bot-like author soon none", async () => {
	const [one, other] = [newcomer(), newcomer()];
	const { post: begun } = world.x.post({ by: one, text: "look at this" });
	const told: (string | null)[] = [];
	for (let n = 0; n < 8; n++) {
		const by = n % 2 ? one : other;
		const said = await world.mention(by, `${BOT} help`, { replyTo: begun.id });
		told.push(said.replies[0]?.reason ?? said.replies[0]?.state ?? null);
	}
	expect(told).toEqual([...Array(5).fill("sent"), ...Array(3).fill("conversation_limit")]);
	const program = newcomer();
	const posts = Array.from({ length: 50 }, () =>
		world.x.post({ by: program, text: `${BOT} help` }),
	);
	await Promise.all(posts.map(({ delivered }) => delivered));
	for (const { post } of posts) await world.settled(`post:${post.id}`);
	const answered = posts.filter(({ post }) => answersTo(post.id).length > 0);
	expect(answered).toHaveLength(20);
	world.lab.advance(2 * 60_000);
	const again = await world.mention(program, `${BOT} help`);
	expect(again.replies).toMatchObject([{ state: "unanswered", reason: "automated" }]);
});

test("a post says that the rest was sent as a message only after it was", async () => {
	await world.dm("ada", "help");
	world.x.fault({ kind: "slow", path: "POST /2/dm_conversations", delayMs: 300, times: 1 });
	const told = await world.mention("ada", `${BOT} portfolio`);
	expect(told.post).toContain("I sent you the rest by direct message.");
	const at = (text: string | null) =>
		[...world.x.timeline.messages, ...world.x.timeline.posts].find((one) => one.text === text);
	expect(BigInt(at(told.dm)?.id ?? 0)).toBeLessThan(BigInt(at(told.post)?.id ?? 0));
	world.x.fault({ kind: "status", status: 403, path: "POST /2/dm_conversations", times: 1 });
	const refused = await world.mention("ada", `${BOT} portfolio`);
	expect(refused.dm).toBeNull();
	expect(refused.post).toContain("I could not send you the rest");
});
