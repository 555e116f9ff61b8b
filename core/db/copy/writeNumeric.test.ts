import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createCopyWriter } from "#core/db/copy/createCopyWriter.ts";
import { numericBytesMax, writeNumeric } from "#core/db/copy/writeNumeric.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const numRuns = Bun.env.PROVE ? 100_000 : 3_000;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const UINT256_MAX = 2n ** 256n - 1n;

/**
 * Values around each power of two and of ten, where the number of digits and the code path change.
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

test("the server keeps what was written, around every power of two and ten", async () => {
	expect(await kept(around)).toEqual(around.map(String));
});

test("the server keeps what was written, whatever it is", async () => {
	const written = fc.sample(values, numRuns);
	expect(await kept(written)).toEqual(written.map(String));
});

test("the server keeps the longest that it can hold, and a longer one is our own mistake", async () => {
	const longest = 10n ** 131_072n - 1n;
	expect(await kept([longest])).toEqual([String(longest)]);
	const view = new DataView(new ArrayBuffer(400_000));
	for (const longer of [longest + 1n, 10n ** 262_150n]) {
		expect(() => writeNumeric(view, 0, longer)).toThrow("beyond");
	}
});

test("a value that was written is kept as its like that was read from text, without zeros behind it", async () => {
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

test("nothing is written beyond what it asks for, nor beyond what it says", () => {
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

test("an amount below zero is our own mistake", () => {
	const view = new DataView(new ArrayBuffer(200));
	for (const value of [-1n, -(2n ** 53n), -UINT256_MAX, -(10n ** 400n)]) {
		expect(() => writeNumeric(view, 0, value)).toThrow("below zero");
	}
});
