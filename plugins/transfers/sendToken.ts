// Sends an ERC-20 token: its decimals, its calldata, what a trial shows, and what arrived.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, isAddress } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { hexData } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { decimalString, formatAmount } from "#core/money.ts";
import { SEND_PROBE_CODE, sendProbeAbi } from "#plugins/transfers/abi/sendProbe.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	amountFigure,
	type Denial,
	judgeArrival,
	measureChange,
	type Plan,
	type Question,
	type Receipt,
	type Settlement,
	settledBy,
	type TokenBook,
	toldByLogs,
} from "#plugins/wallets/contract.ts";

/** Holds the result of a trial of a transfer: the balance before, what left, and what arrived. */
type Trial = {
	outcome: "reverts" | "done" | "false" | "unreadable";
	heldRaw: bigint;
	leftRaw: bigint;
	arrivedRaw: bigint;
	isContract: boolean;
};

/** Holds what is sent to whom, and how much of it the whole request sends. */
type Sending = { coin: Coin; chain: Chain; from: Address; to: Address; raw: bigint };

/** The most decimals of a token: real ones have at most 24. */
const COIN_DECIMALS_MAX = 36;

/** An ERC-20 token that is sent. Its address identifies it: any contract can choose any symbol. */
export const coinSchema = z.object({
	address: z.string().refine(isAddress),
	symbol: z.string().min(1).max(64),
	decimals: z.int().min(0).max(COIN_DECIMALS_MAX),
});

export type Coin = z.output<typeof coinSchema>;

const abi = parseAbi([
	"function decimals() view returns (uint8)",
	"function transfer(address to, uint256 amount) returns (bool)",
]);

const OUTCOMES = ["reverts", "done", "false", "unreadable"] as const;
/** Five words, and `0x`. */
const TRIAL_LENGTH = 2 + 5 * 64;

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

/**
 * Reads a token's decimals, and its name from the registry: never the contract's own name. Throws
 * `currency_unreadable` where it does not answer.
 */
export async function readCoin(
	{ rpc, tokens }: { rpc: Rpc; tokens: Pick<TokenBook, "symbolOf"> },
	{ address, chain, signal }: { address: Address; chain: Chain; signal: AbortSignal },
): Promise<Coin> {
	const data = encodeFunctionData({ abi, functionName: "decimals" });
	const call = { method: "eth_call", params: [{ to: address, data }, "latest"] };
	const word = anyCaseWordSchema.safeParse(await rpc.call(call, { signal }));
	const decimals = word.success ? BigInt(word.data) : null;
	if (decimals === null || decimals > BigInt(COIN_DECIMALS_MAX)) {
		throw transfersFault.currencyUnreadable({ detail: address });
	}
	const isWrapped = address === chain.wrappedNative;
	const named = await tokens.symbolOf({ chainId: chain.id, address });
	const symbol = named ?? (isWrapped ? `W${chain.nativeCurrency.symbol}` : address);
	return { address, symbol, decimals: Number(decimals) };
}

/** Returns the calldata of a token transfer. */
export function coinCalldata(recipient: Address, raw: bigint): Hex {
	return encodeFunctionData({ abi, functionName: "transfer", args: [recipient, raw] });
}

/**
 * Returns the call that tries the transfer: the node puts our code at the wallet's address, for one
 * call that changes nothing, and it compares balances. A transfer is refused if it does not move
 * exactly the amount, or if the wallet holds too little for all transfers together.
 */
export function trialQuestion(
	sending: Sending & {
		togetherRaw: bigint;
		/** A sentence for the owner in addition; null: none. */
		note: string | null;
		shown: Plan["shown"];
	},
): Question {
	const { coin, chain, from, to, raw, togetherRaw, note, shown } = sending;
	const args = [coin.address, to, raw] as const;
	const data = encodeFunctionData({ abi: sendProbeAbi, functionName: "probe", args });
	const override = { [from]: { code: SEND_PROBE_CODE } };
	return {
		call: { method: "eth_call", params: [{ from, to: from, data }, "latest", override] },
		shownBy(answer) {
			const trial = readTrial(answer);
			if (!trial) return { kind: "denied", denial: UNTRIED };
			const denial = trialDenial(trial, { coin, raw, togetherRaw });
			if (denial) return { kind: "denied", denial };
			const amount = formatAmount({ units: raw, currency: coin });
			const who = trial.isContract ? `the contract ${to}` : to;
			const sends = `Sends ${amount} ${nameOf(coin)} to ${who} on ${chain.name}.`;
			const summary = note === null ? sends : `${sends} ${note}`;
			const recipientIsContract = trial.isContract;
			return {
				kind: "shown",
				shown: { ...shown, summary, token: coin.address, recipientIsContract },
			};
		},
	};
}

/**
 * Returns the settlement of a mined transfer. What arrived, and what left, is measured by the
 * token's logs and by balances, because a token can log anything.
 */
export async function settleToken(
	rpc: Rpc,
	sent: Omit<Sending, "chain"> & { receipt: Receipt; signal: AbortSignal },
): Promise<Settlement> {
	const { coin, from, to, raw, receipt, signal } = sent;
	const holding = { kind: "token", address: coin.address } as const;
	const changeOf = (account: Address) => {
		const toldBy = toldByLogs(coin.address, account);
		return measureChange(rpc, { account, holding, sender: from, receipt, toldBy, signal });
	};
	const [arrived, left] = await Promise.all([changeOf(to), changeOf(from)]);
	return settledBy(judgeArrival(arrived, raw)) ?? settledBy(judgeArrival(left, -raw));
}

const UNTRIED: Denial = {
	code: "simulation_unavailable",
	detail: "The chain's node cannot try the transfer out, and a token is not sent unseen.",
};

/** Returns the trial by a node's answer; null where it has none that can be read. */
function readTrial(answer: unknown): Trial | null {
	const { data } = hexData.safeParse(answer);
	if (data?.length !== TRIAL_LENGTH) return null;
	const functionName = "probe";
	const read = decodeFunctionResult({ abi: sendProbeAbi, functionName, data });
	const [outcome, heldRaw, leftRaw, arrivedRaw, flag] = read;
	const named = OUTCOMES[Number(outcome)];
	if (!named || flag > 1n) return null;
	return { outcome: named, heldRaw, leftRaw, arrivedRaw, isContract: flag === 1n };
}

/** Returns why what a trial shows is not sent; null: it moves exactly the amount. */
function trialDenial(
	{ outcome, heldRaw, leftRaw, arrivedRaw }: Trial,
	{ coin, raw, togetherRaw }: { coin: Coin; raw: bigint; togetherRaw: bigint },
): Denial | null {
	if (outcome === "unreadable") {
		return { code: "currency_unreadable", detail: "The token does not say what accounts hold." };
	}
	if (heldRaw < togetherRaw) {
		const detail = "The wallet holds less of it than would be sent.";
		const figures = { limit: amountFigure(heldRaw, coin), amount: amountFigure(togetherRaw, coin) };
		return { code: "balance_insufficient", detail, ...figures };
	}
	if (outcome !== "done") {
		const how = outcome === "false" ? "answers false" : "reverts";
		const detail = `It would fail on chain: the token ${how}.`;
		const figures = { limit: amountFigure(heldRaw, coin), amount: amountFigure(raw, coin) };
		return { code: "simulation_failed", detail, ...figures };
	}
	if (leftRaw === raw && arrivedRaw === raw) return null;
	const text = (units: bigint) => decimalString(units, coin.decimals);
	const detail =
		`The token does not move what it is told to: of ${text(raw)}, ${text(leftRaw)} would leave the ` +
		`wallet and ${text(arrivedRaw)} would arrive.`;
	const moved = arrivedRaw === raw ? leftRaw : arrivedRaw;
	const figures = { limit: amountFigure(raw, coin), amount: amountFigure(moved, coin) };
	return { code: "token_unsafe", detail, ...figures };
}

/** Names a token for a sentence: its symbol, where it is not its author's, and its address. */
function nameOf({ symbol, address }: Coin): string {
	return symbol === address ? address : `${symbol} (${address})`;
}
