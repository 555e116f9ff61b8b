import { decodeFunctionResult, encodeFunctionData, parseAbi, parseEventLogs } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { COIN_DECIMALS_MAX } from "#plugins/transfers/limits.ts";
import type { Denial, Receipt } from "#plugins/wallets/contract.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);

/** An ERC-20 token that is sent. Its address identifies it: any contract can choose any symbol. */
export const coinSchema = z.object({
	address: z.string().refine(isAddress),
	symbol: z.string().min(1).max(64),
	decimals: z.int().min(0).max(COIN_DECIMALS_MAX),
});

export type Coin = z.output<typeof coinSchema>;

const abi = parseAbi([
	"function decimals() view returns (uint8)",
	"function balanceOf(address owner) view returns (uint256)",
	"function transfer(address to, uint256 amount) returns (bool)",
	"event Transfer(address indexed from, address indexed to, uint256 amount)",
]);

/** Returns the address of the token that `currency` names; null: the chain's own coin. */
export function coinNamed(text: string | undefined): Address | null {
	if (text === undefined || text.toLowerCase() === "eth") return null;
	const address = text.toLowerCase();
	if (isAddress(address)) return address;
	throw transfersFault.validationError({
		public: "The body is not valid (currency): it is neither ETH nor a token contract's address",
		members: { issues: [{ path: "currency", message: "is neither ETH nor an address" }] },
	});
}

/** Reads a token's decimals. Throws `currency_unreadable` where it does not answer. */
export async function readCoin(
	rpc: Rpc,
	{ address, chain, signal }: { address: Address; chain: Chain; signal: AbortSignal },
): Promise<Coin> {
	const data = encodeFunctionData({ abi, functionName: "decimals" });
	const call = { method: "eth_call", params: [{ to: address, data }, "latest"] };
	const word = wordSchema.safeParse(await rpc.call(call, { signal }));
	const decimals = word.success ? BigInt(word.data) : null;
	if (decimals === null || decimals > BigInt(COIN_DECIMALS_MAX)) {
		throw transfersFault.currencyUnreadable({ detail: address });
	}
	const isWrapped = address === chain.wrappedNative;
	const symbol = isWrapped ? `W${chain.nativeCurrency.symbol}` : address;
	return { address, symbol, decimals: Number(decimals) };
}

/** Returns the calldata of a token transfer. */
export function coinCalldata(recipient: Address, raw: bigint): Hex {
	return encodeFunctionData({ abi, functionName: "transfer", args: [recipient, raw] });
}

/** Returns the call that reads a wallet's balance of a token. */
export function balanceCall({ address }: Coin, owner: Address) {
	const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [owner] });
	return { method: "eth_call", params: [{ to: address, data }, "latest"] };
}

/** Returns the balance in base units; null where the answer is unreadable. */
export function readBalance(answer: unknown): bigint | null {
	const word = wordSchema.safeParse(answer);
	if (!word.success) return null;
	return decodeFunctionResult({ abi, functionName: "balanceOf", data: word.data });
}

const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/i.test(text);
const wordSchema = z.string().refine(isWord);

/**
 * Returns why a mined transfer is not what was requested; null: all of it arrived. Decided by the
 * token's own logs: with a transfer fee they show less.
 */
export function arrivalDenial(
	logs: Receipt["logs"],
	asked: { coin: Coin; from: Address; to: Address; raw: bigint },
): Denial | null {
	const { coin, from, to, raw } = asked;
	const own = logs.filter(({ address }) => address === coin.address);
	const shaped = own.map((log) => ({ ...log, topics: [...log.topics] as [Hex, ...Hex[]] }));
	const moved = parseEventLogs({ abi, eventName: "Transfer", logs: shaped as never });
	const arrived = moved.reduce((sum, { args }) => {
		const isOurs = args.from.toLowerCase() === from && args.to.toLowerCase() === to;
		return isOurs ? sum + args.amount : sum;
	}, 0n);
	if (arrived >= raw) return null;
	return arrived > 0n
		? { code: "partly_received", detail: "The token took a part of the amount on the way." }
		: { code: "not_received", detail: "The token logs no transfer to the recipient." };
}
