import { decodeAbiParameters, decodeEventLog, parseAbi, parseAbiParameters } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/mintTopics.ts";

/** Units of an NFT that went from one account to another, by the token's own log. */
export type TokenMove = Pick<
	ChainEvent,
	"contract" | "standard" | "tokenId" | "quantity" | "from" | "to"
>;

const abi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);

/** The form of tokens from before ERC-721 was agreed on, CryptoKitties among them. */
const bareTransfer = parseAbiParameters("address from, address to, uint256 tokenId");

/**
 * Returns what moved in a transaction, in log order, by the tokens' own logs. Read with the ABI
 * decoder: this is for the few transactions whose marketplace logs do not show a party or the
 * token.
 */
export function tokenMoves(
	logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[],
): TokenMove[] {
	return logs.flatMap(({ address, topics, data }): TokenMove[] => {
		const event = decode(topics, data);
		if (!event) return [];
		const from = lower(event.args.from);
		const to = lower(event.args.to);
		const place = { contract: lower(address), from, to };
		if (event.eventName === "Transfer") {
			return [{ ...place, standard: "erc721", tokenId: event.args.tokenId, quantity: 1n }];
		}
		const { ids, values } =
			event.eventName === "TransferSingle"
				? { ids: [event.args.id], values: [event.args.value] }
				: event.args;
		return ids.map((tokenId, index) => {
			return { ...place, standard: "erc1155", tokenId, quantity: values[index] ?? 0n };
		});
	});
}

function decode(topics: readonly Hex[], data: Hex) {
	const [signature, ...rest] = topics;
	if (signature === undefined) return null;
	try {
		if (rest.length > 0) return decodeEventLog({ abi, topics: [signature, ...rest], data });
		if (signature !== TRANSFER_TOPIC) return null;
		const [from, to, tokenId] = decodeAbiParameters(bareTransfer, data);
		return { eventName: "Transfer" as const, args: { from, to, tokenId } };
	} catch {
		// Another event, or an ERC-20's, which does not show who gave an NFT.
		return null;
	}
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
