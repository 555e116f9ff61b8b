import { createHash } from "node:crypto";
import type { Address, Hex } from "#core/chain/Hex.ts";

/** The fields that tell one event of the provider from another of the same collection. */
export type ProviderIdentity = {
	kind: "sale" | "mint" | "transfer";
	standard: "erc721" | "erc1155";
	transactionHash: Hex;
	tokenId: bigint;
	from: Address;
	to: Address;
};

/** No chain has this log index: a block of 10^12 gas cannot write so many logs. */
export const PROVIDER_LOG_INDEX = 2 ** 30;

const LOW_30_BITS = 2 ** 30 - 1;
const LOW_31_BITS = 2 ** 31 - 1;

/**
 * Returns the place within its block of an event that only the provider told: a place that no log
 * of a chain has, and the same one however often and by whichever channel the event is told.
 *
 * One transaction moves an ERC-721 token once as a sale, so parties are not part of it there:
 * stream and REST name them differently if an account buys for another. An ERC-1155 token may be
 * bought from several sellers at once. Which of the two parties is the seller is not part of it
 * either.
 */
export function providerPlace(identity: ProviderIdentity): { logIndex: number; subIndex: number } {
	const { kind, standard, transactionHash, tokenId, from, to } = identity;
	const parties = standard === "erc721" ? [] : kind === "mint" ? [to] : [from, to].sort();
	const text = [kind, transactionHash, tokenId, ...parties].join(" ");
	const digest = createHash("sha256").update(text).digest();
	return {
		logIndex: PROVIDER_LOG_INDEX + (digest.readUInt32BE(0) & LOW_30_BITS),
		subIndex: digest.readUInt32BE(4) & LOW_31_BITS,
	};
}
