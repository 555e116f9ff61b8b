// Plans and settles a transfer: a chain's own coin, or a token, to one recipient.

import { decodeFunctionResult, encodeFunctionData, parseAbi, parseEventLogs } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { formatAmount } from "#core/money.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import type {
	Denial,
	IntentKind,
	Plan,
	Question,
	Receipt,
	SpendSituation,
} from "#plugins/wallets/contract.ts";

export type TransferDeps = {
	clock: Clock;
	/** Returns null where the chain is not served here. */
	chainOf(chainId: number): Chain | null;
};

/** The most recipients of one request, which is also the largest batch of intents. */
export const RECIPIENTS_MAX = 50;
/** Longer texts are refused without parsing. */
export const ADDRESS_LENGTH_MAX = 100;
export const AMOUNT_LENGTH_MAX = 160;
/** The most problems that one answer lists. */
export const ISSUES_MAX = 32;
/** Below this are precompiled contracts and other addresses without an owner. */
export const RESERVED_ADDRESSES = 0x1_0000n;
/** How long a request continues its batch before it answers. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** The connection stays open longer than that. */
export const ANSWER_IDLE_SECONDS = 60;
/**
 * A transfer's plan depends only on the request and on the recipient's code, so it stays valid
 * long. The last of a large batch is handed over long after the first.
 */
export const PLAN_LIFETIME_MS = 600_000;
/** A page of transfers. */
export const TRANSFERS_PAGE = 50;
export const TRANSFERS_PAGE_MAX = 200;

/** The most decimals of a token: real ones have at most 24. */
export const COIN_DECIMALS_MAX = 36;

/** The time limit for reading a token's decimals. */
export const COIN_TIMEOUT_MS = 5_000;

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

const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/i.test(text);
const wordSchema = z.string().refine(isWord);

/**
 * The stored request of one transfer: recipient and base units. Checked on arrival, and again here.
 */
export const transferRequest = z.object({
	recipient: z.string().refine(isAddress),
	amountRaw: z.string().regex(/^[1-9]\d{0,77}$/),
	/** The token that is sent, and the sum of the whole request; without them: the coin. */
	coin: coinSchema.exactOptional(),
	togetherRaw: z
		.string()
		.regex(/^[1-9]\d{0,77}$/)
		.exactOptional(),
});

export type TransferRequest = z.output<typeof transferRequest>;

export const TRANSFER = "transfer";
/** EIP-7702: the code of an account that delegates to a contract, but is still owned by its key. */
const DELEGATED = "0xef0100";
const code = z.string().regex(/^0x[0-9a-f]*$/i);

/** Returns the intent kind that sends a chain's own coin, or a token, to one recipient. */
export function transferKind(deps: TransferDeps): IntentKind<TransferRequest> {
	return {
		name: TRANSFER,
		plugin: "transfers",
		request: transferRequest,
		// No outbound calls of its own: the recipient's code is read together with the account.
		steps: [],
		async prepare({ chainId, request }, { wallet }) {
			if (wallet.capability === "review-required" || wallet.capability === "disabled") {
				return denied("no_executable_wallet", "The wallet may not send now.");
			}
			const chain = deps.chainOf(chainId);
			if (!chain) return denied("chain_unavailable", "The chain is not served here.");
			const expiresAtMs = deps.clock.nowMs() + PLAN_LIFETIME_MS;
			const plan = { ...planOf(request, chain), from: wallet.address, expiresAtMs };
			const { coin } = request;
			const question = coin
				? balanceQuestion(request, { coin, chain, owner: wallet.address })
				: questionOf(request, chain);
			return { kind: "plan", plan, question };
		},
		deny: transferDenial,
		// For the coin, a successful receipt proves the transfer; for a token, its own logs do.
		async settle({ request: { coin, recipient: to, amountRaw } }, { logs }, { wallet }) {
			if (!coin) return null;
			return arrivalDenial(logs, { coin, from: wallet.address, to, raw: BigInt(amountRaw) });
		},
	};
}

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

/**
 * Returns why a transfer is denied besides the limits in USD; null: it is not. If the deployment
 * asks for it, a new recipient must be known for some time before money is sent automatically: in
 * that time the owner can notice actions that are not theirs.
 */
export function transferDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	// Also where the recipient is missing from the situation: a transfer always has one.
	if ((recipientKnownForMs ?? 0) >= limits.recipientCooldownMs) return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}

function denied(code: string, detail: string): { kind: "denied"; denial: Denial } {
	return { kind: "denied", denial: { code, detail } };
}

function planOf(
	{ recipient, amountRaw, coin }: TransferRequest,
	{ id, nativeCurrency }: Chain,
): Omit<Plan, "from" | "expiresAtMs"> {
	const raw = BigInt(amountRaw);
	if (coin) {
		const { address, symbol, decimals } = coin;
		return {
			...{ chainId: id, to: address, valueRaw: 0n, data: coinCalldata(recipient, raw) },
			spend: { currency: address, raw, decimals, symbol },
			...{ recipient, shown: { action: TRANSFER } },
		};
	}
	const { symbol, decimals } = nativeCurrency;
	return {
		chainId: id,
		to: recipient,
		valueRaw: raw,
		data: "0x",
		spend: { currency: ZERO_ADDRESS, raw, decimals, symbol },
		recipient,
		shown: { action: TRANSFER },
	};
}

/**
 * Returns the question whether the wallet holds enough for all transfers of the request together.
 */
function balanceQuestion(
	{ recipient, amountRaw, togetherRaw = amountRaw }: TransferRequest,
	{ coin, chain, owner }: { coin: Coin; chain: Chain; owner: Address },
): Question {
	return {
		call: balanceCall(coin, owner),
		shownBy(answer) {
			const balanceRaw = readBalance(answer);
			if (balanceRaw === null) return denied("currency_unreadable", "The token does not answer.");
			if (balanceRaw < BigInt(togetherRaw)) {
				return denied("balance_insufficient", "The wallet holds less of it than would be sent.");
			}
			const amount = formatAmount({ units: BigInt(amountRaw), currency: coin });
			const summary = `Sends ${amount} ${coin.symbol} to ${recipient} on ${chain.name}.`;
			return { kind: "shown", shown: { action: TRANSFER, summary, token: coin.address } };
		},
	};
}

/**
 * Returns the question whether the recipient is an account or a contract, which a person should
 * know before they agree.
 */
function questionOf({ recipient, amountRaw }: TransferRequest, chain: Chain): Question {
	const { nativeCurrency: currency, name } = chain;
	return {
		call: { method: "eth_getCode", params: [recipient, "latest"] },
		shownBy(answer) {
			const read = code.safeParse(answer);
			if (!read.success) return denied("chain_unavailable", "The node's answer is unreadable.");
			const recipientIsContract = isContract(read.data);
			const amount = formatAmount({ units: BigInt(amountRaw), currency });
			const who = recipientIsContract ? "the contract " : "";
			const summary = `Sends ${amount} ${currency.symbol} to ${who}${recipient} on ${name}.`;
			return { kind: "shown", shown: { action: TRANSFER, summary, recipientIsContract } };
		},
	};
}

function isContract(found: string): boolean {
	return found !== "0x" && !found.toLowerCase().startsWith(DELEGATED);
}
