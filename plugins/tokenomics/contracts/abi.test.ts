import { expect, test } from "bun:test";
import fc from "fast-check";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { NOTHING_CARRIED, shareOut } from "./abi.ts";

const SHARES = [3_500, 1_500, 2_000, 3_000];
const WHOLE = 10_000n;

const amount = fc.oneof(
	fc.bigInt({ min: 1n, max: 3n }),
	fc.bigInt({ min: 1n, max: 1_000n }),
	fc.bigInt({ min: 1n, max: 10n ** 30n }),
);
const split = fc
	.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 10_000 })))
	.map((cuts) => cuts.sort((a, b) => a - b))
	.map(([a = 0, b = 0, c = 0]) => [a, b - a, c - b, 10_000 - c]);
const deposit = fc.record({ label: fc.nat({ max: 299 }), amount });
const sum = (shares: readonly bigint[]) => shares.reduce((all, one) => all + one, 0n);

type Deposit = { label: number; amount: bigint };

/** Returns what each bucket earned, and what it should have exactly, in ten thousandths. */
function shareAll(deposits: readonly Deposit[], splits: readonly (readonly number[])[]) {
	let carried = NOTHING_CARRIED;
	const earned = [0n, 0n, 0n, 0n];
	const exact = [0n, 0n, 0n, 0n];
	for (const { label, amount: raw } of deposits) {
		const bps = splits[label % splits.length] ?? SHARES;
		const out = shareOut(raw, bps, carried);
		carried = out.carried;
		for (const [bucket, share] of out.shares.entries()) {
			expect(share >= 0n).toBe(true);
			earned[bucket] = (earned[bucket] ?? 0n) + share;
			exact[bucket] = (exact[bucket] ?? 0n) + raw * BigInt(bps[bucket] ?? 0);
		}
		expect(sum(out.shares)).toBe(raw);
		expect(carried).toEqual(exact.map((all, at) => all - (earned[at] ?? 0n) * WHOLE));
	}
	return { earned, exact };
}

test("no bucket is a unit above its exact share of all deposits, or two below, for any labels and splits", () => {
	const many = fc.array(deposit, { minLength: 1, maxLength: 300 });
	fc.assert(
		fc.property(many, fc.array(split, { minLength: 1, maxLength: 300 }), (deposits, splits) => {
			const { earned, exact } = shareAll(deposits, splits);
			for (const [bucket, all] of exact.entries()) {
				const short = all - (earned[bucket] ?? 0n) * WHOLE;
				expect(short > -WHOLE && short < 2n * WHOLE).toBe(true);
			}
		}),
		{ seed: TEST_SEED },
	);
});

test("deposits of one split earn the same under any labels, and whole units are exact", () => {
	const many = fc.array(deposit, { minLength: 1, maxLength: 300 });
	fc.assert(
		fc.property(many, split, (deposits, bps) => {
			const named = shareAll(deposits, [bps]);
			const alike = deposits.map((one) => ({ ...one, label: 0 }));
			expect(shareAll(alike, [bps]).earned).toEqual(named.earned);
			// The rest up to a multiple of ten thousand: then each bucket's share is a whole number.
			const rest = WHOLE - (sum(deposits.map((one) => one.amount)) % WHOLE);
			const { earned, exact } = shareAll([...deposits, { label: 7, amount: rest }], [bps]);
			expect(earned).toEqual(exact.map((all) => all / WHOLE));
		}),
		{ seed: TEST_SEED },
	);
});

test("a hundred deposits of one unit earn 35, 15, 20 and 30, as the default split says", () => {
	const ones = Array.from({ length: 100 }, (_, label) => ({ label, amount: 1n }));
	expect(shareAll(ones, [SHARES]).earned).toEqual([35n, 15n, 20n, 30n]);
	expect(shareOut(10n ** 18n, SHARES, NOTHING_CARRIED).shares).toEqual([
		...[350_000_000_000_000_000n, 150_000_000_000_000_000n],
		...[200_000_000_000_000_000n, 300_000_000_000_000_000n],
	]);
});
