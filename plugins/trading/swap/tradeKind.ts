import { keepOfTrade } from "#plugins/trading/sql/trades.ts";
import { prepareSwap, tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import type { SwapDeps } from "#plugins/trading/swap/SwapDeps.ts";
import { settleSwap } from "#plugins/trading/swap/settleSwap.ts";
import { readShownSwap } from "#plugins/trading/swap/shownSwap.ts";
import { boundsOf, type TradeRequest, tradeRequest } from "#plugins/trading/swap/tradeRequest.ts";
import type { Denial, IntentKind, Plan } from "#plugins/wallets/contract.ts";

export const TRADE = "trade";

/** Returns the intent kind of trades: at most one allowance, then one swap. */
export function tradeKind(deps: SwapDeps): IntentKind<TradeRequest> {
	return {
		name: TRADE,
		plugin: "trading",
		request: tradeRequest,
		steps: tradeSteps,
		async prepare({ request }, context) {
			switch (request.kind) {
				case "refused":
					return { kind: "denied", denial: request.denial };
				case "hold":
					return { kind: "done" };
				default:
					return prepareSwap(deps, { ...context, request });
			}
		},
		keeps: keepsTrade,
		// The wallet's limits in dollars apply to every kind; a trade has no further ones.
		deny: () => null,
		async settle({ request }, receipt, { wallet, outbound }) {
			if (request.kind !== "swap") return null;
			const { router, wrapped } = deps;
			const { address: sell } = request.sell;
			const { address: buy } = request.buy;
			const of = { wallet: wallet.address, router, wrapped, sell, buy };
			const settled = settleSwap(receipt, of);
			const { transactionHash, blockNumber, blockHash } = receipt;
			const { spentRaw, receivedRaw } = settled;
			const kept = {
				...{ transactionHash, blockNumber, blockHash },
				...{ spentRaw: String(spentRaw), receivedRaw: String(receivedRaw) },
			};
			const { tradeId: id } = request;
			await outbound("trade.record", () => keepOfTrade(deps.db, { id, settled: kept }));
			const bounds = boundsOf(request);
			if (receivedRaw >= bounds.leastRaw && spentRaw <= bounds.mostRaw) return { spentRaw };
			if (receivedRaw <= 0n) return denial("not_received", "Nothing of it arrived in the wallet.");
			return denial("partly_received", "Less arrived in the wallet than the trade's least.");
		},
	};
}

/**
 * Returns whether a new plan is still what its owner agreed to: the same wallet, router and
 * currencies, spending no more and receiving no less. Another route is allowed.
 */
function keepsTrade(approved: Plan, fresh: Plan): boolean {
	const before = readShownSwap(approved.shown);
	const after = readShownSwap(fresh.shown);
	if (!before || !after) return false;
	return (
		fresh.chainId === approved.chainId &&
		fresh.from === approved.from &&
		fresh.to === approved.to &&
		fresh.spend.currency === approved.spend.currency &&
		fresh.spend.raw <= approved.spend.raw &&
		after.buy === before.buy &&
		after.exact === before.exact &&
		BigInt(after.leastRaw) >= BigInt(before.leastRaw)
	);
}

function denial(code: string, detail: string): Denial {
	return { code, detail };
}
