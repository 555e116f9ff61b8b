import { createHash } from "node:crypto";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { standInPrefix } from "#plugins/market-index/confirm/standInPrefix.ts";

/**
 * Returns a hash in place of a transaction's, for an event that the provider told without one: 8
 * zero bytes, 8 of the contract, 16 of a digest. So it can be recognized, and those of one contract
 * are neighbours in an index.
 */
export function standInHash(event: {
	kind: string;
	orderHash: Hex | null;
	contract: Address;
	tokenId: bigint;
	from: Address;
	to: Address;
	occurredAtMs: number;
}): Hex {
	const { kind, orderHash, contract, tokenId, from, to } = event;
	const seconds = Math.floor(event.occurredAtMs / 1_000);
	const text = [kind, orderHash ?? "", contract, tokenId, from, to, seconds].join(" ");
	const digest = createHash("sha256").update(text).digest("hex").slice(0, 32);
	return `${standInPrefix(contract)}${digest}`;
}
