import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { PLAN_LIFETIME_MS } from "#plugins/transfers/limits.ts";
import { type TransferRequest, transferRequest } from "#plugins/transfers/TransferRequest.ts";
import { transferDenial } from "#plugins/transfers/transferDenial.ts";
import type { Denial, IntentKind, Plan, Question } from "#plugins/wallets/contract.ts";

export type TransferDeps = {
	clock: Clock;
	/** Null: the chain is not served here. */
	chainOf(chainId: number): Chain | null;
};

export const TRANSFER = "transfer";
/** EIP-7702: an account whose key still owns it has this before a contract's address. */
const DELEGATED = "0xef0100";
const code = z.string().regex(/^0x[0-9a-f]*$/i);

/** Sends a chain's own coin from one of somebody's wallets to one recipient. */
export function transferKind(deps: TransferDeps): IntentKind<TransferRequest> {
	return {
		name: TRANSFER,
		plugin: "transfers",
		request: transferRequest,
		// Whose code it is, is asked with the account.
		steps: [],
		async prepare({ chainId, request }, { wallet }) {
			if (wallet.capability === "review-required" || wallet.capability === "disabled") {
				return denied("no_executable_wallet", "The wallet may not send now.");
			}
			const chain = deps.chainOf(chainId);
			if (!chain) return denied("chain_unavailable", "The chain is not served here.");
			const expiresAtMs = deps.clock.nowMs() + PLAN_LIFETIME_MS;
			const plan = { ...planOf(request, chain), from: wallet.address, expiresAtMs };
			return { kind: "plan", plan, question: questionOf(request, chain) };
		},
		deny: transferDenial,
		// A receipt of success is the transfer: what was sent arrived in the same transaction.
		settle: async () => null,
	};
}

function planOf(
	{ recipient, amountRaw }: TransferRequest,
	{ id, nativeCurrency }: Chain,
): Omit<Plan, "from" | "expiresAtMs"> {
	const raw = BigInt(amountRaw);
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

/** Who gets it, as a person should know before they say yes: an account, or a contract. */
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

function denied(code: string, detail: string): { kind: "denied"; denial: Denial } {
	return { kind: "denied", denial: { code, detail } };
}
