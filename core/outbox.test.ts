import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { inProcessBus } from "#core/bus.ts";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import {
	createOutbox,
	FRAMES_CHANNEL,
	FRAMES_PER_READ_MAX,
	type Frame,
	type FrameBatch,
	type Outbox,
	pruneFramesJob,
	renderFrames,
} from "#core/outbox.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createOutbox", () => {
	let database: TestDatabase;
	let db: Database;
	const bus = inProcessBus(silentLog);
	const clock = { nowMs: () => 1_700_000_000_000 };
	let announced: FrameBatch[] = [];
	bus.subscribe(FRAMES_CHANNEL, (text) => announced.push(JSON.parse(text)));

	beforeAll(async () => {
		database = await createTestDatabase();
		const { connectionString } = database;
		db = openDatabase({
			connectionString,
			connectionsMax: 16,
			applicationName: "tapeline test",
			log: silentLog,
		});
	});
	beforeEach(async () => {
		await db.execute("truncate core.stream_head, core.stream_frame");
		announced = [];
	});
	afterAll(async () => {
		await db.close();
		await database.drop();
	});

	const make = () => createOutbox({ db, bus, clock });
	const frames = (...data: unknown[]): Frame[] => data.map((one) => ({ type: "t", data: one }));
	const publish = (topic: string, ...data: unknown[]) =>
		db.transaction(async (tx) => make().append(tx, topic, frames(...data)));
	const dataOf = (batches: readonly FrameBatch[]) =>
		batches.flatMap((batch) => batch.frames.map(({ data }) => data));

	describe("numbers", () => {
		test("[STR-04] committed frames are stored under the next numbers and announced as stored", async () => {
			await publish("a", 1, 2);
			await publish("a", 3);
			const { head, batches } = await make().read("a", 0);
			expect(head).toBe(3);
			expect(batches).toEqual([
				{ topic: "a", seqFirst: 1, atMs: clock.nowMs(), frames: frames(1, 2) },
				{ topic: "a", seqFirst: 3, atMs: clock.nowMs(), frames: frames(3) },
			]);
			expect(announced).toEqual(batches);
		});

		test("frames that one transaction appends are one batch for each topic", async () => {
			const outbox = make();
			await db.transaction(async (tx) => {
				outbox.append(tx, "a", frames(1));
				outbox.append(tx, "b", frames("x"));
				outbox.append(tx, "a", frames(2));
				outbox.append(tx, "c", []);
			});
			expect((await outbox.read("a", 0)).batches).toMatchObject([
				{ seqFirst: 1, frames: frames(1, 2) },
			]);
			expect(await outbox.heads(["a", "b", "c"])).toEqual(
				new Map([
					["a", 2],
					["b", 1],
					["c", 0],
				]),
			);
		});

		test("[STR-04] a transaction that is rolled back leaves no frame, no number and no announcement", async () => {
			const outbox = make();
			await publish("a", 1);
			announced = [];
			await db
				.transaction(async (tx) => {
					outbox.append(tx, "a", frames("never"));
					throw new Error("rolled back");
				})
				.catch(() => {});
			expect(announced).toEqual([]);
			await publish("a", 2);
			expect(dataOf((await outbox.read("a", 0)).batches)).toEqual([1, 2]);
			expect((await outbox.read("a", 0)).head).toBe(2);
		});

		test("a frame that another last step appends gets a number too", async () => {
			const outbox = make();
			await db.transaction(async (tx) => {
				outbox.append(tx, "a", frames(1));
				tx.beforeCommit(async () => outbox.append(tx, "a", frames(2)));
			});
			expect(dataOf((await outbox.read("a", 0)).batches)).toEqual([1, 2]);
			expect(announced.map(({ seqFirst }) => seqFirst)).toEqual([1, 2]);
		});

		test("texts that PostgreSQL's json would refuse are returned unchanged", async () => {
			const odd = ["\u0000", "\ud800", "ä€😀", { a: [null] }];
			await publish("a", ...odd);
			expect(dataOf((await make().read("a", 0)).batches)).toEqual(odd);
		});

		test("a batch of a hundred thousand frames is stored", async () => {
			const many = Array.from({ length: 100_000 }, (_, index) => ({ type: "t", data: index }));
			const outbox = make();
			await db.transaction(async (tx) => {
				outbox.append(tx, "a", frames(0));
				outbox.append(tx, "a", many);
			});
			expect((await outbox.heads(["a"])).get("a")).toBe(100_001);
		});
	});

	test("[STR-04] [STR-05] transactions that share topics leave no gap, keep their order and never deadlock", async () => {
		const topics = ["a", "b", "c", "d"];
		const outbox = make();
		const committed = new Map<string, number>(topics.map((topic) => [topic, 0]));
		// A reader beside the writers: whoever has seen a number must find every smaller one.
		let writing = true;
		const seen = new Map<string, number>(topics.map((topic) => [topic, 0]));
		const reader = async () => {
			for (;;) {
				const last = !writing;
				for (const topic of topics) {
					for (const { seqFirst, frames } of (await outbox.read(topic, seen.get(topic) ?? 0))
						.batches) {
						expect(seqFirst).toBe((seen.get(topic) ?? 0) + 1);
						seen.set(topic, seqFirst + frames.length - 1);
					}
				}
				if (last) return;
			}
		};
		const write = async (writer: number) => {
			for (let round = 0; round < 40; round++) {
				const mix = writer * 7 + round;
				// Different topics in different orders, some rolled back.
				const wanted = topics.filter((_, index) => (mix >> index) & 1 || index === mix % 4);
				const order = mix % 2 ? wanted : wanted.toReversed();
				const counts = order.map((_, index) => 1 + ((mix + index) % 3));
				const abandons = mix % 5 === 0;
				await db
					.transaction(async (tx) => {
						order.forEach((topic, index) => {
							outbox.append(tx, topic, frames(...Array(counts[index]).fill(mix)));
						});
						tx.afterCommit(() => {
							order.forEach((topic, index) => {
								committed.set(topic, (committed.get(topic) ?? 0) + (counts[index] ?? 0));
							});
						});
						if (abandons) tx.beforeCommit(async () => Promise.reject(new Error("abandoned")));
					})
					.catch((error) => expect(error.message).toBe("abandoned"));
			}
		};
		const reading = reader();
		await Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)));
		writing = false;
		await reading;
		expect(seen).toEqual(committed);
		expect(await outbox.heads(topics)).toEqual(committed);
	});

	describe("reading", () => {
		test("reading begins after the given number, with the batch that holds the next one", async () => {
			await publish("a", 1, 2, 3);
			await publish("a", 4);
			const outbox = make();
			expect((await outbox.read("a", 2)).batches.map(({ seqFirst }) => seqFirst)).toEqual([1, 4]);
			expect((await outbox.read("a", 3)).batches.map(({ seqFirst }) => seqFirst)).toEqual([4]);
			expect(await outbox.read("a", 4)).toEqual({ head: 4, batches: [] });
			expect(await outbox.read("a", 99)).toEqual({ head: 4, batches: [] });
			expect(await outbox.read("nobody", 0)).toEqual({ head: 0, batches: [] });
		});

		test("reading ends with the batch that reaches the limit of frames, and continues from there", async () => {
			const size = FRAMES_PER_READ_MAX * 0.4;
			for (let batch = 0; batch < 5; batch++) await publish("a", ...Array(size).fill(batch));
			const outbox = make();
			const { head, batches } = await outbox.read("a", 0);
			expect({ head, count: batches.length }).toEqual({ head: size * 5, count: 3 });
			expect((await outbox.read("a", size * 3)).batches.map(({ seqFirst }) => seqFirst)).toEqual([
				size * 3 + 1,
				size * 4 + 1,
			]);
			await publish("b", ...Array(FRAMES_PER_READ_MAX * 2).fill(0));
			expect((await outbox.read("b", 0)).batches).toHaveLength(1);
		});
	});

	test("pruning deletes old frames, returns their number, and the numbering continues", async () => {
		await publish("a", 1, 2);
		await db.execute("update core.stream_frame set at = now() - interval '2 hours'");
		await publish("a", 3);
		await db.execute(
			`insert into core.stream_frame select 'old', n, n, now() - interval '2 hours', '[]'
		from generate_series(1, 12000) as n`,
		);
		await db.execute("update core.stream_frame set at = now() where topic = 'a' and seq_last = 3");
		expect(await make().prune(3_600_000)).toBe(12_001);
		const { head, batches } = await make().read("a", 0);
		expect({ head, data: dataOf(batches) }).toEqual({ head: 3, data: [3] });
	});

	test("[STR-05] the epoch is the same for all processes and after new frames, and differs between databases", async () => {
		const epoch = await make().epoch();
		await publish("a", 1);
		expect(await make().epoch()).toBe(epoch);
		const other = await createTestDatabase();
		expect(await createOutbox({ db: other.db, bus, clock }).epoch()).not.toBe(epoch);
		await other.drop();
	});
});

describe("pruneFramesJob", () => {
	test("one process of the cluster prunes frames that are older than an hour", async () => {
		const asked: number[] = [];
		const outbox: Pick<Outbox, "prune"> = { prune: async (keptMs) => asked.push(keptMs) };
		const job = pruneFramesJob(outbox as Outbox);
		await job.run({ signal: new AbortController().signal });
		expect(asked).toEqual([3_600_000]);
		expect(job.lock).toBe("cluster");
	});
});

describe("renderFrames", () => {
	test("each frame of a batch has its own number and the batch's topic and time", () => {
		const frames = [
			{ type: "market_event", data: { a: 1 } },
			{ type: "floor_update", data: null },
		];
		const rendered = renderFrames({ topic: "t", seqFirst: 7, atMs: 1_700_000_000_123, frames });
		const at = "2023-11-14T22:13:20.123Z";
		expect(rendered.map(({ seq, text }) => ({ seq, frame: JSON.parse(text) }))).toEqual([
			{ seq: 7, frame: { type: "market_event", seq: 7, topic: "t", at, data: { a: 1 } } },
			{ seq: 8, frame: { type: "floor_update", seq: 8, topic: "t", at, data: null } },
		]);
	});
});
