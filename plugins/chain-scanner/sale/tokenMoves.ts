import { decodeEventLog, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";

/** An NFT that a token's own log says went from one account to another. */
export type TokenMove = { contract: Address; tokenId: bigint; from: Address; to: Address };

const abi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);

/**
 * What moved in a transaction, in log order, by the tokens' own logs. Read with the ABI decoder:
 * this is for the few transactions whose marketplace logs leave a party open.
 */
export function tokenMoves(
	logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[],
): TokenMove[] {
	return logs.flatMap(({ address, topics, data }) => {
		const event = decode(topics, data);
		if (!event) return [];
		const contract = lower(address);
		const from = lower(event.args.from);
		const to = lower(event.args.to);
		if (event.eventName === "Transfer") {
			return [{ contract, tokenId: event.args.tokenId, from, to }];
		}
		const ids = event.eventName === "TransferSingle" ? [event.args.id] : event.args.ids;
		return ids.map((tokenId) => ({ contract, tokenId, from, to }));
	});
}

function decode(topics: readonly Hex[], data: Hex) {
	const [signature, ...rest] = topics;
	if (signature === undefined) return null;
	try {
		return decodeEventLog({ abi, topics: [signature, ...rest], data });
	} catch {
		// Another event, or an ERC-20's: nothing that tells who gave an NFT.
		return null;
	}
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
