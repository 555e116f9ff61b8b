// Sends an ERC-20 token: its decimals, its calldata, what a trial shows, and what arrived.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, isAddress } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { hexData } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { decimalString, formatAmount } from "#core/money.ts";
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

export const sendProbeAbi = parseAbi([
	"function probe(address token, address to, uint256 amount) returns (uint256 outcome, uint256 held, uint256 left, uint256 arrived, uint256 isContract)",
]);

/** Compiled from `test/harness/contracts/SendProbe.sol`; a test compares it with its source. */
export const SEND_PROBE_CODE: Hex = `0x${[
	"608060405234801561001057600080fd5b506004361061002b5760003560e01c8063dd8e5ec914610030",
	"575b600080fd5b61004361003e3660046103d7565b610071565b60408051958652602086019490945292",
	"84019190915260608301521515608082015260a00160405180910390f35b600080600080600080876001",
	"600160a01b0316803b806020016040519081016040528181526000908060200190933c90506000815111",
	"80156100d95750806000815181106100c1576100c1610413565b6020910101516001600160f81b031916",
	"60ef60f81b14155b91506000806100e88b30610296565b97509150816101085760036000806000975097",
	"509750975050505061028b565b6101128b8b610296565b90925090508161013057506003965060009450",
	"84935061028b915050565b604080516001600160a01b038c8116602483015260448083018d9052835180",
	"84039091018152606490920183526020820180516001600160e01b031663a9059cbb60e01b1790529151",
	"6000928392908f169161018c9190610429565b6000604051808303816000865af19150503d8060008114",
	"6101c9576040519150601f19603f3d011682016040523d82523d6000602084013e6101ce565b60609150",
	"5b5091509150816101ed57506000985088965086955061028b9350505050565b60008151118015610204",
	"57506102028161038f565b155b1561021f5750600298506000965086955061028b9350505050565b6000",
	"61022b8e30610296565b90955090508461024c5750600399506000975087965061028b94505050505056",
	"5b808a03985061025b8e8e610296565b90955090508461027c5750600399506000975087965061028b94",
	"5050505050565b60019a50929092039550505050505b939792965093509350565b600080600080856001",
	"600160a01b03166370a08231866040516024016102cb91906001600160a01b0391909116815260200190",
	"565b6040516020818303038152906040529060e01b6020820180516001600160e01b0383818316178352",
	"505050506040516103049190610429565b600060405180830381855afa9150503d806000811461033f57",
	"6040519150601f19603f3d011682016040523d82523d6000602084013e610344565b606091505b509150",
	"915081158061035857508051602014155b1561036b57600080935093505050610388565b600181806020",
	"0190518101906103819190610458565b9350935050505b9250929050565b6000815160201480156103b5",
	"5750818060200190518101906103b19190610458565b6001145b92915050565b80356001600160a01b03",
	"811681146103d257600080fd5b919050565b6000806000606084860312156103ec57600080fd5b6103f5",
	"846103bb565b9250610403602085016103bb565b9150604084013590509250925092565b634e487b7160",
	"e01b600052603260045260246000fd5b6000825160005b8181101561044a576020818601810151858301",
	"5201610430565b506000920191825250919050565b60006020828403121561046a57600080fd5b505191",
	"905056",
].join("")}`;

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
