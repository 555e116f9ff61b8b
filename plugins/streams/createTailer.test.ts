import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox, type Outbox } from "#core/outbox.ts";
import {
	createEpoch,
	createTailer,
	type Tailer,
	type TailerOptions,
} from "#plugins/streams/createTailer.ts";
import { topicOfHint } from "#plugins/streams/createTopicTail.ts";
import { announcedBus } from "#plugins/streams/testing/announcedBus.ts";
import { recordingPublisher } from "#plugins/streams/testing/recordingPublisher.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createEpoch", () => {
	function open() {
		const state = { nowMs: 0, epoch: "one", reads: 0, changes: 0, away: false };
		const epoch = createEpoch({
			clock: { nowMs: () => state.nowMs },
			read: async () => {
				state.reads += 1;
				if (state.away) throw new Error("away");
				return state.epoch;
			},
			onChanged: () => {
				state.changes += 1;
			},
		});
		return { state, epoch };
	}

	test("a thousand streams that open simultaneously cause one query", async () => {
		const { state, epoch } = open();
		const answers = await Promise.all(Array.from({ length: 1_000 }, epoch.current));
		expect(new Set(answers)).toEqual(new Set(["one"]));
		expect(state.reads).toBe(1);
	});

	test("the epoch is read again after a second, and a change is reported once", async () => {
		const { state, epoch } = open();
		await epoch.current();
		state.epoch = "two";
		state.nowMs = 999;
		expect(await epoch.current()).toBe("one");
		state.nowMs = 1_000;
		expect(await epoch.current()).toBe("two");
		expect(await epoch.refresh()).toBe("two");
		expect(state.changes).toBe(1);
	});

	test("a failed read rejects, and is not cached", async () => {
		const { state, epoch } = open();
		state.away = true;
		await expect(epoch.current()).rejects.toThrow("away");
		state.away = false;
		expect(await epoch.current()).toBe("one");
	});
});

describe("createTailer", () => {
	let database: TestDatabase;
	let db: Database;
	const clock = { nowMs: () => 1_700_000_000_000 };

	beforeAll(async () => {
		database = await createTestDatabase();
		db = database.db;
	});
	afterAll(() => database.drop());

	const newTopic = () => `test:${crypto.randomUUID()}`;
	const upTo = (from: number, to: number) =>
		Array.from({ length: to - from }, (_, index) => from + index + 1);

	function openTailer(changes: Partial<TailerOptions> = {}) {
		const bus = announcedBus();
		const outbox = createOutbox({ db, bus, clock });
		const publisher = recordingPublisher();
		let renumbered = 0;
		const tailer = createTailer({
			outbox,
			publisher,
			clock,
			log: silentLog,
			collect: async () => {},
			onPublished: () => {},
			onRenumbered: () => {
				renumbered += 1;
			},
			...changes,
		});
		return { bus, outbox, publisher, tailer, renumbered: () => renumbered };
	}

	async function commit(outbox: Outbox, topic: string, count: number, bytes = 0): Promise<void> {
		await db.transaction(async (tx) => {
			const frame = () => ({
				type: "market_event",
				data: { id: crypto.randomUUID(), pad: "x".repeat(bytes) },
			});
			outbox.append(tx, topic, Array.from({ length: count }, frame));
		});
	}

	/** Runs a tick, and waits until all that it found is published. */
	async function tick(tailer: Tailer): Promise<void> {
		const { reads } = await tailer.tick();
		await reads;
	}

	type Step =
		| { kind: "commit"; topic: 0 | 1; count: number }
		| { kind: "rollback"; topic: 0 | 1 }
		| { kind: "hint"; which: number }
		| { kind: "noise"; text: string }
		| { kind: "tick" };

	const topicArbitrary = fc.constantFrom<0 | 1>(0, 1);
	const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
		{
			weight: 4,
			arbitrary: fc.record({
				kind: fc.constant("commit" as const),
				topic: topicArbitrary,
				count: fc.integer({ min: 1, max: 4 }),
			}),
		},
		{
			weight: 1,
			arbitrary: fc.record({ kind: fc.constant("rollback" as const), topic: topicArbitrary }),
		},
		// Any announced batch, at any time, any number of times: lost, late, doubled, reordered.
		{ weight: 6, arbitrary: fc.record({ kind: fc.constant("hint" as const), which: fc.nat() }) },
		{
			weight: 1,
			arbitrary: fc.record({
				kind: fc.constant("noise" as const),
				text: fc.constantFrom("", "{", "null", '{"topic":"a"}', "[]"),
			}),
		},
		{ weight: 1, arbitrary: fc.record({ kind: fc.constant("tick" as const) }) },
	);

	// Guarantee: whatever the bus does to its hints, each committed frame goes out once, in order.
	test("[STR-02] each frame is sent once and in order while hints are lost, doubled and reordered", async () => {
		const schedule = fc.record({
			steps: fc.array(stepArbitrary, { maxLength: 25 }),
			joinAt: fc.nat({ max: 10 }),
			/** True: the next step waits for the effects of the last one. */
			patient: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(schedule, async ({ steps, joinAt, patient }) => {
				const { bus, outbox, publisher, tailer, renumbered } = openTailer();
				const names = [newTopic(), newTopic()] as const;
				const committed = [0, 0];
				const joinedAt = [0, 0];
				const pending: Promise<unknown>[] = [];
				const join = async (index: 0 | 1) => {
					const feed = await tailer.follow(names[index]);
					joinedAt[index] = feed.position();
				};
				for (const [index, step] of steps.entries()) {
					if (index === joinAt) pending.push(join(0), join(1));
					switch (step.kind) {
						case "commit":
							await commit(outbox, names[step.topic], step.count);
							committed[step.topic]! += step.count;
							break;
						case "rollback":
							await db
								.transaction(async (tx) => {
									outbox.append(tx, names[step.topic], [{ type: "market_event", data: "never" }]);
									throw new Error("rolled back");
								})
								.catch(() => {});
							break;
						case "hint":
							if (bus.announced.length > 0)
								tailer.hint(bus.announced[step.which % bus.announced.length]!);
							break;
						case "noise":
							tailer.hint(step.text);
							break;
						case "tick":
							pending.push(tick(tailer));
							break;
					}
					if (patient) await Promise.all(pending.splice(0));
				}
				if (steps.length <= joinAt) pending.push(join(0), join(1));
				await Promise.all(pending);
				await tick(tailer);
				for (const index of [0, 1] as const) {
					const seqs = publisher.seqsOf(names[index]);
					// A frame may go out between the opening of a topic and the test's reading of its
					// position.
					const from = Math.min(joinedAt[index]!, (seqs[0] ?? Number.POSITIVE_INFINITY) - 1);
					expect(seqs).toEqual(upTo(from, committed[index]!));
				}
				expect(JSON.stringify(publisher.of(names[0]))).not.toContain("never");
				expect(renumbered()).toBe(0);
			}),
			{ numRuns: 150 },
		);
	});

	test("[STR-02] concurrent writers of one topic are published in the order of their commits", async () => {
		const { bus, outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		const feed = await tailer.follow(topic);
		let delivered = 0;
		const deal = () => {
			while (delivered < bus.announced.length) tailer.hint(bus.announced[delivered++]!);
		};
		await Promise.all(
			Array.from({ length: 40 }, async () => {
				await commit(outbox, topic, 3);
				deal();
			}),
		);
		await feed.catchUp();
		expect(publisher.seqsOf(topic)).toEqual(upTo(0, 120));
	});

	test("[STR-02] the frames in an expected hint are published at once, without a query", async () => {
		const { bus, outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		const feed = await tailer.follow(topic);
		await commit(outbox, topic, 2);
		tailer.hint(bus.announced[0]!);
		expect(publisher.seqsOf(topic)).toEqual([1, 2]);
		expect(feed.position()).toBe(2);
	});

	// Guarantee: a crash between commit and announcement costs a second, not a frame.
	test("[STR-04] a committed frame that was never announced is published by the next tick", async () => {
		const { outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await commit(outbox, topic, 1);
		await tailer.follow(topic);
		await commit(outbox, topic, 3);
		expect(publisher.seqsOf(topic)).toEqual([]);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([2, 3, 4]);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([2, 3, 4]);
	});

	test("[STR-04] a frame of a rolled-back transaction is not published, and no number is lost", async () => {
		const { bus, outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await tailer.follow(topic);
		const failing = db.transaction(async (tx) => {
			outbox.append(tx, topic, [{ type: "market_event", data: "taken back" }]);
			tx.beforeCommit(async () => {
				throw new Error("the last step fails, after the frames were stored");
			});
		});
		await expect(failing).rejects.toThrow("last step");
		await tick(tailer);
		expect(bus.announced).toEqual([]);
		expect(publisher.of(topic)).toEqual([]);
		await commit(outbox, topic, 1);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([1]);
	});

	test("a backlog is sent in parts, so that fast readers do not count as slow", async () => {
		const { outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await tailer.follow(topic);
		for (let index = 0; index < 4; index += 1) await commit(outbox, topic, 10, 10_000);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual(upTo(0, 40));
		expect(publisher.turns()).toBe(3);
	});

	test("[STR-02] a hint that arrives while its own frames are read from the log doubles none of them", async () => {
		const bus = announcedBus();
		const outbox = createOutbox({ db, bus, clock });
		const publisher = recordingPublisher({
			turn: () => {
				for (const text of bus.announced) tailer.hint(text);
			},
		});
		const { tailer } = openTailer({ outbox, publisher });
		const topic = newTopic();
		await tailer.follow(topic);
		await commit(outbox, topic, 20, 10_000);
		await commit(outbox, topic, 2);
		await tick(tailer);
		expect(publisher.turns()).toBeGreaterThan(0);
		expect(publisher.seqsOf(topic)).toEqual(upTo(0, 22));
	});

	test("[STR-02] a hint that arrives while its topic opens is published without a wait for the next tick", async () => {
		const bus = announcedBus();
		const base = createOutbox({ db, bus, clock });
		const { promise: published, resolve } = Promise.withResolvers<void>();
		const publisher = recordingPublisher({ publish: resolve });
		const topic = newTopic();
		const { tailer } = openTailer({
			publisher,
			outbox: {
				...base,
				// The head is read just before a commit, whose hint arrives before the answer.
				async heads(topics) {
					const heads = await base.heads(topics);
					await commit(base, topic, 1);
					for (const text of bus.announced) tailer.hint(text);
					return heads;
				},
			},
		});
		await tailer.follow(topic);
		await published;
		expect(publisher.seqsOf(topic)).toEqual([1]);
	});

	test("[STR-05] frames that were pruned before they were published become one snapshot_required", async () => {
		const { bus, outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await tailer.follow(topic);
		await commit(outbox, topic, 2);
		await commit(outbox, topic, 2);
		await db.execute("delete from core.stream_frame where topic = $1 and seq_last = 2", [topic]);
		await tick(tailer);
		expect(publisher.of(topic)).toMatchObject([
			{ type: "snapshot_required", seq: 4, data: { reason: "frames_lost" } },
		]);
		await commit(outbox, topic, 1);
		tailer.hint(bus.announced.at(-1)!);
		expect(publisher.seqsOf(topic)).toEqual([4, 5]);
	});

	test("more missed frames than the limit become one snapshot_required", async () => {
		const { outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await tailer.follow(topic);
		await commit(outbox, topic, 5_001);
		await tick(tailer);
		expect(publisher.of(topic)).toMatchObject([{ type: "snapshot_required", seq: 5_001 }]);
	});

	test("a log that ends before the published position makes every stream start over", async () => {
		const { outbox, publisher, tailer, renumbered } = openTailer();
		const topic = newTopic();
		await tailer.follow(topic);
		await commit(outbox, topic, 3);
		await tick(tailer);
		await db.execute("update core.stream_head set seq = 1 where topic = $1", [topic]);
		await tick(tailer);
		expect(renumbered()).toBe(1);
		expect(publisher.seqsOf(topic)).toEqual([1, 2, 3]);
		expect((await tailer.follow(topic)).position()).toBe(1);
	});

	test("a new epoch makes every stream start over, even if no number shows it", async () => {
		let epoch = "before";
		const base = createOutbox({ db, bus: announcedBus(), clock });
		const { tailer, renumbered } = openTailer({ outbox: { ...base, epoch: async () => epoch } });
		await tailer.follow(newTopic());
		await tick(tailer);
		epoch = "after";
		await tick(tailer);
		expect(renumbered()).toBe(1);
		expect(await tailer.epoch()).toBe("after");
	});

	test("a database outage delays frames and loses none", async () => {
		let away = false;
		const base = createOutbox({ db, bus: announcedBus(), clock });
		const failing = async () => {
			throw new Error("away");
		};
		const { tailer, publisher } = openTailer({
			outbox: {
				epoch: base.epoch,
				heads: (topics) => (away ? failing() : base.heads(topics)),
				read: (topic, seq) => (away ? failing() : base.read(topic, seq)),
			},
		});
		const topic = newTopic();
		const feed = await tailer.follow(topic);
		await commit(base, topic, 2);
		away = true;
		await expect(tailer.tick()).rejects.toThrow("away");
		await expect(feed.catchUp()).rejects.toThrow("away");
		await expect(tailer.follow(newTopic())).rejects.toThrow("away");
		away = false;
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([1, 2]);
	});

	test("a topic without followers is neither read nor published", async () => {
		const { bus, outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		const [first, second] = [await tailer.follow(topic), await tailer.follow(topic)];
		first.leave();
		first.leave();
		await commit(outbox, topic, 1);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([1]);
		second.leave();
		await commit(outbox, topic, 1);
		for (const text of bus.announced) tailer.hint(text);
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual([1]);
	});

	test("[STR-05] a ping has each topic's position and uses no number", async () => {
		const { outbox, publisher, tailer } = openTailer();
		const topic = newTopic();
		await commit(outbox, topic, 2);
		await tailer.follow(topic);
		tailer.ping();
		await commit(outbox, topic, 1);
		await tick(tailer);
		expect(publisher.of(topic).map(({ type, seq }) => [type, seq])).toEqual([
			["ping", 2],
			["market_event", 3],
		]);
	});

	test("a first frame is sent to many clients at once, and those that soon follow are sent together", async () => {
		const windows: (() => void)[] = [];
		const collect = () => new Promise<void>((resolve) => windows.push(resolve));
		const { bus, outbox, publisher, tailer } = openTailer({ collect });
		const topic = newTopic();
		const feeds = await Promise.all(Array.from({ length: 50 }, () => tailer.follow(topic)));
		for (let index = 0; index < 4; index += 1) await commit(outbox, topic, 2);
		const [first = "", second = "", third = "", fourth = ""] = bus.announced;
		tailer.hint(first);
		expect(publisher.seqsOf(topic)).toEqual([1, 2]);
		// Out of order too: collected hints are handled as if they came at the window's end.
		for (const text of [second, second, third]) tailer.hint(text);
		expect(publisher.seqsOf(topic)).toEqual([1, 2]);
		expect(feeds[0]?.position()).toBe(2);
		windows.shift()?.();
		await Promise.resolve();
		await Promise.resolve();
		expect(publisher.seqsOf(topic)).toEqual(upTo(0, 6));
		tailer.hint(fourth);
		// A read of the log does not wait for the window.
		await tick(tailer);
		expect(publisher.seqsOf(topic)).toEqual(upTo(0, 8));
		for (const feed of feeds) feed.leave();
		windows.shift()?.();
	});

	test("a topic with few clients has no delay", async () => {
		const { bus, outbox, publisher, tailer } = openTailer({ collect: () => new Promise(() => {}) });
		const topic = newTopic();
		for (let index = 0; index < 49; index += 1) await tailer.follow(topic);
		for (let index = 0; index < 3; index += 1) await commit(outbox, topic, 1);
		for (const text of bus.announced) tailer.hint(text);
		expect(publisher.seqsOf(topic)).toEqual([1, 2, 3]);
	});

	test("an outbox announcement begins with its topic, so that other topics' need not be parsed", async () => {
		const { bus, outbox } = openTailer();
		const topic = newTopic();
		await commit(outbox, topic, 2);
		expect(bus.announced.map(topicOfHint)).toEqual([topic]);
	});
});
