import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import type { Database } from "#core/db/Database.ts";
import { announcedBus } from "#plugins/streams/testing/announcedBus.ts";
import { rawStreamClient } from "#plugins/streams/testing/rawStreamClient.ts";
import { type StreamClient, streamClient } from "#plugins/streams/testing/streamClient.ts";
import { streamWorld } from "#plugins/streams/testing/streamWorld.ts";
import { type Fate, unreliableBus } from "#plugins/streams/testing/unreliableBus.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

type World = Awaited<ReturnType<typeof streamWorld>>;

let database: TestDatabase;
let db: Database;
let world: World;

beforeAll(async () => {
	database = await createTestDatabase();
	db = database.db;
	world = await streamWorld(db);
});
afterAll(async () => {
	await world.close();
	await database.drop();
});

const newSlug = () => `c-${crypto.randomUUID().replaceAll("-", "").slice(0, 18)}`;
const topicOf = (slug: string) =>
	`collection:base:0x${Buffer.from(slug).toString("hex").padStart(40, "0").slice(-40)}`;
const path = (slug: string, query = "") => `/collections/${slug}/stream${query}`;
const open = (slug: string, query = "", from = world) =>
	streamClient(`${from.url}${path(slug, query)}`);
const numbers = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index + 1);

async function seqs(client: StreamClient, count: number): Promise<number[]> {
	const taken: number[] = [];
	while (taken.length < count) {
		const { type, seq } = await client.next();
		// A ping comes in between after 15 s, which is soon on a busy machine.
		if (type === "ping") continue;
		expect(type).toBe("market_event");
		taken.push(seq);
	}
	return taken;
}

async function epochNow(): Promise<string> {
	return world.outbox.epoch();
}

test("[STR-05] hello has the number after which frames follow, and the epoch", async () => {
	const slug = newSlug();
	await world.commit(topicOf(slug), ["old", "older"]);
	const client = open(slug);
	expect(await client.next()).toEqual({
		type: "hello",
		seq: 2,
		epoch: await epochNow(),
		topic: topicOf(slug),
		at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
		data: { resumed: false, head: 2, pingIntervalMs: 15_000 },
	});
	await world.commit(topicOf(slug), [{ price: 1 }]);
	expect(await client.next()).toEqual({
		type: "market_event",
		seq: 3,
		topic: topicOf(slug),
		at: expect.any(String),
		data: { price: 1 },
	});
	client.close();
});

test("[STR-02] every client of a topic gets each frame once, in order, and no other topic's", async () => {
	const [slug, other] = [newSlug(), newSlug()];
	const clients = Array.from({ length: 20 }, () => open(slug));
	for (const client of clients) await client.next();
	await Promise.all(
		numbers(0, 30).map((index) => world.commit(topicOf(index % 3 ? slug : other), [index, index])),
	);
	for (const client of clients) expect(await seqs(client, 40)).toEqual(numbers(0, 40));
	for (const client of clients) client.close();
});

// Guarantee: a dead bus costs a second, not a frame.
test("[STR-02] [STR-04] frames arrive even if no hint was ever announced", async () => {
	const silent = await streamWorld(db, { bus: announcedBus() });
	const slug = newSlug();
	const client = open(slug, "", silent);
	await client.next();
	await silent.commit(topicOf(slug), [1, 2, 3]);
	expect(await seqs(client, 3)).toEqual([1, 2, 3]);
	await silent.close();
});

test("[STR-05] a client that resumes gets exactly what it missed, then what follows", async () => {
	const slug = newSlug();
	const first = open(slug);
	const { epoch } = await first.next();
	await world.commit(topicOf(slug), [1, 2, 3]);
	await seqs(first, 2);
	first.close();
	await world.commit(topicOf(slug), [4, 5]);
	const second = open(slug, `?after=2&epoch=${epoch}`);
	expect(await second.next()).toMatchObject({
		type: "hello",
		seq: 2,
		data: { resumed: true, head: 5 },
	});
	await world.commit(topicOf(slug), [6]);
	expect(await seqs(second, 4)).toEqual([3, 4, 5, 6]);
	second.close();
});

test("[STR-05] clients that resume while frames are written get no gap and no duplicate", async () => {
	const slug = newSlug();
	const topic = topicOf(slug);
	await world.commit(topic, numbers(0, 50));
	const epoch = await epochNow();
	const writing = (async () => {
		for (let index = 0; index < 100; index += 1) await world.commit(topic, [index, index]);
	})();
	const clients: { client: StreamClient; after: number }[] = [];
	for (let index = 0; index < 40; index += 1) {
		const after = index;
		clients.push({ client: open(slug, `?after=${after}&epoch=${epoch}`), after });
		await clients[index]!.client.next();
	}
	await writing;
	for (const { client, after } of clients) {
		expect(await seqs(client, 250 - after)).toEqual(numbers(after, 250));
		client.close();
	}
});

test("[STR-05] a client that missed nothing resumes without getting a frame", async () => {
	const slug = newSlug();
	await world.commit(topicOf(slug), [1]);
	const client = open(slug, `?after=1&epoch=${await epochNow()}`);
	expect(await client.next()).toMatchObject({ type: "hello", seq: 1, data: { resumed: true } });
	await world.commit(topicOf(slug), [2]);
	expect(await seqs(client, 1)).toEqual([2]);
	client.close();
});

test("[STR-05] a client resumes after its process caught up with frames that another process sent", async () => {
	const behind = await streamWorld(db, { bus: announcedBus() });
	const slug = newSlug();
	const early = open(slug, "", behind);
	await early.next();
	await world.commit(topicOf(slug), [1, 2]);
	const client = open(slug, "?after=2", behind);
	expect(await client.next()).toMatchObject({ type: "hello", seq: 2, data: { resumed: true } });
	expect(await seqs(early, 2)).toEqual([1, 2]);
	await behind.close();
});

test("[STR-05] a replay ends at the published position, so that newer frames come once", async () => {
	const behind = await streamWorld(db, { bus: announcedBus() });
	const slug = newSlug();
	const early = open(slug, "", behind);
	await early.next();
	await behind.commit(topicOf(slug), [1, 2]);
	await seqs(early, 2);
	// Committed, and unknown to this process until its next read of the log.
	await behind.commit(topicOf(slug), [3, 4]);
	const client = open(slug, "?after=1", behind);
	expect(await client.next()).toMatchObject({ type: "hello", seq: 1 });
	expect(await seqs(client, 3)).toEqual([2, 3, 4]);
	expect(await seqs(early, 2)).toEqual([3, 4]);
	await behind.commit(topicOf(slug), [5]);
	expect(await seqs(client, 1)).toEqual([5]);
	await behind.close();
});

test("[STR-05] a resume with another epoch or an unknown or pruned number gets one snapshot_required", async () => {
	const slug = newSlug();
	const topic = topicOf(slug);
	for (const data of [1, 2, 3]) await world.commit(topic, [data]);
	await db.execute("delete from core.stream_frame where topic = $1 and seq_last < 3", [topic]);
	const epoch = await epochNow();
	const cases = [
		["?after=3&epoch=other", "epoch_changed"],
		[`?after=4&epoch=${epoch}`, "seq_unknown"],
		[`?after=1&epoch=${epoch}`, "too_old"],
	] as const;
	const clients = [];
	for (const [query, reason] of cases) {
		const client = open(slug, query);
		expect(await client.take(2)).toMatchObject([
			{ type: "hello", seq: 3, epoch, data: { resumed: false } },
			{ type: "snapshot_required", seq: 3, topic, data: { reason } },
		]);
		clients.push(client);
	}
	await world.commit(topic, [4]);
	for (const client of clients) {
		expect(await seqs(client, 1)).toEqual([4]);
		client.close();
	}
});

test("[STR-05] a resume that missed too many frames gets snapshot_required", async () => {
	const slug = newSlug();
	await world.commit(topicOf(slug), numbers(0, 5_001));
	const client = open(slug, "?after=0");
	expect(await client.take(2)).toMatchObject([
		{ type: "hello", seq: 5_001 },
		{ type: "snapshot_required", data: { reason: "too_many_missed" } },
	]);
	const other = open(slug, "?after=1");
	expect(await other.next()).toMatchObject({ type: "hello", seq: 1 });
	expect((await other.take(5_000)).at(-1)?.seq).toBe(5_001);
	client.close();
	other.close();
});

test("[STR-05] a ping comes every 15 s with the position of the topic", async () => {
	const slug = newSlug();
	await world.commit(topicOf(slug), [1]);
	const client = open(slug);
	await client.next();
	world.moveClock(15_000);
	expect(await client.next()).toMatchObject({
		type: "ping",
		seq: 1,
		topic: topicOf(slug),
		data: {},
	});
	client.close();
});

test("a client's ping is answered, any other message is refused without an echo, a flood is closed", async () => {
	const client = open(newSlug());
	await client.next();
	client.send('{"type":"ping"}');
	expect(await client.next()).toMatchObject({ type: "pong", seq: 0 });
	for (const text of ['{"type":"subscribe","secret":1}', "hello", "[]", "null"]) client.send(text);
	for (const frame of await client.take(4)) {
		expect(frame).toMatchObject({ type: "error", data: { code: "unsupported_message" } });
		expect(JSON.stringify(frame)).not.toContain("secret");
	}
	for (let index = 0; index < 30; index += 1) client.send('{"type":"ping"}');
	expect(await client.closed).toMatchObject({ code: 1008 });
});

test("[STR-05] a connection above an address's limit is closed with 4029, until another closes", async () => {
	const small = await streamWorld(db, { connectionsPerClientMax: 2 });
	const slug = newSlug();
	const [first, second] = [open(slug, "", small), open(slug, "", small)];
	await first.next();
	await second.next();
	const third = open(slug, "", small);
	expect(await third.closed).toMatchObject({ code: 4029 });
	expect(third.frames).toEqual([]);
	expect(await small.scrape()).toContain('tapeline_ws_connections{stream="collection"} 2');
	first.close();
	await first.closed;
	const fourth = open(slug, "", small);
	expect(await fourth.next()).toMatchObject({ type: "hello" });
	expect(await small.scrape()).toContain('tapeline_ws_closed_total{code="4029"} 1');
	await small.close();
	expect(await fourth.closed).toMatchObject({ code: 1012 });
});

test("a client's address is the one that the proxy reports", async () => {
	const proxied = await streamWorld(db, { connectionsPerClientMax: 1, trustedProxyHops: 1 });
	const slug = newSlug();
	const from = (address: string) =>
		streamClient(`${proxied.url}${path(slug)}`, { "x-forwarded-for": address });
	await from("203.0.113.1").next();
	await from("203.0.113.2").next();
	expect(await from("203.0.113.1").closed).toMatchObject({ code: 4029 });
	await proxied.close();
});

// Guarantee: a client that does not read is dropped with a reason, and no other client waits for
// it.
test("[STR-05] a slow client is closed with 4008 while the others get every frame", async () => {
	const slug = newSlug();
	const fast = open(slug);
	await fast.next();
	const slow = await stuckReader(path(slug));
	const data = "x".repeat(2_000);
	let closed = "";
	let sent = 0;
	const received: unknown[] = [];
	while (!closed.includes('code="4008"') && sent < 20_000) {
		await world.commit(
			topicOf(slug),
			Array.from({ length: 20 }, () => data),
		);
		sent += 20;
		// Read at once: a client that shares its processor with the server is not fast by itself.
		received.push(...(await seqs(fast, 20)));
		closed = await world.scrape();
	}
	expect(closed).toContain('tapeline_ws_closed_total{code="4008"} 1');
	expect(closed).not.toContain('code="1006"');
	expect(received).toEqual(numbers(0, sent));
	// Once it reads again, the frames sent before and then the reason reach it.
	expect(await slow.readToEnd()).toContain("slow consumer: resume with the last seq");
	fast.close();
});

test("the metrics count frames, and have no close code of a client's choice as a label", async () => {
	const body = await world.scrape();
	expect(body).toMatch(/tapeline_ws_frames_published_total \d+/);
	expect(await world.parts.health?.()).toBeNull();
});

/** Opens a stream on a raw socket and then stops reading. */
async function stuckReader(streamPath: string) {
	const { hostname, port, pathname } = new URL(`${world.url}${streamPath}`);
	const socket = connect(Number(port), hostname);
	const opened = Promise.withResolvers<void>();
	let tail = "";
	socket.on("data", (bytes) => {
		tail = (tail + bytes.toString("latin1")).slice(-4_000);
		if (tail.includes('"type":"hello"')) opened.resolve();
	});
	const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
	socket.write(
		`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
	);
	await opened.promise;
	socket.pause();
	return {
		async readToEnd() {
			socket.resume();
			await ended;
			return tail;
		},
	};
}

test("[STR-05] a client that answers no pings is closed with 4010, one that answers stays", async () => {
	const own = await streamWorld(db);
	const url = `${own.url}${path(newSlug())}`;
	const dead = rawStreamClient(url, { pongs: false });
	const alive = rawStreamClient(url);
	for (const client of [dead, alive]) await client.next(({ type }) => type === "hello");
	for (let pings = 1; pings <= 3; pings += 1) {
		own.moveClock(15_000);
		await alive.next(({ type }) => {
			return type === "ping" && alive.frames.filter((one) => one.type === "ping").length >= pings;
		});
	}
	expect(await dead.closed).toBe(4010);
	await own.commit(topicOf(new URL(url).pathname.split("/").at(-2) ?? ""), [1]);
	expect(await alive.next(({ type }) => type === "market_event")).toMatchObject({ seq: 1 });
	alive.socket.destroy();
	await own.close();
});

test("[STR-05] pings continue while no frames come and the database is down", async () => {
	let away = false;
	const query: Database["query"] = (text, values) =>
		away ? Promise.reject(new Error("away")) : db.query(text, values);
	const own = await streamWorld({ ...db, query });
	const slug = newSlug();
	const client = open(slug, "", own);
	await client.next();
	away = true;
	for (let pings = 1; pings <= 2; pings += 1) {
		own.moveClock(15_000);
		expect(await client.next()).toMatchObject({ type: "ping", seq: 0, topic: topicOf(slug) });
	}
	client.close();
	await own.close();
});

// Guarantee: whatever the bus does, a client sees each row of a chain's discover stream once.
test("[STR-02] over a bus that loses, doubles and reorders, each client gets each row once, in order", async () => {
	const fate = fc.constantFrom<Fate>("deliver", "drop", "double", "hold");
	const run = fc.record({
		fates: fc.array(fate, { minLength: 10, maxLength: 60 }),
		batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 10, maxLength: 60 }),
		// Single clients get their frames at once; for many, frames within milliseconds are collected.
		clients: fc.constantFrom(1, 5, 60),
	});
	await fc.assert(
		fc.asyncProperty(run, async ({ fates, batches, clients }) => {
			const own = await streamWorld(db, {
				bus: unreliableBus(fates),
				connectionsPerClientMax: 100,
			});
			const crowd = Array.from({ length: clients }, () =>
				rawStreamClient(`${own.url}/discover/stream?chain=base`),
			);
			const hellos = await Promise.all(
				crowd.map((client) => client.next(({ type }) => type === "hello")),
			);
			const from = hellos[0]?.seq ?? 0;
			for (const count of batches) await own.commit("discover:base", numbers(0, count));
			const to = from + batches.reduce((sum, count) => sum + count, 0);
			for (const client of crowd) {
				await client.next(({ type, seq }) => type === "market_event" && seq === to);
				const got = client.frames.filter(({ type }) => type === "market_event");
				expect(got.map(({ seq }) => seq)).toEqual(numbers(from, to));
				client.socket.destroy();
			}
			await own.close();
		}),
		{ numRuns: 12 },
	);
});
