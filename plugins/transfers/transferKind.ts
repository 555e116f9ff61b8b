import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import {
	arrivalDenial,
	balanceCall,
	type Coin,
	coinCalldata,
	readBalance,
} from "#plugins/transfers/coin.ts";
import { PLAN_LIFETIME_MS } from "#plugins/transfers/limits.ts";
import { type TransferRequest, transferRequest } from "#plugins/transfers/TransferRequest.ts";
import { transferDenial } from "#plugins/transfers/transferDenial.ts";
import type { Denial, IntentKind, Plan, Question } from "#plugins/wallets/contract.ts";

export type TransferDeps = {
	clock: Clock;
	/** Returns null where the chain is not served here. */
	chainOf(chainId: number): Chain | null;
};

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

function isContract(found: string): boolean {
	return found !== "0x" && !found.toLowerCase().startsWith(DELEGATED);
}

function denied(code: string, detail: string): { kind: "denied"; denial: Denial } {
	return { kind: "denied", denial: { code, detail } };
}
