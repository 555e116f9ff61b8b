// Offers buys and offers to the execution path, and reads what a buy brought and cost.

import { decodeEventLog, decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { assert, type Fault } from "#core/fault.ts";
import { NFT_BUY } from "#plugins/nft-buys/contract.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { buySteps } from "#plugins/nft-buys/limits.ts";
import { readBytes } from "#plugins/nft-buys/listing.ts";
import { type BuyRequest, buyRequest, nftSpendDenial } from "#plugins/nft-buys/model.ts";
import { type BuyDeps, planBuy } from "#plugins/nft-buys/plan/planBuy.ts";
import { type Goods, keepsBuy, shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import {
	type Denial,
	type IntentKind,
	judgeArrival,
	type MinedTransaction,
	measureChange,
	type Receipt,
	type Settlement,
	settledBy,
} from "#plugins/wallets/contract.ts";

type Moved = { from: Address; to: Address; units: bigint };

type Asked = { goods: Goods; wallet: Address; receipt: Receipt; signal: AbortSignal };
/** A contract's answer, null where it reverts or has no code; or the node's refusal. */
type Word = { kind: "word"; word: bigint | null } | { kind: "refused"; fault: Fault };

/** Functions of ERC-721 and ERC-1155 that prove ownership. */
const tokenAbi = parseAbi([
	"function ownerOf(uint256 tokenId) view returns (address)",
	"function balanceOf(address owner, uint256 id) view returns (uint256)",
]);

const transferAbi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);

const fulfilledAbi = parseAbi([
	"struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
	"struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
]);

/** Says what is missing of a buy, or in doubt; null: nothing. */
type Missing = Exclude<Settlement, { spentRaw: bigint }>;

const NOT_RECEIVED: Missing = {
	code: "not_received",
	detail: "The transaction went through, and the token is not in the wallet.",
};
const PARTLY_RECEIVED: Missing = {
	code: "partly_received",
	detail: "The transaction went through, and fewer units came than were wanted.",
};

/** Says the length of `0x` and 32 bytes in hex. */
const WORD_LENGTH = 66;

/** The denial of every offer. */
const OFFER_REFUSED: Denial = {
	code: "provider_offer_requires_local_order_builder",
	detail: "Offers are orders that their maker signs, and none is built here.",
};

/** Returns the intent kind that buys a token from a listing. */
export function createBuyKind(deps: BuyDeps): IntentKind<BuyRequest> {
	return {
		name: NFT_BUY,
		plugin: "nft-buys",
		request: buyRequest,
		steps: buySteps,
		deny: nftSpendDenial,
		keeps: keepsBuy,
		async prepare({ request, chainId, channel }, { wallet, outbound, signal }) {
			const prepared = await planBuy(deps, { request, chainId, channel, wallet, outbound, signal });
			if (prepared.kind !== "plan" || request.tipRaw === undefined) return prepared;
			return { ...prepared, plan: { ...prepared.plan, tipRaw: BigInt(request.tipRaw) } };
		},
		async settle(intent, receipt, { wallet, outbound, signal }) {
			const rpc = deps.rpcOf(intent.chainId);
			assert(rpc && intent.plan, "a receipt is of a plan on a chain that is served");
			const goods = shownBuy.read(intent.plan.shown);
			const asked = { goods, wallet: wallet.address, receipt, signal };
			const missing = await outbound("nft_buy.ownership", () => ownershipDenial(rpc, asked));
			// If others filled part of the order meanwhile, less is left, and less is paid.
			const spentRaw = paidByLogs(receipt.logs, goods);
			if (spentRaw === null) return missing;
			return missing ? { ...missing, spentRaw } : { spentRaw };
		},
	};
}

/**
 * Returns the intent kind of offers: they are recorded and refused; nothing is called or signed.
 */
export function createOfferKind(): IntentKind<BuyRequest> {
	return {
		name: "nft_offer",
		plugin: "nft-buys",
		request: buyRequest,
		steps: [],
		deny: nftSpendDenial,
		prepare: async () => ({ kind: "denied", denial: OFFER_REFUSED }),
		settle: async () => OFFER_REFUSED,
	};
}

/**
 * Returns why the wallet has not received what was bought; null: it has. An ERC-721 belongs to the
 * wallet at the receipt's block. Of an ERC-1155 arrived the lower of what the receipt's own logs
 * say and what the balance grew by over the block, our other transactions apart: of three buys in
 * one block none counts what another brought. A contract that reverts is an answer. A failing node
 * throws; if it no longer has that state, the contract's own logs in the receipt decide.
 */
export async function ownershipDenial(rpc: Rpc, asked: Asked): Promise<Missing> {
	if (asked.goods.standard === "erc1155") return unitsDenial(rpc, asked);
	return (await ownedNow(rpc, asked)) ? null : NOT_RECEIVED;
}

/**
 * Returns what was paid for an order, in base units of its currency, from the marketplace's own
 * log. Null where there is no such log, or it has another currency: then the planned amount counts.
 */
function paidByLogs(logs: Receipt["logs"], { marketplace, orderHash, pays }: Goods): bigint | null {
	for (const { address, topics, data } of logs) {
		const fulfilled = address === marketplace ? decodeFulfilled(topics, data) : null;
		if (fulfilled?.orderHash !== orderHash) continue;
		const { consideration } = fulfilled;
		if (!consideration.every(({ token }) => token.toLowerCase() === pays.currency)) return null;
		return consideration.reduce((sum, { amount }) => sum + amount, 0n);
	}
	return null;
}

async function ownedNow(rpc: Rpc, asked: Asked): Promise<boolean> {
	const { goods, wallet, receipt } = asked;
	const args = [goods.tokenId] as const;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "ownerOf", args });
	const [found] = await callsAt(rpc, { ...asked, data, blocks: [receipt.blockNumber] });
	if (found?.kind === "word") return isWallet(found.word, wallet);
	const logged = receivedByLogs(receipt.logs, asked);
	if (logged !== null) return logged > 0n;
	const [latest] = await callsAt(rpc, { ...asked, data, blocks: ["latest"] });
	// A current owner has received it; if another owns it now, the wallet may have passed it on.
	if (latest?.kind === "word" && isWallet(latest.word, wallet)) return true;
	throw unknownTo(found);
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

function isWallet(word: bigint | null, wallet: Address): boolean {
	return word !== null && word === BigInt(wallet);
}

/**
 * Returns the fault that leaves a buy unsettled: only an archive node, or the token's logs, could
 * prove it.
 */
function unknownTo(refusal: Word | undefined): Fault {
	const cause = refusal?.kind === "refused" ? refusal.fault : undefined;
	return buyFault.ownershipUnknown({ detail: cause?.message ?? "no answer", cause });
}

async function unitsDenial(rpc: Rpc, asked: Asked): Promise<Missing> {
	const { goods, wallet, receipt, signal } = asked;
	const toldBy = ({ logs, succeeded }: MinedTransaction) =>
		succeeded ? (receivedByLogs(logs, asked) ?? 0n) : 0n;
	const change = await measureChange(rpc, {
		...{ account: wallet, sender: wallet, receipt, toldBy, signal },
		holding: { kind: "units", address: goods.contract, id: goods.tokenId },
	});
	// A receipt without the token's logs alone says nothing.
	const isUntold = receivedByLogs(receipt.logs, asked) === null;
	if (change.heldRaw === null && isUntold) throw unknownTo(undefined);
	const arrival = judgeArrival(change, goods.quantity);
	if (arrival.kind === "short") return arrival.raw > 0n ? PARTLY_RECEIVED : NOT_RECEIVED;
	const settled = settledBy(arrival);
	return settled && "code" in settled ? settled : null;
}

/**
 * Returns how many units of the token the wallet gained by the receipt's transaction, from the logs
 * of the token's own contract, which are as reliable as its state. Null without logs of that token,
 * which proves nothing.
 */
function receivedByLogs(
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
	const event = decodeTransfer(log);
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

/** Returns a decoded transfer; null for another event, or a malformed one. */
function decodeTransfer({ topics, data }: Receipt["logs"][number]) {
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

/** Returns a decoded `OrderFulfilled`; null for another event, or a malformed one. */
function decodeFulfilled([signature, ...indexed]: readonly Hex[], data: Hex) {
	if (signature === undefined) return null;
	try {
		return decodeEventLog({ abi: fulfilledAbi, topics: [signature, ...indexed], data }).args;
	} catch {
		return null;
	}
}
