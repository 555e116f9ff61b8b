import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	type CopyWriter,
	copyBegin,
	copyEnd,
	createCopyWriter,
	numericBytesMax,
	writeNumeric,
} from "#core/db/createCopyWriter.ts";
import { AssertionFailed } from "#core/fault.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createCopyWriter", () => {
	const numRuns = Bun.env.PROVE ? 2_000 : 60;

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	type Column<Value> = {
		type: string;
		write: (writer: CopyWriter, value: Value) => void;
		edges: readonly Value[];
		values: fc.Arbitrary<Value>;
		/** The expression by which the server is asked for the column `it`. */
		read: string;
		arrives: (value: Value) => unknown;
	};

	/** For values that are exact as the server's own text. */
	const asText = { read: "it::text", arrives: String };
	const INT8_MAX = Number.MAX_SAFE_INTEGER;
	/** The earliest time of the server's calendar: 4714 BC. */
	const TIME_MIN = -210_866_803_200_000;
	const UINT256_MAX = 2n ** 256n - 1n;
	const SPECIAL = "\t\n\r\\N\\.\\x00\b\"',;";

	const columns: readonly Column<any>[] = [
		{
			type: "bool",
			write: (writer, value: boolean) => writer.bool(value),
			edges: [true, false],
			values: fc.boolean(),
			...asText,
		},
		{
			type: "int2",
			write: (writer, value: number) => writer.int2(value),
			edges: [0, 1, -1, 32_767, -32_768],
			values: fc.integer({ min: -32_768, max: 32_767 }),
			...asText,
		},
		{
			type: "int4",
			write: (writer, value: number) => writer.int4(value),
			edges: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
			values: fc.integer(),
			...asText,
		},
		{
			type: "int8",
			write: (writer, value: number) => writer.int8(value),
			edges: [
				0,
				1,
				-1,
				2 ** 31,
				2 ** 32 - 1,
				2 ** 32,
				-(2 ** 32),
				-(2 ** 32) - 1,
				INT8_MAX,
				-INT8_MAX,
			],
			values: fc.maxSafeInteger(),
			...asText,
		},
		{
			type: "timestamptz",
			write: (writer, value: number) => writer.time(value),
			edges: [
				0,
				1,
				-1,
				946_684_800_000,
				946_684_799_999,
				946_684_800_000 + 2 ** 32,
				1_700_000_000_123,
				Date.UTC(1066, 9, 14, 9, 0, 0, 7),
				Date.UTC(9999, 11, 31, 23, 59, 59, 999),
				INT8_MAX,
				TIME_MIN,
			],
			values: fc.integer({ min: TIME_MIN, max: INT8_MAX }),
			// The server keeps microseconds, so a wrong one would be visible.
			read: "trim_scale(extract(epoch from it) * 1000)::text",
			arrives: String,
		},
		{
			type: "bytea",
			write: (writer, value: string) => writer.bytes(value),
			edges: ["0x", "0x00", "0xff", "0xaBcDeF", `0x${"00".repeat(32)}`, `0x${"5c".repeat(60_000)}`],
			values: fc.stringMatching(/^0x([0-9a-fA-F]{2}){0,70}$/),
			read: "'0x' || encode(it, 'hex')",
			arrives: (value: string) => value.toLowerCase(),
		},
		{
			type: "numeric",
			write: (writer, value: bigint) => writer.numeric(value),
			edges: [
				0n,
				1n,
				9_999n,
				10_000n,
				2n ** 53n - 1n,
				2n ** 53n,
				10n ** 18n,
				UINT256_MAX,
				10n ** 999n,
			],
			values: fc.oneof(fc.bigInt(0n, 2n ** 64n), fc.bigInt(0n, UINT256_MAX)),
			...asText,
		},
		{
			type: "text",
			write: (writer, value: string) => writer.text(value),
			edges: [
				"",
				" ",
				SPECIAL,
				"naïve café",
				"語",
				"👩‍👩‍👧",
				"x".repeat(120_000),
				"é👍".repeat(50_000),
			],
			// Without NUL, which the server cannot store.
			values: fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", SPECIAL)),
			read: "it",
			arrives: (value: string) => value,
		},
		{
			type: "jsonb",
			write: (writer, value: unknown) => writer.json(JSON.stringify(value)),
			edges: [
				{},
				[],
				0,
				"",
				null,
				true,
				{ a: [{ b: SPECIAL }, "👍"] },
				{ long: "y".repeat(120_000) },
			],
			values: fc
				.jsonValue({ stringUnit: "binary" })
				.filter((value) => !/\\u0000|__proto__/.test(JSON.stringify(value))),
			read: "it::text",
			arrives: (value: unknown) => JSON.parse(JSON.stringify(value)),
		},
	];

	/** A value for each column; `undefined` stands for null, because null is a value of jsonb. */
	type Row = readonly unknown[];
	const rowOf: fc.Arbitrary<Row> = fc.tuple(
		...columns.map(({ values }) => fc.option(values, { nil: undefined })),
	);
	const rows = fc.array(rowOf, { maxLength: 20 });

	/** Rows that each repeat some values of the one before, as consecutive events do. */
	const alike: fc.Arbitrary<Row[]> = fc
		.array(fc.tuple(rowOf, fc.array(fc.boolean(), { minLength: columns.length })), {
			maxLength: 20,
		})
		.map((drawn) => {
			let before: Row = columns.map(() => undefined);
			return drawn.map(([row, isNew]) => {
				before = row.map((value, at) => (isNew[at] ? value : before[at]));
				return before;
			});
		});

	/** The writer's first buffer size, and after how many calls it is emptied. */
	type Way = { bytesFirst: number; callsPerChunk: number };
	const ways: fc.Arbitrary<Way> = fc.record({
		bytesFirst: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(100_000)),
		callsPerChunk: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)),
	});

	function* chunksOf(written: readonly Row[], { bytesFirst, callsPerChunk }: Way) {
		const writer = createCopyWriter(bytesFirst);
		let calls = 0;
		for (const [index, row] of written.entries()) {
			const writes = [
				() => writer.row(1 + columns.length),
				() => writer.int4(index),
				...columns.map(({ write }, at) => () => {
					if (row[at] === undefined) writer.null();
					else write(writer, row[at]);
				}),
			];
			for (const write of writes) {
				write();
				if (++calls % callsPerChunk === 0) yield writer.take();
			}
		}
		yield writer.take();
	}

	/** Copies rows into a table with such columns and reads them back, in their order. */
	function copied(written: readonly Row[], way: Way): Promise<Row[]> {
		const named = columns.map(({ type, read }) => ({
			type,
			read: read.replace("it", `"${type}"`),
		}));
		return database.db.transaction(async (tx) => {
			const table = named.map(({ type }) => `"${type}" ${type}`).join(", ");
			await tx.execute(`create temporary table copied (index int4, ${table}) on commit drop`);
			expect(await tx.copy("copied", chunksOf(written, way))).toBe(written.length);
			const reads = named.map(({ type, read }) => `${read} as "${type}"`).join(", ");
			const read = await tx.query<Record<string, string | null>>(
				`select ${reads} from copied order by index`,
			);
			return read.map((row) =>
				columns.map(({ type }) => {
					const value = row[type];
					if (value === null || value === undefined) return undefined;
					return type === "jsonb" ? JSON.parse(value) : value;
				}),
			);
		});
	}

	function arrived(written: readonly Row[]): Row[] {
		return written.map((row) =>
			columns.map(({ arrives }, at) => (row[at] === undefined ? undefined : arrives(row[at]))),
		);
	}

	const WHOLE: Way = { bytesFirst: 1_000_000, callsPerChunk: Number.POSITIVE_INFINITY };
	const most = Math.max(...columns.map(({ edges }) => edges.length));
	const edgeRows: Row[] = Array.from({ length: most }, (_, index) =>
		columns.map(({ edges }) => edges[index % edges.length]),
	);

	describe("written rows", () => {
		test("any row arrives in the table, for any values, buffer size and chunks", async () => {
			await fc.assert(
				fc.asyncProperty(rows, ways, async (written, way) => {
					expect(await copied(written, way)).toEqual(arrived(written));
				}),
				// Shrinking would keep the server busy for minutes.
				{ numRuns, endOnFailure: true },
			);
		});

		test("a value that repeats the one of the row before arrives, also after the buffer grew or was taken", async () => {
			await fc.assert(
				fc.asyncProperty(alike, ways, async (written, way) => {
					expect(await copied(written, way)).toEqual(arrived(written));
				}),
				{ numRuns, endOnFailure: true },
			);
		});

		test("the smallest and the largest value of a type arrive, also when the buffer grows while writing", async () => {
			for (const bytesFirst of [0, 1, 37, 100_000, 1_000_000]) {
				const way = { ...WHOLE, bytesFirst };
				expect(await copied(edgeRows, way)).toEqual(arrived(edgeRows));
			}
		});

		test("a null arrives in each column, and beside values in the other columns", async () => {
			const values = columns.map(({ edges }) => edges[1]);
			const nulls = columns.map(() => undefined);
			const oneNull = columns.map((_, at) => values.with(at, undefined));
			const oneValue = columns.map((_, at) => (nulls as unknown[]).with(at, values[at]));
			const written = [nulls, ...oneNull, ...oneValue];
			expect(await copied(written, WHOLE)).toEqual(arrived(written));
		});

		test("the written bytes are the same for any buffer size and chunks", () => {
			fc.assert(
				fc.property(rows, ways, (written, way) => {
					const whole = Buffer.concat([...chunksOf(written, WHOLE)]);
					expect(Buffer.concat([...chunksOf(written, way)]).equals(whole)).toBe(true);
				}),
				{ numRuns: 5 * numRuns },
			);
		});

		test("a lone surrogate arrives as the replacement character", async () => {
			const at = columns.findIndex(({ type }) => type === "text");
			const halves = ["\ud83d", "a\ude00b", "\ude00\ud83d", "\ud83d👍\ud83d"];
			const empty: Row = columns.map(() => undefined);
			const read = await copied(
				halves.map((half) => empty.with(at, half)),
				WHOLE,
			);
			expect(read.map((row) => row[at])).toEqual(halves.map((half) => half.toWellFormed()));
		});

		test("a NUL arrives as the replacement character, plain and in JSON, and refuses no other row", async () => {
			await database.db.execute("create table strangers (words text, document jsonb)");
			const writer = createCopyWriter(64);
			for (const words of ["sold\0out", "fine", "\0"]) {
				writer.row(2);
				writer.text(words);
				writer.json(JSON.stringify({ words: `${words}\ud83d` }));
			}
			await database.db.transaction((tx) => tx.copy("strangers", [writer.take()]));
			const kept = await database.db.query<{ words: string; told: string }>(
				"select words, document->>'words' as told from strangers order by words",
			);
			const clean = ["sold\ufffdout", "fine", "\ufffd"];
			expect(kept.map(({ words }) => words).toSorted()).toEqual(clean.toSorted());
			expect(kept.map(({ told }) => told).toSorted()).toEqual(
				clean.map((words) => `${words}\ufffd`).toSorted(),
			);
			await database.db.execute("drop table strangers");
		});

		test("the server refuses a value that it does not know, and stores nothing of the copy", async () => {
			const unknown: [string, (writer: CopyWriter) => void][] = [
				["jsonb", (writer) => writer.json("")],
				["jsonb", (writer) => writer.json("{")],
				["timestamptz", (writer) => writer.time(TIME_MIN - 1)],
				["timestamptz", (writer) => writer.time(-INT8_MAX)],
				["numeric(78)", (writer) => writer.numeric(10n ** 78n)],
			];
			for (const [type, write] of unknown) {
				const writer = createCopyWriter(64);
				writer.row(1);
				write(writer);
				await database.db.execute(`create table refused (it ${type})`);
				const copying = database.db.transaction((tx) => tx.copy("refused", [writer.take()]));
				const error = await copying.catch((thrown) => thrown);
				expect(String(error.code)).toMatch(/^22/);
				expect(await database.db.query("select * from refused")).toEqual([]);
				await database.db.execute("drop table refused");
			}
		});
	});

	describe("the buffer", () => {
		test("a buffer that was taken belongs to the caller: later writes do not change it", () => {
			fc.assert(
				fc.property(rows, rows, fc.integer({ min: 0, max: 5_000 }), (first, second, bytesFirst) => {
					const writer = createCopyWriter(bytesFirst);
					const write = (written: readonly Row[]) => {
						for (const row of written) {
							for (const [at, { write }] of columns.entries()) {
								if (row[at] === undefined) writer.null();
								else write(writer, row[at]);
							}
						}
					};
					write(first);
					const taken = writer.take();
					const before = Buffer.from(taken);
					write(second);
					expect(taken.equals(before)).toBe(true);
					taken.fill(0xee);
					const next = writer.take();
					write(second);
					expect(writer.take().equals(next)).toBe(true);
				}),
				{ numRuns: 5 * numRuns },
			);
		});

		test("the length is the number of bytes not yet taken, and zero after they were taken", () => {
			const writer = createCopyWriter(1);
			expect(writer.length).toBe(0);
			expect(writer.take()).toHaveLength(0);
			const writes: [() => void, number][] = [
				[() => writer.row(3), 2],
				[() => writer.null(), 4],
				[() => writer.bool(true), 5],
				[() => writer.int2(1), 6],
				[() => writer.int4(1), 8],
				[() => writer.int8(1), 12],
				[() => writer.time(1), 12],
				[() => writer.bytes("0x"), 4],
				[() => writer.bytes("0x010203"), 7],
				[() => writer.numeric(0n), 12],
				[() => writer.numeric(UINT256_MAX), 52],
				[() => writer.text("é"), 6],
				[() => writer.json("{}"), 7],
			];
			let expected = 0;
			for (const [write, bytes] of writes) {
				write();
				expected += bytes;
				expect(writer.length).toBe(expected);
			}
			expect(writer.take()).toHaveLength(expected);
			expect(writer.length).toBe(0);
			expect(writer.take()).toHaveLength(0);
		});

		test("the bytes before and after all rows cannot be changed by a caller", () => {
			copyBegin().fill(0);
			copyEnd().fill(0);
			expect(copyBegin().toString("latin1")).toBe(`PGCOPY\n\xff\r\n\0${"\0".repeat(8)}`);
			expect([...copyEnd()]).toEqual([255, 255]);
		});
	});

	describe("a value that its column would change is refused", () => {
		const refuses = (write: (writer: CopyWriter) => void) => {
			// One that has room, and one that must grow first.
			for (const bytesFirst of [1_000, 0]) {
				const writer = createCopyWriter(bytesFirst);
				writer.row(1);
				expect(() => write(writer)).toThrow(AssertionFailed);
				expect(writer.length).toBe(2);
				// As if nothing had happened.
				writer.null();
				expect(writer.take().toString("hex")).toBe("0001ffffffff");
			}
		};
		const noNumbers = [0.5, -0.5, 1.000001, Number.NaN, Number.POSITIVE_INFINITY];
		const numbers: Record<string, readonly number[]> = {
			int2: [32_768, -32_769, 65_535, 65_536, 65_541, 2 ** 31, 2 ** 32, 2 ** 32 + 1, INT8_MAX],
			int4: [2 ** 31, -(2 ** 31) - 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, INT8_MAX],
			int8: [2 ** 53, -(2 ** 53), 2 ** 63, 2 ** 64, 1e300],
			time: [2 ** 53, -(2 ** 53), 1_700_000_000_000.5, 1e300],
		};
		for (const [name, beyond] of Object.entries(numbers)) {
			test(`a number that ${name} cannot hold is refused`, () => {
				const method = name as "int2" | "int4" | "int8" | "time";
				for (const value of [...beyond, ...noNumbers]) refuses((writer) => writer[method](value));
			});
		}

		test("any number outside of int2 or int4 is refused", () => {
			const numbers = fc.oneof(fc.double(), fc.maxSafeInteger());
			const isWithin = (value: number, bound: number) =>
				Number.isInteger(value) && value >= -bound && value < bound;
			fc.assert(
				fc.property(numbers, (value) => {
					if (!isWithin(value, 2 ** 15)) refuses((writer) => writer.int2(value));
					if (!isWithin(value, 2 ** 31)) refuses((writer) => writer.int4(value));
				}),
				{ numRuns: 20 * numRuns },
			);
		});

		test("an amount with more digits than PostgreSQL supports is refused", () => {
			for (const digits of [131_072n, 131_076n, 262_144n, 300_000n]) {
				refuses((writer) => writer.numeric(10n ** digits));
			}
		});

		test("an amount below zero is refused", () => {
			for (const value of [-1n, -9_999n, -(2n ** 53n), -(2n ** 53n) - 1n, -UINT256_MAX]) {
				refuses((writer) => writer.numeric(value));
			}
			refuses((writer) => writer.numeric(-(10n ** 400n)));
		});

		const hex: Record<string, readonly string[]> = {
			"too short": ["", "0", "x"],
			odd: ["0x0", "0x123", `0x${"a".repeat(63)}`],
			"without 0x": ["00", "ff00", "0Xff", "x0ff", " 0xff", "\\xff", "zzff"],
			"with a letter that is no digit": ["0xg0", "0x0g", "0x/0", "0x:0", "0x@0", "0x`0", "0x0G"],
			"with a sign or a space": [
				"0x-1",
				"0x+1",
				"0x 1",
				"0x1 ",
				"0x\n\n",
				"0x1_",
				"0x..",
				"0x\0\0",
			],
			"with a letter whose lower byte looks like a digit": [
				"0x\ua6610",
				"0x0\ua661",
				"0x\ua661\ua661",
				"0x\u01300",
				"0x\u01310",
				"0x０0",
				"0x0\uff41",
				"0x٠٠",
			],
			"with half of a pair": ["0x\ud83d0", "0x\ude61\ude61", "0x👍"],
		};
		for (const [what, texts] of Object.entries(hex)) {
			test(`hex ${what} is refused`, () => {
				for (const text of texts) refuses((writer) => writer.bytes(text));
			});
		}

		test("any text that is not hex of whole bytes is refused", () => {
			const spoiled = fc
				.tuple(
					fc.stringMatching(/^0x([0-9a-f]{2}){1,40}$/),
					fc.nat(),
					fc.string({ unit: "binary" }),
				)
				.map(([whole, at, put]) => {
					const place = at % whole.length;
					return whole.slice(0, place) + put + whole.slice(place + 1);
				});
			fc.assert(
				fc.property(fc.oneof(fc.string({ unit: "binary" }), spoiled), (text) => {
					fc.pre(!/^0x([0-9a-fA-F]{2})*$/.test(text));
					refuses((writer) => writer.bytes(text));
				}),
				{ numRuns: 20 * numRuns },
			);
		});
	});
});

describe("writeNumeric", () => {
	const numRuns = Bun.env.PROVE ? 100_000 : 3_000;

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const UINT256_MAX = 2n ** 256n - 1n;

	/**
	 * Values around each power of two and of ten, where the number of digits and the code path
	 * change.
	 */
	const around = [
		...Array.from({ length: 400 }, (_, power) => 2n ** BigInt(power)),
		...Array.from({ length: 120 }, (_, power) => 10n ** BigInt(power)),
	].flatMap((value) => [value - 1n, value, value + 1n]);

	const values = fc.oneof(
		fc.bigInt(0n, 2n ** 64n),
		fc.bigInt(0n, UINT256_MAX),
		fc.bigInt(0n, 2n ** 4_000n),
		// Values whose low digits are zeros, as amounts of ether have.
		fc
			.tuple(fc.bigInt(0n, 2n ** 60n), fc.nat(60))
			.map(([value, zeros]) => value * 10n ** BigInt(zeros)),
	);

	/** Returns what the server stores for the values, as its own text. */
	function kept(written: readonly bigint[]): Promise<string[]> {
		const writer = createCopyWriter(64);
		for (const [index, value] of written.entries()) {
			writer.row(2);
			writer.int4(index);
			writer.numeric(value);
		}
		return database.db.transaction(async (tx) => {
			await tx.execute("create temporary table kept (index int4, it numeric) on commit drop");
			await tx.copy("kept", [writer.take()]);
			const rows = await tx.query<{ it: string }>("select it::text as it from kept order by index");
			return rows.map(({ it }) => it);
		});
	}

	test("PostgreSQL stores the written number, around every power of two and ten", async () => {
		expect(await kept(around)).toEqual(around.map(String));
	});

	test("PostgreSQL stores the written number, for any number", async () => {
		const written = fc.sample(values, numRuns);
		expect(await kept(written)).toEqual(written.map(String));
	});

	test("PostgreSQL stores the longest number that it supports, and a longer one fails an assertion", async () => {
		const longest = 10n ** 131_072n - 1n;
		expect(await kept([longest])).toEqual([String(longest)]);
		const view = new DataView(new ArrayBuffer(400_000));
		for (const longer of [longest + 1n, 10n ** 262_150n]) {
			expect(() => writeNumeric(view, 0, longer)).toThrow("beyond");
		}
	});

	test("PostgreSQL stores a written number in the same bytes as the one it reads from text", async () => {
		const written = [0n, 1n, 10_000n, 10n ** 18n, UINT256_MAX];
		const writer = createCopyWriter(64);
		for (const value of written) {
			writer.row(1);
			writer.numeric(value);
		}
		const sent = await database.db.transaction(async (tx) => {
			await tx.execute("create temporary table sent (it numeric) on commit drop");
			await tx.copy("sent", [writer.take()]);
			return tx.query<{ same: boolean }>(
				`select numeric_send(it) = numeric_send(it::text::numeric) as same from sent`,
			);
		});
		expect(sent).toEqual(written.map(() => ({ same: true })));
	});

	test("writing a number uses at most the bytes that numericBytesMax gives", () => {
		const MARK = 0xee;
		fc.assert(
			fc.property(fc.oneof(values, fc.constantFrom(...around)), fc.nat(40), (value, at) => {
				const bytes = new Uint8Array(at + numericBytesMax(value) + 8).fill(MARK);
				const written = writeNumeric(new DataView(bytes.buffer), at, value);
				expect(written).toBeLessThanOrEqual(numericBytesMax(value));
				expect(bytes.subarray(0, at).every((byte) => byte === MARK)).toBe(true);
				expect(bytes.subarray(at + written).every((byte) => byte === MARK)).toBe(true);
			}),
			{ numRuns },
		);
	});

	test("an amount below zero fails an assertion", () => {
		const view = new DataView(new ArrayBuffer(200));
		for (const value of [-1n, -(2n ** 53n), -UINT256_MAX, -(10n ** 400n)]) {
			expect(() => writeNumeric(view, 0, value)).toThrow("below zero");
		}
	});
});
