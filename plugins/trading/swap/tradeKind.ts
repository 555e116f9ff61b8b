// Offers trades to the execution path, and measures by receipt and balances what was swapped.

import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { deny } from "#core/fault.ts";
import { keepOfTrade } from "#plugins/trading/sql/trades.ts";
import {
	boundsOf,
	readShownSwap,
	type SwapDeps,
	type TradeRequest,
	tradeRequest,
} from "#plugins/trading/swap/planSwap.ts";
import { prepareSwap, tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import {
	type IntentKind,
	judgeArrival,
	measureChange,
	type Plan,
	type Receipt,
	type Settlement,
	settledBy,
	toldByLogs,
	toldByValue,
} from "#plugins/wallets/contract.ts";

/** The amounts that a swap's transaction took from the wallet and gave to it, in base units. */
type SettledSwap = { spentRaw: bigint; receivedRaw: bigint };

type Log = Receipt["logs"][number];

/** Whose swap it was, and of what: the zero address is the coin. */
type Swapped = { wallet: Address; router: Address; wrapped: Address; sell: Address; buy: Address };

/** Holds what the balances of a block show of a swap. */
type Held = {
	/** Why it is unknown what was swapped; null: the balances show no less than the receipt. */
	doubt: Settlement;
	/** True where the balances show the least that was agreed, and the token's logs do not. */
	isUntold: boolean;
	/** The amount that the wallet got in addition, from any sender: no fault. */
	moreRaw: bigint;
};

/** `Transfer(address,address,uint256)`, as ERC-20 has it. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD = 66;

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
		async settle({ request }, receipt, { wallet, outbound, signal }) {
			if (request.kind !== "swap") return null;
			const { router, wrapped } = deps;
			const { address: sell } = request.sell;
			const { address: buy } = request.buy;
			const of = { wallet: wallet.address, router, wrapped, sell, buy };
			const settled = settleSwap(receipt, of);
			const bounds = boundsOf(request);
			const { doubt, isUntold, moreRaw } = await outbound("trade.arrival", () =>
				holdAgainstBalances(deps, { of, receipt, settled, leastRaw: bounds.leastRaw, signal }),
			);
			const { transactionHash, blockNumber, blockHash } = receipt;
			const { spentRaw, receivedRaw } = settled;
			const kept = {
				...{ transactionHash, blockNumber, blockHash },
				...{ spentRaw: String(spentRaw), receivedRaw: String(receivedRaw) },
				...(moreRaw > 0n && { moreRaw: String(moreRaw) }),
			};
			const { tradeId: id } = request;
			await outbound("trade.record", () => keepOfTrade(deps.db, { id, settled: kept }));
			const isWithin = receivedRaw >= bounds.leastRaw && spentRaw <= bounds.mostRaw;
			if (doubt && (isWithin || isUntold)) return doubt;
			if (isWithin) return { spentRaw };
			if (receivedRaw <= 0n) return deny("not_received", "Nothing of it arrived in the wallet.");
			return deny("partly_received", "Less arrived in the wallet than the trade's least.");
		},
	};
}

/**
 * Returns the swapped amounts from the receipt's own logs: what left the wallet minus what came
 * back. The native coin leaves no logs: there, the transfers of its wrapped form between router and
 * pools count. Wrapping itself is not counted: some coins log it, others mint.
 */
export function settleSwap({ logs }: Pick<Receipt, "logs">, swap: Swapped): SettledSwap {
	const { sell, buy } = swap;
	return { spentRaw: -changeOf(logs, sell, swap), receivedRaw: changeOf(logs, buy, swap) };
}

function changeOf(logs: Receipt["logs"], token: Address, { wallet, router, wrapped }: Swapped) {
	const [of, account] = token === ZERO_ADDRESS ? [wrapped, router] : [token, wallet];
	return logs.reduce((sum, log) => sum + movedOf(log, { token: of, account }), 0n);
}

/**
 * Compares a receipt's amounts of both currencies with the wallet's balances before and after its
 * block: a token can log anything, and what stays in a router leaves no log. Where the state cannot
 * be read any more, the receipt counts.
 */
async function holdAgainstBalances(
	{ rpc }: Pick<SwapDeps, "rpc">,
	given: {
		of: Swapped;
		receipt: Receipt;
		settled: SettledSwap;
		leastRaw: bigint;
		signal: AbortSignal;
	},
): Promise<Held> {
	const { of, receipt, settled, leastRaw, signal } = given;
	const { wallet, sell, buy } = of;
	const [spent, received] = await Promise.all(
		[sell, buy].map(async (token) => {
			const isCoin = token === ZERO_ADDRESS;
			const byOthers = isCoin ? toldByValue(wallet) : toldByLogs(token, wallet);
			return measureChange(rpc, {
				...{ account: wallet, sender: wallet, receipt, signal },
				holding: isCoin ? { kind: "coin" } : { kind: "token", address: token },
				toldBy(mined) {
					// A swap's coin that the router gives back, or pays out, is in no transaction's value.
					const isSwap = mined.hash === receipt.transactionHash || mined.to === of.router;
					const isTold = isSwap && (isCoin || mined.hash === receipt.transactionHash);
					if (!isTold) return byOthers(mined);
					return mined.succeeded ? changeOf(mined.logs, token, of) : 0n;
				},
			});
		}),
	);
	const arrivals = [
		spent && judgeArrival(spent, -settled.spentRaw),
		received && judgeArrival(received, settled.receivedRaw),
		received && judgeArrival(received, leastRaw),
	];
	const doubtful = arrivals.find((arrival) => arrival?.kind === "doubtful");
	const [, last, least] = arrivals;
	const isUntold = least?.kind === "doubtful" && settled.receivedRaw < leastRaw;
	return {
		doubt: doubtful ? settledBy(doubtful) : null,
		isUntold,
		moreRaw: last?.kind === "arrived" ? last.moreRaw : 0n,
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

function movedOf(
	{ address, topics, data }: Log,
	{ token, account }: { token: Address; account: Address },
): bigint {
	const [topic, from, to] = topics;
	if (address !== token || topic !== TRANSFER || topics.length !== 3) return 0n;
	if (from === undefined || to === undefined || data.length !== WORD) return 0n;
	// Minting or burning: wrapping or unwrapping, or tokens that no pool paid.
	if (isOf(from, ZERO_ADDRESS) || isOf(to, ZERO_ADDRESS)) return 0n;
	const raw = BigInt(data);
	return (isOf(to, account) ? raw : 0n) - (isOf(from, account) ? raw : 0n);
}

function isOf(topic: Hex, account: Address): boolean {
	return topic.length === WORD && BigInt(topic) === BigInt(account);
}
