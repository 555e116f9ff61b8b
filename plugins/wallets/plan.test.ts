import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Plan } from "#plugins/wallets/model.ts";
import { hashBatch, hashPlan, planCodec } from "#plugins/wallets/plan.ts";

// Guarantee: a plan is stored and read without losing a unit, and what is agreed to is all of it.

const hex = (bytes: number) => {
	return fc
		.uint8Array({ minLength: bytes, maxLength: bytes })
		.map((one) => `0x${Buffer.from(one).toString("hex")}` as const);
};
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const plan: fc.Arbitrary<Plan> = fc.record({
	chainId: fc.integer({ min: 1, max: 10 ** 9 }),
	from: hex(20),
	to: hex(20),
	valueRaw: units,
	data: fc.integer({ min: 0, max: 40 }).chain(hex),
	spend: fc.record({
		currency: hex(20),
		raw: units,
		decimals: fc.integer({ min: 0, max: 77 }),
		symbol: fc.string({ maxLength: 10 }),
	}),
	recipient: fc.option(hex(20)),
	shown: fc.dictionary(
		fc.string({ maxLength: 8 }).filter((name) => name !== "__proto__"),
		fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
		{ maxKeys: 5 },
	),
	expiresAtMs: fc.integer({ min: 0, max: 10 ** 13 }),
});

test("a plan is the same after JSON and PostgreSQL, with the same hash", () => {
	fc.assert(
		fc.property(plan, (one) => {
			const stored = JSON.parse(JSON.stringify(planCodec.write(one)));
			const read = planCodec.read(stored);
			expect(read).toEqual({ ...one, shown: { ...one.shown } });
			expect(hashPlan(read)).toBe(hashPlan(one));
		}),
		{ numRuns: 200 },
	);
});

test("a stored plan that was altered is not read", () => {
	const good = planCodec.write(fc.sample(plan, { numRuns: 1, seed: 1 })[0] as Plan);
	for (const bad of [
		{ ...good, valueRaw: "-1" },
		{ ...good, valueRaw: "1e18" },
		{ ...good, valueRaw: 1 },
		{ ...good, valueRaw: "01" },
		{ ...good, to: "0x1" },
		{ ...good, data: "0x1" },
		{ ...good, data: "0xZZ" },
		{ ...good, recipient: undefined },
		null,
	]) {
		expect(() => planCodec.read(bad)).toThrow();
	}
});

test("the hash changes with each member except the plan's expiry", () => {
	fc.assert(
		fc.property(plan, plan, (one, other) => {
			for (const name of Object.keys(one) as (keyof Plan)[]) {
				const changed = { ...one, [name]: other[name] };
				const isSame = Bun.deepEquals(one[name], other[name]) || name === "expiresAtMs";
				expect({ name, same: hashPlan(changed) === hashPlan(one) }).toEqual({
					name,
					same: isSame,
				});
			}
			for (const part of ["currency", "raw", "symbol"] as const) {
				const spend = { ...one.spend, [part]: other.spend[part] };
				const isSame = one.spend[part] === other.spend[part];
				expect(hashPlan({ ...one, spend }) === hashPlan(one)).toBe(isSame);
			}
		}),
		{ numRuns: 100 },
	);
});

test("the order of the displayed items does not change the hash", () => {
	const [one] = fc.sample(plan, { numRuns: 1, seed: 2 });
	if (!one) throw new Error("no plan");
	const a = { ...one, shown: { x: 1, y: { b: 1, a: 2 } } };
	expect(hashPlan(a)).toBe(hashPlan({ ...one, shown: { y: { a: 2, b: 1 }, x: 1 } }));
});

test("a batch's hash is that of all its plans, in any order; that of one plan is its own", () => {
	const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
	const one = { id: "1", planHash: hash("1") };
	const two = { id: "2", planHash: hash("2") };
	expect(hashBatch([one])).toBe(hash("1"));
	expect(hashBatch([one, two])).toBe(hashBatch([two, one]));
	const others = [
		hashBatch([one, { ...two, planHash: hash("3") }]),
		hashBatch([one, { id: "0", planHash: hash("2") }]),
		hashBatch([one]),
		hashBatch([one, two, two]),
	];
	for (const other of others) expect(other).not.toBe(hashBatch([one, two]));
	expect(hashBatch([one, { id: "2", planHash: null }])).toBeNull();
	expect(hashBatch([])).toBeNull();
});
