import type { Address } from "#core/chain/Hex.ts";
import type { JudgedIntent } from "#plugins/wallets/watch/judgeAll.ts";
import type { WaitReason } from "#plugins/wallets/watch/WaitReason.ts";

/** Whose nonces: one wallet on one chain. */
export type QueueAccount = { chainId: number; sender: Address };

export type BlockedQueue = { chainId: number; reason: WaitReason; sinceMs: number };

/** Why a queue does not go on, the most serious reason first. */
const ORDER: readonly WaitReason[] = [
	"unreadable",
	"behind",
	"nonce_gap",
	"nonce_unproven",
	"unseen",
	"slow",
	"handing_over",
	"queued",
];

/**
 * The nonce queues in which something that waits, or was sent, cannot go on: each once, by the most
 * serious reason, since the oldest of that reason waits. What is in doubt by itself blocks nothing.
 */
export function blockedQueues(intents: readonly JudgedIntent[]): BlockedQueue[] {
	const blocked = new Map<string, BlockedQueue>();
	for (const { chainId, sender, sinceMs, reason, state, nonce } of intents) {
		const isOurs = nonce !== null || reason === "unreadable";
		const isInQueue = state === "queued" || state === "sending" || (state === "sent" && isOurs);
		if (chainId === null || sender === null || !isInQueue) continue;
		const place = ORDER.indexOf(reason);
		if (place < 0) continue;
		const one = { chainId, reason, sinceMs: sinceMs ?? Number.POSITIVE_INFINITY };
		const name = queueName({ chainId, sender });
		const other = blocked.get(name);
		const isWorse = !other || place < ORDER.indexOf(other.reason);
		const isOlder = other?.reason === reason && one.sinceMs < other.sinceMs;
		if (isWorse || isOlder) blocked.set(name, one);
	}
	return [...blocked.values()];
}

/** The name of an account's nonce queue among others of one answer. */
export function queueName({ chainId, sender }: QueueAccount): string {
	return `${chainId} ${sender}`;
}
