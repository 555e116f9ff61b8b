import type { Address } from "#core/chain/Hex.ts";

/** Whose nonces: one wallet on one chain. */
export type QueueAccount = { chainId: number; sender: Address };

/** The name of an account's nonce queue among others of one answer. */
export function queueName({ chainId, sender }: QueueAccount): string {
	return `${chainId} ${sender}`;
}
