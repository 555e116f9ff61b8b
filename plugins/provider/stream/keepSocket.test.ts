import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { HEARTBEAT_MS, OPEN_TIMEOUT_MS, STEADY_MS } from "#plugins/provider/limits.ts";
import {
	createStreamMetrics,
	createStreamStatus,
	followStreamStatus,
	keepSocket,
	nextSocketState,
	reconnectDelayMs,
	type SocketEvent,
	type SocketState,
} from "#plugins/provider/stream/keepSocket.ts";
import { fakePhoenix } from "#plugins/provider/stream/testing/fakePhoenix.ts";
import { manualTime, STARTED_AT_MS } from "#plugins/provider/stream/testing/manualTime.ts";
import { until } from "#plugins/provider/stream/testing/until.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("keepSocket", () => {
	describe("keepSocket", () => {
		const ending: (() => unknown)[] = [];
		afterEach(async () => {
			for (const end of ending.splice(0).reverse()) await end();
		});

		function open(openSocket = (url: string) => new WebSocket(url)) {
			const server = fakePhoenix();
			const time = manualTime();
			const downs: number[] = [];
			const lines: string[] = [];
			const heard: string[] = [];
			let refs = 0;
			const socket = keepSocket({
				...time,
				url: server.wsUrl,
				openSocket,
				random: () => 0.5,
				newRef: () => String(++refs),
				log: {
					...silentLog,
					warn: (message, context) => void lines.push(`${message}: ${context?.reason}`),
					info: (message) => void lines.push(message),
				},
				onOpen() {},
				onFrame: ({ frame }) => void heard.push(frame.event),
				onUnreadable() {},
				onDown: (heardMs) => void downs.push(heardMs - STARTED_AT_MS),
			});
			ending.push(server.stop, socket.stop);
			socket.start();
			return { server, time, socket, downs, lines, heard };
		}

		type Opened = ReturnType<typeof open>;
		const reach = ({ socket }: Opened, state: string) => until(() => socket.state() === state);

		/** Returns a socket that never opens. */
		function deafSocket(): WebSocket {
			const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
			ending.push(() => listener.stop(true));
			return new WebSocket(`ws://127.0.0.1:${listener.port}`);
		}

		test("[MRG-13] a connection whose server never answers is closed", () => {
			const opened = open(deafSocket);
			opened.time.advance(OPEN_TIMEOUT_MS);
			expect(opened.socket.state()).toBe("waiting");
			expect(opened.lines).toEqual([
				"the provider's stream ended; it is opened again: it did not open",
			]);
			expect(opened.downs).toEqual([]);
		});

		test("[MRG-13] delays grow until the server answers, not only until the socket opens", async () => {
			const opened = open();
			const { server, time, lines } = opened;
			server.answersHeartbeats = false;
			for (const delayMs of [10, 50, 100]) {
				await reach(opened, "joining");
				server.hangUp();
				await reach(opened, "waiting");
				expect(time.delaysMs()).toEqual([delayMs]);
				server.answersHeartbeats = delayMs === 100;
				time.advance(delayMs);
			}
			await reach(opened, "live");
			expect(lines.at(-1)).toBe("the provider's stream is back");
			server.hangUp();
			await reach(opened, "waiting");
			expect(time.delaysMs()).toEqual([10]);
		});

		test("the gap begins with the last frame that was received", async () => {
			const opened = open();
			const { server, time, downs, heard } = opened;
			await reach(opened, "live");
			await until(() => heard.length === 1);
			time.advance(7);
			server.send({ topic: "collection:cats", event: "item_listed" });
			await until(() => heard.length === 2);
			time.advance(5);
			server.close();
			await reach(opened, "waiting");
			expect(downs).toEqual([7]);
		});

		test("an outage is logged once, and a later one again after a healthy period", async () => {
			const opened = open();
			const { server, time, lines, heard } = opened;
			for (let round = 0; round < 3; round++) {
				await reach(opened, "live");
				server.hangUp();
				await reach(opened, "waiting");
				time.advance(10);
			}
			await reach(opened, "live");
			expect(lines.map((line) => line.split(":")[0])).toEqual([
				"the provider's stream ended; it is opened again",
				"the provider's stream is back",
			]);
			for (let beats = 0; beats < STEADY_MS / HEARTBEAT_MS; beats++) {
				const before = heard.length;
				time.advance(HEARTBEAT_MS);
				await until(() => heard.length > before);
			}
			server.hangUp();
			await reach(opened, "waiting");
			expect(lines).toHaveLength(3);
		});

		test("stopping while waiting, connecting or live is final", async () => {
			const opened = open();
			opened.socket.stop();
			expect(opened.socket.state()).toBe("off");
			opened.socket.start();
			await reach(opened, "live");
			opened.server.hangUp();
			await reach(opened, "waiting");
			opened.socket.stop();
			opened.time.advance(3_600_000);
			expect(opened.socket.state()).toBe("off");
			expect(opened.time.delaysMs()).toEqual([]);
			expect(opened.downs).toHaveLength(1);
		});
	});

	describe("nextSocketState", () => {
		const walk = (events: SocketEvent[], from: SocketState = "off") =>
			events.reduce<SocketState>((state, event) => nextSocketState(state, event) ?? state, from);

		test("a socket is live only after it was opened and the server answered", () => {
			expect(walk(["start"])).toBe("connecting");
			expect(walk(["start", "replied"])).toBe("connecting");
			expect(walk(["start", "opened"])).toBe("joining");
			expect(walk(["start", "opened", "replied"])).toBe("live");
		});

		test("the next attempt to connect waits for its delay, however the last one ended", () => {
			for (const events of [
				["start"],
				["start", "opened"],
				["start", "opened", "replied"],
			] as const) {
				expect(walk([...events, "ended"])).toBe("waiting");
				expect(walk([...events, "ended", "opened", "replied", "ended"])).toBe("waiting");
				expect(walk([...events, "ended", "retry"])).toBe("connecting");
			}
		});

		test("stopping ends every state, and only a start leaves that state", () => {
			for (const state of ["connecting", "joining", "live", "waiting"] as const) {
				expect(nextSocketState(state, "stop")).toBe("off");
			}
			expect(walk(["opened", "replied", "ended", "retry", "stop"])).toBe("off");
		});
	});

	describe("reconnectDelayMs", () => {
		const middle = (attempt: number, connectsLastMinute = 0) =>
			reconnectDelayMs({ attempt, connectsLastMinute, random: () => 0.5 });

		test("[MRG-13] each attempt to connect waits longer, up to five seconds", () => {
			const delays = Array.from({ length: 12 }, (_, attempt) => middle(attempt));
			expect(delays).toEqual([10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000, 5_000, 5_000]);
		});

		test("after 30 connects in a minute the longest delay is used at once", () => {
			expect(middle(0, 29)).toBe(10);
			expect(middle(0, 30)).toBe(5_000);
		});

		test("a delay varies randomly by at most a quarter", () => {
			fc.assert(
				fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
					const ms = reconnectDelayMs({ attempt, connectsLastMinute: 0, random: () => chance });
					expect(Math.abs(ms / middle(attempt) - 1)).toBeLessThanOrEqual(0.25);
				}),
			);
		});
	});
});

describe("status", () => {
	describe("createStreamMetrics", () => {
		test("the metrics show the outcome of frames, and whether the stream is live", async () => {
			const metrics = createMetrics();
			const stream = createStreamMetrics(metrics);
			stream.count("handled");
			stream.count("handled");
			stream.observe({ isLive: true, joined: 3 });
			stream.waiting(7);
			stream.socketEnded();
			const { body } = await metrics.expose();
			expect(body).toContain('tapeline_provider_stream_frames_total{outcome="handled"} 2');
			expect(body).toContain("tapeline_provider_stream_live 1");
			expect(body).toContain("tapeline_provider_stream_topics 3");
			expect(body).toContain("tapeline_provider_stream_queue_pushes 7");
			expect(body).toContain("tapeline_provider_stream_sockets_ended_total 1");
		});
	});

	describe("createStreamStatus", () => {
		let database: TestDatabase;
		beforeAll(async () => {
			database = await createTestDatabase();
		});
		afterAll(() => database.drop());

		test("[MRG-13] a process that does not listen reports the listener's state, while that one is alive", async () => {
			const [listener, other] = [database.db, database.db].map(createStreamStatus);
			await other?.learn();
			expect(other?.state()).toBe("connecting");
			await listener?.tell("live");
			await other?.learn();
			expect(other?.state()).toBe("live");
			await listener?.tell("connecting");
			await other?.learn();
			expect(other?.state()).toBe("connecting");
			await listener?.tell("live");
			await other?.learn();
			// The process was killed, and could not report.
			await database.db.execute(
				"update provider.stream_status set told_at = now() - interval '10 seconds'",
			);
			await other?.learn();
			expect(other?.state()).toBe("connecting");
		});

		test("a listener that is closing does not count as a disabled stream", async () => {
			const status = createStreamStatus(database.db);
			await status.tell("off");
			await status.learn();
			expect(status.state()).toBe("connecting");
		});
	});

	describe("followStreamStatus", () => {
		test("a process that never listens keeps reading the stream's state, also after a failure", async () => {
			const stopping = new AbortController();
			let asked = 0;
			const status = {
				async learn() {
					if (++asked === 3) stopping.abort();
					if (asked === 1) throw new Error("away");
				},
			};
			await followStreamStatus({ status, signal: stopping.signal, everyMs: 1 });
			expect(asked).toBe(3);
		});
	});
});
