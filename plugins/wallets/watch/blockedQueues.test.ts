import { expect, test } from "bun:test";
import { blockedQueues } from "#plugins/wallets/watch/blockedQueues.ts";
import type { JudgedIntent } from "#plugins/wallets/watch/judgeAll.ts";

const one = (given: Partial<JudgedIntent>): JudgedIntent => ({
	...{
		id: "a",
		kind: "pay",
		errorCode: null,
		walletId: "w",
		chainId: 1,
		sender: "0x01",
		status: "submitted",
	},
	...{ state: "sent", nonce: 3, shownNonce: 3, sinceMs: 50, seenAtMs: null, isFinal: false },
	...{ transactionHash: null, cancelling: null, cancellingHash: null, isUnreadable: false },
	...{ capability: "embedded/delegated", reason: "slow" },
	...given,
});

test("each queue is there once, by the most serious reason and its oldest entry", () => {
	const queues = blockedQueues([
		one({ sinceMs: 10 }),
		one({ reason: "behind", sinceMs: 40, state: "queued", nonce: null }),
		one({ reason: "behind", sinceMs: 30 }),
		one({ sender: "0x02", sinceMs: 20 }),
	]);
	expect(queues).toEqual([
		{ chainId: 1, reason: "behind", sinceMs: 30 },
		{ chainId: 1, reason: "slow", sinceMs: 20 },
	]);
});

test("what is in doubt by itself, or was sent by its owner's wallet, blocks no queue", () => {
	const none = [
		one({ state: "doubtful", reason: "in_doubt" }),
		one({ state: "refused", reason: "refused" }),
		one({ nonce: null }),
		one({ chainId: null }),
	];
	expect(blockedQueues(none)).toEqual([]);
});

test("one whose row cannot be read blocks its queue, whatever is known of its nonce", () => {
	const queues = blockedQueues([one({ nonce: null, isUnreadable: true, reason: "unreadable" })]);
	expect(queues).toMatchObject([{ reason: "unreadable" }]);
});
