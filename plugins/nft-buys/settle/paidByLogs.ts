import { decodeEventLog, parseAbi } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Goods } from "#plugins/nft-buys/plan/shownBuy.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

const abi = parseAbi([
	"struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
	"struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);

/**
 * Returns what was paid for an order, in base units of its currency, from the marketplace's own
 * log. Null where there is no such log, or it has another currency: then the planned amount counts.
 */
export function paidByLogs(
	logs: Receipt["logs"],
	{ marketplace, orderHash, pays }: Goods,
): bigint | null {
	for (const { address, topics, data } of logs) {
		const fulfilled = address === marketplace ? decoded(topics, data) : null;
		if (fulfilled?.orderHash !== orderHash) continue;
		const { consideration } = fulfilled;
		if (!consideration.every(({ token }) => token.toLowerCase() === pays.currency)) return null;
		return consideration.reduce((sum, { amount }) => sum + amount, 0n);
	}
	return null;
}

/** Returns the decoded event; null for another event, or a malformed one. */
function decoded([signature, ...indexed]: readonly Hex[], data: Hex) {
	if (signature === undefined) return null;
	try {
		return decodeEventLog({ abi, topics: [signature, ...indexed], data }).args;
	} catch {
		return null;
	}
}
