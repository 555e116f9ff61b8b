import { decodeEventLog, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Goods } from "#plugins/nft-buys/plan/shownBuy.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

const transferAbi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);

type Moved = { from: Address; to: Address; units: bigint };

/**
 * Returns how many units of the token the wallet gained by the receipt's transaction, from the logs
 * of the token's own contract, which are as reliable as its state. Null without logs of that token,
 * which proves nothing.
 */
export function receivedByLogs(
	logs: Receipt["logs"],
	{ goods, wallet }: { goods: Goods; wallet: Address },
): bigint | null {
	const moves = logs
		.filter(({ address }) => address === goods.contract)
		.flatMap((log) => movesOf(log, goods));
	if (moves.length === 0) return null;
	// An ERC-721 is unique: its last recipient has it.
	const counted = goods.standard === "erc721" ? moves.slice(-1) : moves;
	return counted.reduce((sum, { from, to, units }) => {
		return sum + (to === wallet ? units : 0n) - (from === wallet ? units : 0n);
	}, 0n);
}

function movesOf(log: Receipt["logs"][number], { tokenId, standard }: Goods): Moved[] {
	const event = decoded(log);
	if (!event) return [];
	const between = { from: lower(event.args.from), to: lower(event.args.to) };
	const isSingle = event.eventName === "Transfer";
	if (isSingle !== (standard === "erc721")) return [];
	switch (event.eventName) {
		case "Transfer":
			return event.args.tokenId === tokenId ? [{ ...between, units: 1n }] : [];
		case "TransferSingle":
			return event.args.id === tokenId ? [{ ...between, units: event.args.value }] : [];
		default: {
			const { ids, values } = event.args;
			return ids.flatMap((id, index) => {
				return id === tokenId ? [{ ...between, units: values[index] ?? 0n }] : [];
			});
		}
	}
}

/** Returns the decoded event; null for another event, or a malformed one. */
function decoded({ topics, data }: Receipt["logs"][number]) {
	const [signature, ...indexed] = topics;
	if (signature === undefined) return null;
	try {
		return decodeEventLog({ abi: transferAbi, topics: [signature, ...indexed], data });
	} catch {
		return null;
	}
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
