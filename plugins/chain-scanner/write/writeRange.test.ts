import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCopyWriter } from "#core/db/createCopyWriter.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { type Lease, takeLease } from "#core/lease.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { writeRange, yieldingTx } from "#plugins/chain-scanner/write/writeRange.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("writeRange", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table mark (text text)");
	});
	afterAll(() => database.drop());

	const marks = async () => {
		const rows = await database.db.query<{ text: string }>("select text from mark");
		return rows.map(({ text }) => text);
	};

	const writing = {
		chainId: 7,
		lane: "mint",
		range: { from: 1, to: 2 },
		events: [{} as ChainEvent],
		blocks: [],
		pruneBelow: 0,
		live: false,
	} as const;

	const revert = async () => {};

	async function leaseOf(name: string, holder: string) {
		const lease = await takeLease(database.db, { name, holder, durationMs: 0 });
		if (!lease) throw new Error("the lease is taken");
		return lease;
	}

	test("the writes of the sinks and of the commit become visible together or not at all", async () => {
		const lease = await leaseOf("together", "a");
		const sink = (name: string, fail = false) => ({
			name,
			revert,
			async apply(tx: { execute(text: string, values: string[]): Promise<number> }) {
				await tx.execute("insert into mark values ($1)", [name]);
				if (fail) throw new Error("no");
			},
		});
		const commit = async (tx: { execute(text: string): Promise<number> }) => {
			await tx.execute("insert into mark values ('done')");
			return true;
		};
		const write = { ...writing, lease, commit };
		const broken = { db: database.db, sinks: [sink("one"), sink("two", true)] };
		expect(writeRange(broken, write)).rejects.toThrow("no");
		await writeRange(broken, write).catch(() => {});
		expect(await marks()).toEqual([]);
		await writeRange({ db: database.db, sinks: [sink("one"), sink("two")] }, write);
		expect(await marks()).toEqual(["done", "one", "two"]);
	});

	test("[ING-09] a write under a lease that was taken over is refused before a sink is called", async () => {
		const stale = await leaseOf("fence", "a");
		const fresh = await leaseOf("fence", "b");
		let applied = 0;
		const sinks = [{ name: "count", apply: async () => void applied++, revert }];
		const commit = async () => true;
		const options = { db: database.db, sinks };
		expect(writeRange(options, { ...writing, lease: stale, commit })).rejects.toThrow("fenced");
		await writeRange(options, { ...writing, lease: fresh, commit });
		expect(applied).toBe(1);
	});

	test("[ING-09] a cursor that another process moved refuses the rows", async () => {
		const lease = await leaseOf("moved", "a");
		let applied = 0;
		const sinks = [{ name: "count", apply: async () => void applied++, revert }];
		const write = { ...writing, lease, commit: async () => false };
		await expect(writeRange({ db: database.db, sinks }, write)).rejects.toThrow(
			"lane_cursor_moved",
		);
		expect(applied).toBe(0);
	});

	test("lanes of one chain write one after the other, independent of other chains", async () => {
		const [first, second, other] = await Promise.all([
			leaseOf("lane a", "a"),
			leaseOf("lane b", "a"),
			leaseOf("lane c", "a"),
		]);
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		const { promise: inside, resolve: enter } = Promise.withResolvers<void>();
		const order: string[] = [];
		const options = (name: string, wait?: Promise<void>) => ({
			db: database.db,
			sinks: [
				{
					name,
					revert,
					async apply() {
						order.push(`${name} begins`);
						enter();
						await wait;
						order.push(`${name} ends`);
					},
				},
			],
		});
		const commit = async () => true;
		const slow = writeRange(options("slow", opened), { ...writing, lease: first, commit });
		await inside;
		const waiting = writeRange(options("waiting"), { ...writing, lease: second, commit });
		await writeRange(options("other"), { ...writing, chainId: 8, lease: other, commit });
		open();
		await Promise.all([slow, waiting]);
		expect(order).toEqual([
			"slow begins",
			"other begins",
			"other ends",
			"slow ends",
			"waiting begins",
			"waiting ends",
		]);
	});

	test("an early write waits for no other lane, and its second part waits for the lock", async () => {
		const [first, second] = await Promise.all([leaseOf("early a", "a"), leaseOf("early b", "a")]);
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		const { promise: inside, resolve: enter } = Promise.withResolvers<void>();
		const { promise: stored, resolve: store } = Promise.withResolvers<void>();
		const order: string[] = [];
		const held = {
			name: "held",
			revert,
			async apply() {
				enter();
				await opened;
				order.push("held ends");
			},
		};
		const early = {
			name: "early",
			revert,
			apply: () => Promise.reject(new Error("was stored early")),
			async storeEarly() {
				order.push("early begins");
				store();
				return async (tx: Tx) => {
					await tx.query("select");
					order.push("early ends");
					return true;
				};
			},
		};
		const commit = async () => true;
		const { db } = database;
		const slow = writeRange({ db, sinks: [held] }, { ...writing, lease: first, commit });
		await inside;
		const waiting = writeRange({ db, sinks: [early] }, { ...writing, lease: second, commit });
		await stored;
		open();
		await Promise.all([slow, waiting]);
		expect(order).toEqual(["early begins", "held ends", "early ends"]);
	});

	test("[ING-09] early writes are undone with a refused write, and applied again if their sink asks for it", async () => {
		await database.db.execute("delete from mark");
		const stale = await leaseOf("undo", "a");
		const lease = await leaseOf("undo", "b");
		const mark = (tx: Tx, text: string) => tx.execute("insert into mark values ($1)", [text]);
		const sink = (isRight: boolean) => ({
			name: "early",
			revert,
			apply: async (tx: Tx) => void (await mark(tx, "applied")),
			async storeEarly(tx: Tx) {
				await mark(tx, "early");
				return async () => isRight;
			},
		});
		const commit = async () => true;
		const write = (given: Lease, isRight: boolean, live = false) =>
			writeRange(
				{ db: database.db, sinks: [sink(isRight)] },
				{ ...writing, lease: given, live, commit },
			);
		await expect(write(stale, true)).rejects.toThrow("fenced");
		await expect(write(stale, false)).rejects.toThrow("fenced");
		expect(await marks()).toEqual([]);
		await write(lease, false);
		expect(await marks()).toEqual(["applied"]);
		await write(lease, true);
		await write(lease, true, true);
		expect(await marks()).toEqual(["applied", "early", "applied"]);
	});
});

describe("yieldingTx", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table taken (id int4)");
	});
	afterAll(() => database.drop());

	const taken = async () => {
		const rows = await database.db.query<{ id: number }>("select id from taken order by id");
		return rows.map(({ id }) => id);
	};

	test("the next statement fails once the transaction must yield, and the transaction is undone", async () => {
		const writer = createCopyWriter(32);
		writer.row(1);
		writer.int4(3);
		const row = writer.take();
		const attempts = [
			(tx: ReturnType<typeof yieldingTx>) => tx.execute("insert into taken values (2)"),
			(tx: ReturnType<typeof yieldingTx>) => tx.query("select 1"),
			(tx: ReturnType<typeof yieldingTx>) => tx.copy("taken (id)", [row]),
		];
		for (const attempt of attempts) {
			const failed = database.db.transaction(async (raw) => {
				let isWanted = false;
				const tx = yieldingTx(raw, () => isWanted);
				await tx.execute("insert into taken values (1)");
				isWanted = true;
				await attempt(tx);
			});
			const error = await failed.catch((thrown) => thrown);
			expect(error).toBeInstanceOf(Fault);
			expect(error.code).toBe("lane_gave_way");
		}
		expect(await taken()).toEqual([]);
	});

	test("the last steps of a yielding transaction still run, because only the commit is left", async () => {
		let isWanted = false;
		await database.db.transaction(async (raw) => {
			const tx = yieldingTx(raw, () => isWanted);
			tx.beforeCommit(async () => void (await tx.execute("insert into taken values (7)")));
			isWanted = true;
		});
		expect(await taken()).toEqual([7]);
	});
});
