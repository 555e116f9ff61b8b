import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { tokenAbi } from "#plugins/nft-buys/abi/tokenAbi.ts";
import { readBytes } from "#plugins/nft-buys/listing/readBytes.ts";
import type { Goods } from "#plugins/nft-buys/plan/shownBuy.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

const NOT_RECEIVED: Denial = {
	code: "not_received",
	detail: "The transaction went through, and the token is not in the wallet.",
};
const PARTLY_RECEIVED: Denial = {
	code: "partly_received",
	detail: "The transaction went through, and fewer units came than were wanted.",
};

/**
 * Whether what was bought is in the wallet, as the token's contract said in the block of the
 * receipt: an ERC-721 belongs to it, of an ERC-1155 it has so many more than the block before. A
 * node that fails is no answer, and throws; a contract that reverts is one.
 */
export async function ownershipDenial(
	rpc: Rpc,
	asked: { goods: Goods; wallet: Address; blockNumber: number; signal: AbortSignal },
): Promise<Denial | null> {
	const { goods, wallet, blockNumber, signal } = asked;
	const { contract: to, tokenId, quantity, standard } = goods;
	const at = (block: number) => `0x${block.toString(16)}`;
	if (standard === "erc721") {
		const owner = { abi: tokenAbi, functionName: "ownerOf", args: [tokenId] } as const;
		const data = encodeFunctionData(owner);
		const [outcome] = await rpc.settle(
			[{ method: "eth_call", params: [{ to, data }, at(blockNumber)] }],
			{ signal, minBlock: blockNumber },
		);
		const word = wordOf(outcome);
		const isOwner = word !== null && word === BigInt(wallet);
		return isOwner ? null : NOT_RECEIVED;
	}
	const balance = { abi: tokenAbi, functionName: "balanceOf", args: [wallet, tokenId] } as const;
	const data = encodeFunctionData(balance);
	const outcomes = await rpc.settle(
		[blockNumber - 1, blockNumber].map((block) => {
			return { method: "eth_call", params: [{ to, data }, at(block)] };
		}),
		{ signal, minBlock: blockNumber },
	);
	const [before, after] = outcomes.map(wordOf);
	const grown = (after ?? 0n) - (before ?? 0n);
	if (grown >= quantity) return null;
	return grown > 0n ? PARTLY_RECEIVED : NOT_RECEIVED;
}

/** The word that a contract answered; null where it reverts, or has no code. */
function wordOf(outcome: RpcOutcome | undefined): bigint | null {
	if (outcome?.kind === "fault") {
		const { fault } = outcome;
		if (fault.code === "rpc_refused" && /revert/i.test(fault.message)) return null;
		throw fault;
	}
	const data = readBytes(outcome?.result);
	if (data.length !== WORD_LENGTH) return null;
	return decodeFunctionResult({ abi: tokenAbi, functionName: "balanceOf", data });
}

/** `0x` and 32 bytes. */
const WORD_LENGTH = 66;
