// Proves sales by the tokens' own logs: who gave the token, and that it arrived.

import { decodeAbiParameters, decodeEventLog, parseAbi, parseAbiParameters } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import type { ChainEvent, Sale, TokenAdapter, Venue } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { TRANSFER_TOPIC } from "#plugins/chain-scanner/mint/decodeMints.ts";

/** Units of an NFT that went from one account to another, by the token's own log. */
export type TokenMove = Pick<
	ChainEvent,
	"contract" | "standard" | "tokenId" | "quantity" | "from" | "to"
>;

type Read = { sale: Sale; venue: Pick<Venue, "adapters"> };

const abi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
]);

/** The form of tokens from before ERC-721 was agreed on, CryptoKitties among them. */
const bareTransfer = parseAbiParameters("address from, address to, uint256 tokenId");

const hex = z.custom<Hex>((value) => typeof value === "string" && value.startsWith("0x"));
const receiptSchema = z.object({
	blockHash: hex,
	logs: z.array(z.object({ address: hex, topics: z.array(hex).max(4), data: hex })),
});

/**
 * Compares a transaction's sales with what its tokens say moved: names the token where the venue
 * named an adapter, and the seller where it named who was paid; a sale that never reached its buyer
 * is not accepted. `moves` is null where the tokens' logs were not read: then the venue's word
 * counts, except about an adapter's tokens, which only their own log proves.
 */
export function proveSales<Some extends Read>(
	sales: readonly Some[],
	moves: readonly TokenMove[] | null,
): Some[] {
	const named = sales.map((read) => withToken(read, moves));
	if (moves === null) return named;
	return proveDelivery(proveSellers(named, moves), moves);
}

/**
 * Returns the adapter that a sale names in place of its token; undefined where it names the token.
 */
export function adapterOf(
	sale: Pick<Sale, "contract">,
	venue: Pick<Venue, "adapters">,
): TokenAdapter | undefined {
	return venue.adapters?.find(({ adapter }) => adapter === sale.contract);
}

/**
 * Refuses sales whose token never reached the buyer, by the tokens' own logs of the transaction. An
 * ERC-1155 decides for itself what a transfer does, and some were paid for and delivered nothing.
 *
 * Units are used up in log order, so that one delivery does not count for two sales.
 */
export function proveDelivery<Read extends { sale: Sale }>(
	sales: readonly Read[],
	moves: readonly TokenMove[],
): Read[] {
	const delivered = new Map<string, bigint>();
	for (const { contract, tokenId, to, quantity } of moves) {
		const key = keyOf(contract, tokenId, to);
		delivered.set(key, (delivered.get(key) ?? 0n) + quantity);
	}
	return sales.map((read) => {
		const { sale } = read;
		if (!sale.accepted) return read;
		const key = keyOf(sale.contract, sale.tokenId, sale.buyer);
		const left = (delivered.get(key) ?? 0n) - sale.quantity;
		if (left < 0n) {
			return { ...read, sale: { ...sale, accepted: false, reason: "not_delivered" } };
		}
		delivered.set(key, left);
		return read;
	});
}

/**
 * Corrects sellers, where the venue's logs only say who was paid: an account that accepts an offer
 * may have the money sent elsewhere, and an aggregator is paid for the person behind it. The
 * token's own logs show who gave it.
 *
 * An account that only passed the token on within the transaction is not the seller, unless it had
 * bought it there: then it is a party of its own. Where no log tells of the token at all, as of
 * tokens whose logs have a form of their own, the sale is `unproven`: who was paid may be anybody.
 */
export function proveSellers<Read extends { sale: Sale }>(
	sales: readonly Read[],
	moves: readonly TokenMove[],
): Read[] {
	return sales.map((read) => {
		const { sale } = read;
		if (!sale.sellerUnproven) return read;
		const seller = giverOf(sale, moves, sales);
		if (seller !== null) return { ...read, sale: withSeller(sale, seller) };
		const isSilent = !moves.some((one) => isOfToken(one, sale));
		if (!sale.accepted || !isSilent) return read;
		return { ...read, sale: { ...sale, accepted: false, reason: "unproven" } };
	});
}

/** Reads what moved in each of these transactions, by their receipts; in one batch. */
export async function readMoves(
	rpc: Rpc,
	transactions: readonly { hash: Hex; blockHash: Hex }[],
	signal: AbortSignal,
): Promise<Map<Hex, TokenMove[]>> {
	if (transactions.length === 0) return new Map();
	const calls = transactions.map(({ hash }) => {
		return { method: "eth_getTransactionReceipt", params: [hash] };
	});
	const answers = await rpc.batch(calls, { signal });
	const unserved = transactions.filter((_, index) => answers[index] === null);
	const byBlock = await receiptsByBlock(rpc, unserved, signal);
	return new Map(
		transactions.map(({ hash, blockHash }, index) => {
			const receipt = receiptSchema.safeParse(answers[index] ?? byBlock.get(hash));
			if (!receipt.success || receipt.data.blockHash.toLowerCase() !== blockHash) {
				const detail = `the node has no receipt of ${hash}`;
				throw scannerFault.inconsistent({ detail, meta: { unserved: true } });
			}
			return [hash, tokenMoves(receipt.data.logs)];
		}),
	);
}

/**
 * Reads receipts with all of their blocks, from another endpoint if there is one: some nodes forget
 * the hashes of old transactions.
 */
async function receiptsByBlock(
	rpc: Rpc,
	transactions: readonly { hash: Hex; blockHash: Hex }[],
	signal: AbortSignal,
): Promise<Map<unknown, unknown>> {
	const found = new Map<unknown, unknown>();
	for (const blockHash of new Set(transactions.map((one) => one.blockHash))) {
		const call = { method: "eth_getBlockReceipts", params: [blockHash] };
		const [receipts] = await rpc.batch([call], { signal, second: true }).catch((error) => {
			if (error instanceof Fault && error.code === "rpc_refused") return [null];
			throw error;
		});
		if (!Array.isArray(receipts)) continue;
		for (const receipt of receipts) found.set(receipt?.transactionHash, receipt);
	}
	return found;
}

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

/**
 * Returns a sale with the token's name: an adapter is no collection, so even an unproven sale is
 * stored under the token's.
 */
function withToken<Some extends Read>(read: Some, moves: readonly TokenMove[] | null): Some {
	const adapter = adapterOf(read.sale, read.venue);
	if (!adapter) return read;
	const { tokenId, accepted, standard } = read.sale;
	const tokens = read.venue.adapters?.filter((one) => one.adapter === adapter.adapter) ?? [];
	const move = moves?.find((one) => {
		return one.tokenId === tokenId && tokens.some(({ token }) => token === one.contract);
	});
	const contract = move?.contract ?? adapter.token;
	const sale: Sale = { ...read.sale, contract, standard: move?.standard ?? standard };
	// With moves the delivery decides, as it does for every other token.
	if (moves !== null || !accepted) return { ...read, sale };
	return { ...read, sale: { ...sale, accepted: false, reason: "not_delivered" } };
}

function keyOf(contract: string, tokenId: bigint, to: string): string {
	return `${contract}:${tokenId}:${to}`;
}

function giverOf(
	sale: Sale,
	moves: readonly TokenMove[],
	sales: readonly { sale: Sale }[],
): Address | null {
	const own = moves.filter((one) => isOfToken(one, sale));
	let index = own.findLastIndex(({ to }) => to === sale.buyer);
	let giver = own[index]?.from ?? null;
	while (index > 0 && giver !== null && !boughtHere(giver, sale, sales)) {
		const holder: Address = giver;
		index = own.findLastIndex(({ to }, at) => at < index && to === holder);
		giver = own[index]?.from ?? holder;
	}
	return giver;
}

function isOfToken(one: Pick<TokenMove, "contract" | "tokenId">, sale: Sale): boolean {
	return one.contract === sale.contract && one.tokenId === sale.tokenId;
}

function boughtHere(who: Address, of: Sale, sales: readonly { sale: Sale }[]): boolean {
	return sales.some(({ sale }) => {
		const isSameToken = sale.contract === of.contract && sale.tokenId === of.tokenId;
		return sale !== of && isSameToken && sale.buyer === who;
	});
}

/**
 * Returns a sale with its seller. Whether it is a trade with oneself is judged again; the other
 * reasons do not depend on it.
 */
function withSeller(sale: Sale, seller: Address): Sale {
	const { sellerUnproven: _, ...proven } = sale;
	const isSelf = seller === sale.buyer;
	if (sale.reason !== null && sale.reason !== "self_trade") return { ...proven, seller };
	if (isSelf) return { ...proven, seller, accepted: false, reason: "self_trade" };
	const isFree = sale.totalRaw === 0n;
	return { ...proven, seller, accepted: !isFree, reason: isFree ? "zero_price" : null };
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
