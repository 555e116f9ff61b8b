import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { CODE_TIMEOUT_MS, PLAN_LIFETIME_MS } from "#plugins/transfers/limits.ts";
import { type TransferRequest, transferRequest } from "#plugins/transfers/TransferRequest.ts";
import { transferDenial } from "#plugins/transfers/transferDenial.ts";
import type { IntentKind, Plan, Preparation } from "#plugins/wallets/contract.ts";

export type TransferWorld = {
	clock: Clock;
	/** Null: the chain is not served here. */
	access(chainId: number): { chain: Chain; rpc: Rpc } | null;
};

export const TRANSFER = "transfer";
const CODE_STEP = "transfer.code";
/** EIP-7702: an account whose key still owns it has this before a contract's address. */
const DELEGATED = "0xef0100";
const code = z.string().regex(/^0x[0-9a-f]*$/i);

/** Sends a chain's own coin from one of somebody's wallets to one recipient. */
export function transferKind(world: TransferWorld): IntentKind<TransferRequest> {
	return {
		name: TRANSFER,
		plugin: "transfers",
		request: transferRequest,
		steps: [CODE_STEP],
		async prepare({ chainId, request }, { wallet, outbound, signal }) {
			if (wallet.capability === "review-required" || wallet.capability === "disabled") {
				return denied("no_executable_wallet", "The wallet may not send now.");
			}
			const access = world.access(chainId);
			if (!access) return denied("chain_unavailable", "The chain is not served here.");
			const { recipient } = request;
			const within = AbortSignal.any([signal, AbortSignal.timeout(CODE_TIMEOUT_MS)]);
			const call = { method: "eth_getCode", params: [recipient, "latest"] };
			const found = await outbound(CODE_STEP, () => access.rpc.call(call, { signal: within }));
			const read = code.safeParse(found);
			if (!read.success) return denied("chain_unavailable", "The node's answer is unreadable.");
			const recipientIsContract = isContract(read.data);
			const plan = planOf(request, { access, recipientIsContract });
			const expiresAtMs = world.clock.nowMs() + PLAN_LIFETIME_MS;
			return { kind: "plan", plan: { ...plan, from: wallet.address, expiresAtMs } };
		},
		deny: transferDenial,
		// A receipt of success is the transfer: what was sent arrived in the same transaction.
		settle: async () => null,
	};
}

function planOf(
	{ recipient, amountRaw }: TransferRequest,
	given: { access: { chain: Chain }; recipientIsContract: boolean },
): Omit<Plan, "from" | "expiresAtMs"> {
	const { chain } = given.access;
	const { recipientIsContract } = given;
	const raw = BigInt(amountRaw);
	const { symbol, decimals } = chain.nativeCurrency;
	const amount = formatAmount({ units: raw, currency: chain.nativeCurrency });
	const who = recipientIsContract ? "the contract " : "";
	return {
		chainId: chain.id,
		to: recipient,
		valueRaw: raw,
		data: "0x",
		spend: { currency: ZERO_ADDRESS, raw, decimals, symbol },
		recipient,
		shown: {
			action: TRANSFER,
			summary: `Sends ${amount} ${symbol} to ${who}${recipient} on ${chain.name}.`,
			recipientIsContract,
		},
	};
}

function isContract(found: string): boolean {
	return found !== "0x" && !found.toLowerCase().startsWith(DELEGATED);
}

function denied(code: string, detail: string): Preparation {
	return { kind: "denied", denial: { code, detail } };
}
