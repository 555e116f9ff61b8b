import { describe, expect, test } from "bun:test";
import { createSession, inboundAllowance } from "#plugins/streams/createSession.ts";
import type { Feed } from "#plugins/streams/model.ts";

describe("createSession", () => {
	function open() {
		const state = { buffered: 0, pings: 0, sent: [] as string[], closed: [] as number[] };
		const session = createSession(
			{
				send: (text) => state.sent.push(text),
				close: (code) => {
					state.closed.push(code);
				},
				ping: () => ++state.pings,
				subscribe: () => {},
				getBufferedAmount: () => state.buffered,
			},
			{ stream: "discover", topics: [], resume: undefined, client: "a" },
		);
		return { state, session };
	}

	function feed(left: string[], topic: string): Feed {
		return { topic, position: () => 0, catchUp: async () => {}, leave: () => left.push(topic) };
	}

	const KIB = 1024;

	test("[STR-05] a reader that is far behind is closed at once, a slow one at the second check", () => {
		const far = open();
		far.state.buffered = 768 * KIB + 1;
		far.session.checkUnsent({ look: false });
		expect(far.state.closed).toEqual([4008]);

		const some = open();
		some.state.buffered = 256 * KIB + 1;
		some.session.checkUnsent({ look: false });
		some.session.checkUnsent({ look: true });
		expect(some.state.closed).toEqual([]);
		some.session.checkUnsent({ look: true });
		expect(some.state.closed).toEqual([4008]);
	});

	test("[STR-05] a client that answers no ping is closed when the third would be due", () => {
		const { state, session } = open();
		session.probe();
		session.probe();
		expect(state.closed).toEqual([]);
		session.probe();
		expect(state.closed).toEqual([4010]);
		expect(state.pings).toBe(2);
	});

	test("[STR-05] a client that answers some of the pings stays connected", () => {
		const { state, session } = open();
		for (let index = 0; index < 20; index += 1) {
			session.probe();
			if (index % 2) session.heard();
		}
		expect(state.closed).toEqual([]);
		expect(state.pings).toBe(20);
	});

	test("a reader that caught up between two checks stays connected", () => {
		const { state, session } = open();
		for (const kib of [300, 0, 300, 100, 300]) {
			state.buffered = kib * KIB;
			session.checkUnsent({ look: true });
		}
		expect(state.closed).toEqual([]);
	});

	test("drained waits until the socket has written enough", async () => {
		const { state, session } = open();
		state.buffered = 200;
		let done = false;
		const waiting = session.drained(100).then(() => {
			done = true;
		});
		state.buffered = 150;
		session.onDrain();
		await Promise.resolve();
		expect(done).toBe(false);
		state.buffered = 100;
		session.onDrain();
		await waiting;
		expect(done).toBe(true);
	});

	test("no call waits for a closed socket, and its topics are released", async () => {
		const { state, session } = open();
		const left: string[] = [];
		session.join(feed(left, "a"));
		state.buffered = 200;
		const waiting = session.drained(100);
		session.release();
		await waiting;
		session.join(feed(left, "late"));
		session.send("nothing");
		session.close(1012, "restart");
		expect(left).toEqual(["a", "late"]);
		expect(state.sent).toEqual([]);
		expect(state.closed).toEqual([]);
	});
});

describe("inboundAllowance", () => {
	test("twenty messages in ten seconds are accepted, the next is refused until the window ends", () => {
		let nowMs = 5;
		const mayTalk = inboundAllowance({ nowMs: () => nowMs });
		const answers = Array.from({ length: 21 }, mayTalk);
		expect(answers).toEqual([...Array(20).fill(true), false]);
		nowMs = 10_004;
		expect(mayTalk()).toBe(false);
		nowMs = 10_005;
		expect(mayTalk()).toBe(true);
	});
});
