import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { addressSchema } from "#core/chain/hexSchemas.ts";
import { assert, Fault } from "#core/fault.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { ADVANCE_TIMEOUT_MS } from "#plugins/trading/limits.ts";
import { otherApprovals, type Trade } from "#plugins/trading/sql/trades.ts";
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
	amountRaw: z.string().regex(/^\d+$/),
});

const settledSchema = z.object({ spentRaw: z.string().regex(/^\d+$/) });

const READ_TIMEOUT_MS = 3_000;
/** Limits the other trades that are searched for an allowance in the place of this one's. */
const OTHERS_MAX = 20;

/** Lists the states in which an allowance is, or may be, in force on the chain. */
const MAY_HOLD = new Set([
	"signature_required",
	"submitting",
	"submitted",
	"uncertain",
	"confirmed",
]);

const OVER = new Set(["confirmed", "failed", "rejected", "expired", "dry_run"]);

/** Says what the owner is asked to do, by the intent's state. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

/** Makes the functions that show and revoke an allowance that a trade left. */
export function createRevokes(deps: RevokesDeps) {
	const { execution } = deps.wallets;
	return {
		/**
		 * Returns what is left of this trade's own allowance. Null where it gave none, needs it still,
		 * or used all of it, and where a newer trade or the owner set another one in its place.
		 */
		async leftoverOf(
			trade: Trade,
			given: { intent: Intent | null; wallet: Address | undefined },
		): Promise<z.output<typeof leftoverSchema> | null> {
			const { data: approval } = approvalSchema.safeParse(trade.approval);
			const { intent, wallet } = given;
			if (!approval || !wallet || !intent || !isOver(intent)) return null;
			const { token, spender } = approval;
			const ownRaw = BigInt(approval.amountRaw) - spentOf(trade);
			const own = await allowanceOf(deps, intent);
			if (ownRaw <= 0n || !own || !MAY_HOLD.has(own.status)) return null;
			if (await isReplaced(deps, { trade, token, own })) return null;
			try {
				const signal = AbortSignal.any([deps.ending, AbortSignal.timeout(READ_TIMEOUT_MS)]);
				const { allowanceRaw } = await readFunds(deps.rpc, { token, wallet, spender, signal });
				// More than that is an allowance of the owner's own.
				const isOwn = allowanceRaw > 0n && allowanceRaw <= ownRaw;
				return isOwn ? { token, spender, amountRaw: String(allowanceRaw) } : null;
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
					const { id: intentId, status, errorCode, error, transactionHash } = made;
					const expiresAt = link && new Date(link.expiresAtMs).toISOString();
					const body = {
						...{ intentId, status, errorCode, error, transactionHash },
						link: link && { url: link.url, expiresAt },
					};
					return { status: 201, body };
				},
			});
		},
	};
}

function spentOf({ settled }: Trade): bigint {
	return BigInt(settledSchema.safeParse(settled).data?.spentRaw ?? 0);
}

/** Returns the allowance that a trade waited for; null where it never asked for one. */
async function allowanceOf({ wallets }: RevokesDeps, { afterId, profileId }: Intent) {
	return afterId === null ? null : wallets.execution.read(afterId, profileId);
}

/** Returns true where another trade of the wallet set its own allowance of this token later. */
async function isReplaced(
	deps: RevokesDeps,
	{ trade, token, own }: { trade: Trade; token: Address; own: Intent },
): Promise<boolean> {
	for (const id of await otherApprovals(deps.db, { trade, token, limit: OTHERS_MAX })) {
		const other = await deps.wallets.execution.read(id, trade.profileId);
		const allowance = other && (await allowanceOf(deps, other));
		if (allowance?.status === "confirmed" && isLater(allowance, own)) return true;
	}
	return false;
}

/** Returns whether one was mined later; of two found at once, the one that was asked for later. */
function isLater(one: Intent, other: Intent): boolean {
	if (one.changedAtMs !== other.changedAtMs) return one.changedAtMs > other.changedAtMs;
	return one.createdAtMs > other.createdAtMs;
}

/** Returns true if nothing will use the allowance any more. */
function isOver({ status }: Intent): boolean {
	return OVER.has(status);
}
