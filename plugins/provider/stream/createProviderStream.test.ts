import { afterEach, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import { offStream } from "#plugins/provider/createProvider.ts";
import {
	createProviderStream,
	startProviderStream,
} from "#plugins/provider/stream/createProviderStream.ts";
import { type FakePhoenix, fakePhoenix } from "#plugins/provider/stream/testing/fakePhoenix.ts";
import { manualTime, STARTED_AT_MS } from "#plugins/provider/stream/testing/manualTime.ts";
import { enveloped, hashOf, sampleEvents } from "#plugins/provider/stream/testing/sampleEvents.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";

describe("createProviderStream", () => {
	const TOKEN = "a-very-secret-key";
	/** Longer than any wait before a reconnect, shorter than every limit after it. */
	const RECONNECT_MS = 6_300;
	const ending: (() => unknown)[] = [];
	afterEach(async () => {
		for (const end of ending.splice(0).reverse()) await end();
	});

	function serve(version?: "1.0.0" | "2.0.0"): FakePhoenix {
		const server = fakePhoenix(version);
		ending.push(server.stop);
		return server;
	}

	function open(server: FakePhoenix, options: { slugs?: string[]; openSocket?: () => never } = {}) {
		const time = manualTime();
		const pushes = collector<ProviderPush>();
		const gaps = collector<{ slugs: readonly string[]; sinceMs: number }>();
		const lines = collector<string>();
		const metrics = createMetrics();
		const say = (message: string, context?: unknown) =>
			lines.add(`${message} ${JSON.stringify(context)}`);
		const stopping = new AbortController();
		const { openSocket } = options;
		const stream = createProviderStream({
			url: server.wsUrl,
			token: TOKEN,
			chains: createChainNames(createChainRegistry(builtinChains)),
			clock: time.clock,
			timers: time.timers,
			random: () => 0.5,
			log: { ...silentLog, warn: say, info: say, error: say, debug: say },
			metrics,
			...(openSocket ? { openSocket } : {}),
		});
		stream.onPushes(async (some) => some.forEach(pushes.add));
		stream.onGap(async (gap) => gaps.add(gap));
		stream.follow(options.slugs ?? ["cats"]);
		stream.start(stopping.signal);
		ending.push(() => stopping.abort());
		const figure = async (name: string) => {
			const { body } = await metrics.expose();
			const line = body.split("\n").find((text) => text.startsWith(`tapeline_${name} `));
			return Number(line?.split(" ").at(-1) ?? 0);
		};
		const count = (outcome: string) => figure(`provider_stream_frames_total{outcome="${outcome}"}`);
		const gapAfter = (ms: number) => {
			time.advance(ms);
			return gaps.next();
		};
		return { stream, time, pushes, gaps, gapAfter, lines, count, figure, stopping };
	}

	type Opened = ReturnType<typeof open>;

	const live = ({ stream }: Opened) => until(() => stream.state() === "live");
	const lost = ({ stream }: Opened) => until(() => stream.state() === "connecting");

	function say(server: FakePhoenix, type: string, inner: unknown, slug = "cats") {
		server.send({ topic: `collection:${slug}`, event: type, payload: enveloped(type, inner) });
	}

	for (const version of ["1.0.0", "2.0.0"] as const) {
		test(`[MRG-13] events arrive as pushes, whether the server writes ${version} or not`, async () => {
			const server = serve(version);
			const opened = open(server);
			await live(opened);
			say(server, "item_listed", sampleEvents.listed());
			expect(await opened.pushes.next()).toMatchObject({
				type: "order",
				slug: "cats",
				order: { side: "listing", orderHash: hashOf(1), totalRaw: 1_500_000_000_000_000_000n },
			});
			say(server, "item_sold", sampleEvents.sold());
			expect(await opened.pushes.next()).toMatchObject({ type: "event", event: { type: "sale" } });
		});
	}

	test("the metrics are current also when no more frames arrive", async () => {
		const server = serve();
		const opened = open(server, { slugs: ["cats", "dogs"] });
		await live(opened);
		const { figure, stream, pushes } = opened;
		const reaches = async (name: string, value: number) => {
			while ((await figure(`provider_stream_${name}`)) !== value) await Bun.sleep(0);
		};
		await reaches("topics", 2);
		for (let order = 1; order <= 20; order++) {
			say(server, "item_cancelled", sampleEvents.order({ order_hash: hashOf(order) }));
		}
		for (let order = 1; order <= 20; order++) await pushes.next();
		await reaches("queue_pushes", 0);
		stream.follow(["cats"]);
		expect(await figure("provider_stream_topics")).toBe(1);
	});

	test("[MRG-13] the first join of a collection reports a gap since the collection was followed", async () => {
		const opened = open(serve(), { slugs: ["cats", "dogs"] });
		await until(() => opened.stream.state() === "live");
		await until(() => opened.time.delaysMs().includes(1_000));
		expect(await opened.gapAfter(1_000)).toMatchObject({ sinceMs: STARTED_AT_MS });
	});

	test("[MRG-13] a reconnect reports a gap of every collection since the last frame", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		await opened.gapAfter(1_000);
		opened.time.advance(9_000);
		say(server, "item_listed", sampleEvents.listed());
		await opened.pushes.next();
		opened.time.advance(5_000);
		server.hangUp();
		await lost(opened);
		opened.time.advance(RECONNECT_MS);
		await live(opened);
		const gap = await opened.gapAfter(60_000);
		expect(gap).toEqual({ slugs: ["cats"], sinceMs: STARTED_AT_MS + 10_000 });
	});

	test("[MRG-13] a topic that breaks is joined again on the same socket, and its gap is reported", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		await opened.gapAfter(1_000);
		for (const event of ["phx_error", "phx_close"]) {
			const joinRef = server.joinRef("collection:cats");
			server.send({ topic: "collection:cats", event, joinRef, ref: joinRef });
			await lost(opened);
			opened.time.advance(2_500);
			await live(opened);
			expect(await opened.gapAfter(31_000)).toMatchObject({ slugs: ["cats"] });
		}
		expect(server.urls).toHaveLength(1);
	});

	test("frames of an earlier join are ignored", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		const topic = "collection:cats";
		const payload = enveloped("item_listed", sampleEvents.listed());
		server.send({ topic, event: "phx_close", joinRef: "old", ref: "old" });
		server.send({ topic, event: "item_listed", joinRef: "old", payload });
		server.send({ topic, event: "order_invalidate", joinRef: server.joinRef(topic), payload });
		expect(await opened.pushes.next()).toMatchObject({ type: "order" });
		expect(opened.pushes.rest()).toEqual([]);
		expect(await opened.count("stray")).toBe(2);
		expect(opened.stream.state()).toBe("live");
	});

	test("[MRG-13] a heartbeat without an answer closes a socket that is half open", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		server.answersHeartbeats = false;
		opened.time.advance(30_000);
		await until(() => server.sent("heartbeat").length === 2);
		expect(opened.stream.state()).toBe("live");
		opened.time.advance(30_000);
		expect(opened.stream.state()).toBe("connecting");
		opened.time.advance(RECONNECT_MS);
		await until(() => server.urls.length === 2);
	});

	test("[MRG-13] a join that is refused is repeated, and alone does not make the stream live", async () => {
		const server = serve();
		server.onJoin = () => "error";
		const opened = open(server);
		await until(() => opened.time.delaysMs().includes(1_000));
		expect(opened.stream.state()).toBe("connecting");
		server.onJoin = () => "ok";
		opened.time.advance(1_100);
		await live(opened);
		expect(server.sent("phx_join")).toHaveLength(2);
		expect(opened.lines.rest().filter((line) => line.includes("refuses"))).toHaveLength(1);
	});

	test("a join without an answer is cancelled and repeated", async () => {
		const server = serve();
		server.onJoin = () => "silence";
		const opened = open(server);
		await until(() => server.sent("phx_join").length === 1);
		server.onJoin = () => "ok";
		opened.time.advance(10_000);
		await until(() => server.sent("phx_leave").length === 1);
		opened.time.advance(1_100);
		await live(opened);
		expect(server.sent("phx_join")).toHaveLength(2);
	});

	test("[MRG-15] garbage, binary and huge frames are dropped, and the stream stays live", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		server.sendRaw("<html>no</html>");
		server.sendRaw("[".repeat(100_000));
		server.sendRaw(new Uint8Array([1, 2, 3]));
		server.sendRaw(
			JSON.stringify([null, null, "collection:cats", "x", { a: "b".repeat(2 ** 21) }]),
		);
		server.sendRaw(JSON.stringify({ topic: 7 }));
		say(server, "item_listed", sampleEvents.listed());
		expect(await opened.pushes.next()).toMatchObject({ type: "order" });
		expect(await opened.count("unreadable")).toBe(5);
		expect(opened.stream.state()).toBe("live");
	});

	test("[MRG-15] a socket with a server that sends only garbage is closed", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		for (let frame = 0; frame < 100; frame++) server.sendRaw("garbage");
		await lost(opened);
		await until(() => server.open() === 0);
	});

	test("[MRG-15] an event that cannot be read becomes a gap", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		await opened.gapAfter(1_000);
		say(server, "item_sold", { ...sampleEvents.sold(), sale_price: "1e18" });
		say(server, "item_listed", sampleEvents.listed());
		await opened.pushes.next();
		const sinceMs = Date.UTC(2026, 9, 31, 23, 59, 50, 123);
		expect(await opened.gapAfter(31_000)).toEqual({ slugs: ["cats"], sinceMs });
		expect(opened.pushes.rest()).toEqual([]);
	});

	test("[MRG-13] a frame that is sent twice is delivered once, and a late frame is delivered", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		const sent = (inner: unknown, version: number) =>
			server.send({
				topic: "collection:cats",
				event: "item_listed",
				payload: enveloped("item_listed", inner, version),
			});
		sent(sampleEvents.listed({ base_price: "3" }), 3);
		sent(sampleEvents.listed({ base_price: "2" }), 2);
		sent(sampleEvents.listed({ base_price: "3" }), 3);
		sent(sampleEvents.listed({ base_price: "4" }), 4);
		const prices = [];
		for (let push = 0; push < 3; push++) {
			const next = await opened.pushes.next();
			if (next.type === "order") prices.push(next.order.totalRaw);
		}
		expect(prices).toEqual([3n, 2n, 4n]);
		expect(await opened.count("repeated")).toBe(1);
	});

	test("events of unknown types, of unknown chains and of collections that are not followed are dropped", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		say(server, "item_dreamt", sampleEvents.listed());
		say(server, "item_listed", sampleEvents.listed({ chain: "solana" }));
		say(server, "item_listed", sampleEvents.listed(), "dogs");
		say(server, "item_cancelled", sampleEvents.order());
		expect(await opened.pushes.next()).toMatchObject({ type: "order_gone" });
		expect(opened.pushes.rest()).toEqual([]);
		for (const outcome of ["unknown_type", "unknown_chain", "stray"]) {
			expect(await opened.count(outcome)).toBe(1);
		}
	});

	test("a new list of collections leaves and joins topics, and keeps the ones in both lists", async () => {
		const server = serve();
		const opened = open(server, { slugs: ["cats", "dogs"] });
		await until(() => server.sent("phx_join").length === 2);
		await live(opened);
		opened.stream.follow(["dogs", "owls", "owls", "*", "", "a b"]);
		opened.time.advance(100);
		await until(() => server.sent("phx_join").length === 3);
		const topics = (event: string) => server.sent(event).map(({ topic }) => topic);
		expect(topics("phx_join")).toEqual(["collection:cats", "collection:dogs", "collection:owls"]);
		await until(() => server.sent("phx_leave").length === 1);
		expect(topics("phx_leave")).toEqual(["collection:cats"]);
	});

	test("at most a thousand topics are joined, ten at a time", async () => {
		const server = serve();
		const slugs = Array.from({ length: 1_200 }, (_, index) => `slug-${index}`);
		const opened = open(server, { slugs });
		await until(() => server.sent("phx_join").length === 10);
		opened.time.advance(100);
		await until(() => server.sent("phx_join").length === 20);
		opened.time.advance(9_800);
		await until(() => server.sent("phx_join").length === 1_000);
		while ((await opened.figure("provider_stream_topics")) < 1_000) {
			await new Promise((done) => setImmediate(done));
		}
		opened.time.advance(3_000);
		// One socket keeps the order: a join sent now would have arrived before the leaves.
		opened.stream.follow([]);
		await until(() => server.sent("phx_leave").length === 1_000);
		expect(server.sent("phx_join")).toHaveLength(1_000);
	});

	test("[MRG-13] a server that always hangs up at once is not called in a tight loop, and logged once", async () => {
		const server = serve();
		const opened = open(server);
		for (let round = 1; round <= 38; round++) {
			await until(() => server.urls.length === round);
			await live(opened);
			server.close(1012);
			await lost(opened);
			// Thirty come at once, since the server did answer; each of the others waits.
			const delayMs = round < 30 ? 10 : 5_000;
			expect(opened.time.delaysMs()).toContain(delayMs);
			opened.time.advance(delayMs);
		}
		const told = opened.lines.rest().filter((line) => line.includes("ended"));
		expect(told).toHaveLength(1);
	});

	test("[SEC-04] the key is in the URL that is opened, and in no log line or metric", async () => {
		const refusing = serve();
		refusing.isRefusing = true;
		const refused = open(refusing);
		const server = serve();
		const opened = open(server);
		await live(opened);
		// A server that repeats what it was given.
		server.close(4001, TOKEN);
		for (const { lines } of [refused, opened]) {
			const line = await lines.next();
			expect(line).toContain("ended");
			expect(line).not.toContain(TOKEN);
		}
		const address = new URL(server.urls[0] ?? "");
		expect(address.searchParams.get("token")).toBe(TOKEN);
		expect(address.searchParams.get("vsn")).toBe("2.0.0");
	});

	test("a socket that cannot be created is handled as an outage", async () => {
		const server = serve();
		const opened = open(server, {
			openSocket() {
				throw new Error(`no: ${TOKEN}`);
			},
		});
		for (let attempt = 0; attempt < 20; attempt++) opened.time.advance(RECONNECT_MS);
		expect(opened.stream.state()).toBe("connecting");
		expect(await opened.lines.next()).not.toContain(TOKEN);
		expect(opened.lines.rest()).toEqual([]);
	});

	test("stopping closes the socket, and starting again reports the gap of the meantime", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		await opened.gapAfter(1_000);
		say(server, "item_listed", sampleEvents.listed());
		await opened.pushes.next();
		opened.time.advance(5_000);
		const stopped = opened.stream.stop();
		expect(opened.stream.state()).toBe("off");
		await stopped;
		await until(() => server.open() === 0);
		opened.time.advance(3_600_000);
		expect(server.urls).toHaveLength(1);
		opened.stream.start(new AbortController().signal);
		await live(opened);
		const sinceMs = STARTED_AT_MS + 1_000;
		expect(await opened.gapAfter(1_000)).toEqual({ slugs: ["cats"], sinceMs });
		await opened.stream.stop();
	});

	test("the signal closes the stream for good", async () => {
		const server = serve();
		const opened = open(server);
		await live(opened);
		opened.stopping.abort();
		expect(opened.stream.state()).toBe("off");
		opened.stream.start(opened.stopping.signal);
		expect(opened.stream.state()).toBe("off");
		await until(() => server.open() === 0);
		expect(opened.time.delaysMs().filter((ms) => ms < 60_000 && ms > 100)).toEqual([]);
	});

	test("[MRG-13] the stream connects, breaks and reconnects with the real clock and timers", async () => {
		const server = serve();
		const pushes = collector<ProviderPush>();
		const stream = createProviderStream({
			url: server.wsUrl,
			token: null,
			chains: createChainNames(createChainRegistry(builtinChains)),
			clock: systemClock,
			log: silentLog,
			metrics: createMetrics(),
		});
		stream.onPushes(async (some) => some.forEach(pushes.add));
		stream.follow(["cats"]);
		stream.start(new AbortController().signal);
		ending.push(stream.stop);
		for (const sockets of [1, 2]) {
			await until(() => stream.state() === "live");
			say(server, "item_cancelled", sampleEvents.order({ order_hash: hashOf(sockets) }));
			expect(await pushes.next()).toMatchObject({ orderHash: hashOf(sockets) });
			server.hangUp();
			await until(() => server.urls.length === sockets + 1);
		}
		expect(new URL(server.urls[0] ?? "").searchParams.has("token")).toBe(false);
	});
});

describe("startProviderStream", () => {
	/** Makes leases of a database that one process at a time holds, and that may be away. */
	function leases() {
		const database = { holder: null as string | null, isAway: false };
		const of = (process: string) => ({
			async hold(name: string) {
				if (database.isAway) throw new Error("away");
				database.holder ??= process;
				return database.holder === process ? { name, token: 1 } : null;
			},
			async release() {
				if (database.holder === process) database.holder = null;
			},
		});
		return { database, of };
	}

	function run(keeper: ReturnType<ReturnType<typeof leases>["of"]>) {
		const stopping = new AbortController();
		const said: string[] = [];
		const stream = {
			...offStream,
			start: () => void said.push("start"),
			stop: async () => void said.push("stop"),
		};
		const { signal } = stopping;
		const shared = { told: 0, learned: 0 };
		const status = {
			tell: async () => void shared.told++,
			learn: async () => void shared.learned++,
		};
		const options = { stream, leases: keeper, status, log: silentLog, signal, everyMs: 1 };
		const over = startProviderStream(options);
		return { stopping, said, over, shared };
	}

	test("[MRG-13] one of several processes listens, and another takes over after it ended", async () => {
		const { of } = leases();
		const first = run(of("first"));
		await until(() => first.said.length === 1);
		const second = run(of("second"));
		await until(() => first.shared.told > 0 && second.shared.learned > 0);
		expect([first.shared.learned, second.shared.told]).toEqual([0, 0]);
		first.stopping.abort();
		await first.over;
		expect(first.said).toEqual(["start", "stop"]);
		await until(() => second.said.length === 1);
		expect(second.said).toEqual(["start"]);
		second.stopping.abort();
		await second.over;
	});

	test("a process that loses the lease, or the database, stops listening until it has the lease again", async () => {
		const { database, of } = leases();
		const only = run(of("only"));
		await until(() => only.said.length === 1);
		database.isAway = true;
		await until(() => only.said.length === 2);
		database.isAway = false;
		await until(() => only.said.length === 3);
		database.holder = "another";
		await until(() => only.said.length === 4);
		only.stopping.abort();
		await only.over;
		expect(only.said.slice(0, 4)).toEqual(["start", "stop", "start", "stop"]);
		expect(database.holder).toBe("another");
	});
});
