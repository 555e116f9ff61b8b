import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Fees, replacementFees } from "#plugins/wallets/submission/replacementFees.ts";

const fee = fc.bigInt({ min: 0n, max: 10n ** 18n });
const fees = fc.record({ maxFeePerGas: fee, maxPriorityFeePerGas: fee });

test("a replacement offers a tenth more than all it replaces, and today's price at least", () => {
	fc.assert(
		fc.property(fees, fc.array(fees, { maxLength: 4 }), (now: Fees, others: Fees[]) => {
			const { maxFeePerGas, maxPriorityFeePerGas } = replacementFees(now, others);
			for (const other of others) {
				expect(maxFeePerGas * 10n).toBeGreaterThanOrEqual(other.maxFeePerGas * 11n);
				expect(maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(other.maxPriorityFeePerGas * 11n);
				expect(maxFeePerGas).toBeGreaterThan(other.maxFeePerGas);
			}
			expect(maxFeePerGas).toBeGreaterThanOrEqual(now.maxFeePerGas);
			expect(maxPriorityFeePerGas).toBeGreaterThanOrEqual(now.maxPriorityFeePerGas);
			expect(maxFeePerGas).toBeGreaterThanOrEqual(maxPriorityFeePerGas);
		}),
	);
});
