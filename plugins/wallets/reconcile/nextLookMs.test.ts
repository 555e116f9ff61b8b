import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SubmissionState } from "#plugins/wallets/model.ts";
import { nextLookMs } from "#plugins/wallets/reconcile/looks.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

const NOW_MS = 10 ** 12;
const OPEN: readonly SubmissionState[] = ["sending", "sent", "doubtful", "dropped"];
const STATES: readonly SubmissionState[] = [...OPEN, "mined", "reverted", "never", "queued"];

function submissionOf(state: SubmissionState, ageMs: number, sent = true): Submission {
	const atMs = NOW_MS - ageMs;
	return {
		id: "s",
		intentId: "i",
		purpose: "pay",
		walletId: "w",
		chainId: 1,
		sender: `0x${"1".repeat(40)}`,
		nonce: 0,
		state,
		providerTransactionId: null,
		transactionHash: null,
		blockNumber: null,
		blockHash: null,
		seenNonce: null,
		seenAtMs: null,
		fromBlock: 0,
		gasLimit: 1n,
		validUntilMs: null,
		session: null,
		createdAtMs: atMs,
		sentAtMs: sent ? atMs : null,
		finalAtMs: null,
	};
}

test("an open submission is looked up again within half an hour, and never without a pause", () => {
	fc.assert(
		fc.property(
			fc.constantFrom(...STATES),
			fc.integer({ min: -60_000, max: 10 ** 10 }),
			fc.boolean(),
			(state, ageMs, sent) => {
				const waitMs = nextLookMs(submissionOf(state, ageMs, sent), NOW_MS);
				expect(waitMs).toBeGreaterThanOrEqual(1_000);
				expect(waitMs).toBeLessThanOrEqual(30 * 60_000);
			},
		),
	);
});

test("a submission that may have been sent is looked up each second at first, then every 5 minutes", () => {
	for (const state of OPEN) {
		expect(nextLookMs(submissionOf(state, 0), NOW_MS)).toBe(1_000);
		expect(nextLookMs(submissionOf(state, 119_999), NOW_MS)).toBe(1_000);
		expect(nextLookMs(submissionOf(state, 10 ** 9), NOW_MS)).toBe(300_000);
	}
});

test("a submission is looked up less often the longer it stays open", () => {
	for (const state of STATES) {
		const waits = [0, 60_000, 600_000, 6_000_000].map((ageMs) => {
			return nextLookMs(submissionOf(state, ageMs), NOW_MS);
		});
		expect(waits).toEqual([...waits].sort((one, other) => one - other));
	}
});
