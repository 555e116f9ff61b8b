import type { Address, Hex } from "#core/chain/Hex.ts";

/** What a transaction does that only uses a nonce. */
export type SelfTransfer = {
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
};

/** A transaction that sends nothing from an account to itself: it uses its nonce, and pays gas. */
export function selfTransfer({ chainId, from }: { chainId: number; from: Address }): SelfTransfer {
	return { chainId, from, to: from, valueRaw: 0n, data: "0x" };
}
