import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { addressSchema } from "#core/chain/hexSchemas.ts";
import { assert, Fault } from "#core/fault.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { ADVANCE_TIMEOUT_MS } from "#plugins/trading/limits.ts";
import type { Trade } from "#plugins/trading/sql/trades.ts";
import { readFunds } from "#plugins/trading/swap/judgeRoute.ts";
import type { SwapDeps } from "#plugins/trading/swap/planSwap.ts";
import type { leftoverSchema } from "#plugins/trading/trade/renderTrade.ts";
import { ALLOWANCE, type Intent, type Principal, type Wallets } from "#plugins/wallets/contract.ts";

type RevokesDeps = SwapDeps & {
	wallets: Pick<Wallets, "execution" | "once" | "link">;
	ending: AbortSignal;
};

const approvalSchema = z.object({
	token: addressSchema,
	spender: addressSchema,
	amountRaw: z.string(),
});

const READ_TIMEOUT_MS = 3_000;

const OVER = new Set(["confirmed", "failed", "rejected", "expired", "dry_run"]);

/** What the owner is asked to do, by the intent's state. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

/** Makes the functions that show and revoke an allowance that a trade left. */
export function createRevokes(deps: RevokesDeps) {
	const { execution } = deps.wallets;
	return {
		/**
		 * Returns null where nothing was allowed, where it is still needed, or where nothing is left.
		 */
		async leftoverOf(
			trade: Trade,
			given: { intent: Intent | null; wallet: Address | undefined },
		): Promise<z.output<typeof leftoverSchema> | null> {
			const { data: approval } = approvalSchema.safeParse(trade.approval);
			const { intent, wallet } = given;
			if (!approval || !wallet || !intent || !isOver(intent)) return null;
			const { token, spender } = approval;
			try {
				const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(READ_TIMEOUT_MS)]);
				const { allowanceRaw } = await readFunds(deps.rpc, { token, wallet, spender, signal });
				return allowanceRaw === 0n ? null : { token, spender, amountRaw: String(allowanceRaw) };
			} catch (error) {
				if (!(error instanceof Fault)) deps.log.warn("an allowance could not be read", { error });
				return { token, spender, amountRaw: null };
			}
		},
		/** Sets the allowance of a finished trade to zero, once per key. Answers 201. */
		async revoke(
			trade: Trade,
			asked: { principal: Principal; intent: Intent; route: string; idempotencyKey: string | null },
		): Promise<Response> {
			const { principal, intent, route, idempotencyKey } = asked;
			const { profile } = principal;
			const { data: approval } = approvalSchema.safeParse(trade.approval);
			const wallet = profile.wallets.find(({ id }) => id === trade.walletId);
			if (!approval || !wallet || !isOver(intent)) throw tradeFault.tradeState();
			const { token, spender } = approval;
			const summary = `Takes back that ${spender} may take ${token}.`;
			const shown = { action: "revoke", summary, token, spender };
			const request = { token, spender, amountRaw: "0", for: "trading", shown };
			const chainId = trade.chainId;
			return deps.wallets.once({
				...{ principal, route, idempotencyKey, body: { id: trade.id } },
				intents: [{ kind: ALLOWANCE, profile, wallet, chainId, channel: "api", request }],
				async answer(ids, recorded) {
					const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
					const [made] = await execution.advance(ids, signal, recorded);
					assert(made, "an intent that was created is there");
					const purpose = PURPOSES.get(made.status);
					const link = purpose ? await deps.wallets.link(made, purpose) : null;
					const { id: intentId, status, errorCode, transactionHash } = made;
					const expiresAt = link && new Date(link.expiresAtMs).toISOString();
					const body = {
						...{ intentId, status, errorCode, transactionHash },
						link: link && { url: link.url, expiresAt },
					};
					return { status: 201, body };
				},
			});
		},
	};
}

/** Returns true if nothing will use the allowance any more. */
function isOver({ status }: Intent): boolean {
	return OVER.has(status);
}
