import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault/Fault.ts";
import { tokenAbi } from "#plugins/nft-buys/abi/tokenAbi.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { readBytes } from "#plugins/nft-buys/listing/readBytes.ts";
import type { Goods } from "#plugins/nft-buys/plan/shownBuy.ts";
import { receivedByLogs } from "#plugins/nft-buys/settle/receivedByLogs.ts";
import type { Denial, Receipt } from "#plugins/wallets/contract.ts";

const NOT_RECEIVED: Denial = {
	code: "not_received",
	detail: "The transaction went through, and the token is not in the wallet.",
};
const PARTLY_RECEIVED: Denial = {
	code: "partly_received",
	detail: "The transaction went through, and fewer units came than were wanted.",
};

type Asked = { goods: Goods; wallet: Address; receipt: Receipt; signal: AbortSignal };
/** A contract's answer, null where it reverts or has no code; or the node's refusal. */
type Word = { kind: "word"; word: bigint | null } | { kind: "refused"; fault: Fault };

/**
 * Returns why the wallet has not received what was bought; null: it has. Asks the token's contract
 * at the receipt's block: the wallet owns the ERC-721, or has the bought number of the ERC-1155
 * more than one block before. A contract that reverts is an answer. A failing node throws; if it
 * refuses because it no longer has that state, the contract's own logs in the receipt decide.
 */
export async function ownershipDenial(rpc: Rpc, asked: Asked): Promise<Denial | null> {
	const { goods } = asked;
	const received =
		goods.standard === "erc721" ? await ownedNow(rpc, asked) : await grownBy(rpc, asked);
	if (received >= goods.quantity) return null;
	return received > 0n ? PARTLY_RECEIVED : NOT_RECEIVED;
}

async function ownedNow(rpc: Rpc, asked: Asked): Promise<bigint> {
	const { goods, wallet, receipt } = asked;
	const args = [goods.tokenId] as const;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "ownerOf", args });
	const [found] = await callsAt(rpc, { ...asked, data, blocks: [receipt.blockNumber] });
	if (found?.kind === "word") return isWallet(found.word, wallet) ? 1n : 0n;
	const logged = receivedByLogs(receipt.logs, asked);
	if (logged !== null) return logged;
	const [latest] = await callsAt(rpc, { ...asked, data, blocks: ["latest"] });
	// A current owner has received it; if another owns it now, the wallet may have passed it on.
	if (latest?.kind === "word" && isWallet(latest.word, wallet)) return 1n;
	throw unknownTo(found);
}

async function grownBy(rpc: Rpc, asked: Asked): Promise<bigint> {
	const { goods, wallet, receipt } = asked;
	const args = [wallet, goods.tokenId] as const;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args });
	const blocks = [receipt.blockNumber - 1, receipt.blockNumber];
	const [before, after] = await callsAt(rpc, { ...asked, data, blocks });
	if (before?.kind === "word" && after?.kind === "word") {
		return (after.word ?? 0n) - (before.word ?? 0n);
	}
	const logged = receivedByLogs(receipt.logs, asked);
	if (logged === null) throw unknownTo(before?.kind === "refused" ? before : after);
	return logged;
}

async function callsAt(
	rpc: Rpc,
	asked: Asked & { data: Hex; blocks: readonly (number | "latest")[] },
): Promise<Word[]> {
	const { goods, receipt, signal, data, blocks } = asked;
	const to = goods.contract;
	const calls = blocks.map((block) => {
		const at = block === "latest" ? block : hexQuantity(block);
		return { method: "eth_call", params: [{ to, data }, at] };
	});
	const outcomes = await rpc.settle(calls, { signal, minBlock: receipt.blockNumber });
	return outcomes.map(wordOf);
}

function isWallet(word: bigint | null, wallet: Address): boolean {
	return word !== null && word === BigInt(wallet);
}

function wordOf(outcome: RpcOutcome): Word {
	if (outcome.kind === "fault") {
		const { fault } = outcome;
		if (fault.code !== "rpc_refused") throw fault;
		// By the message: nodes have no common code for a revert. It is 3, -32000, -32015 or -32603,
		// and all but the first are used for other refusals too.
		const reverts = /revert/i.test(fault.message);
		return reverts ? { kind: "word", word: null } : { kind: "refused", fault };
	}
	const data = outcome.result;
	if (data === "0x") return { kind: "word", word: null };
	if (readBytes(data).length !== WORD_LENGTH) {
		throw buyFault.ownershipUnknown({ detail: "a node answered what is no word" });
	}
	const word = decodeFunctionResult({
		abi: tokenAbi,
		functionName: "balanceOf",
		data: readBytes(data),
	});
	return { kind: "word", word };
}

/**
 * Returns the fault that leaves it unsettled: only an archive node, or the token's logs, could
 * tell.
 */
function unknownTo(refusal: Word | undefined): Fault {
	const cause = refusal?.kind === "refused" ? refusal.fault : undefined;
	return buyFault.ownershipUnknown({ detail: cause?.message ?? "no answer", cause });
}

/** The length of `0x` and 32 bytes. */
const WORD_LENGTH = 66;
