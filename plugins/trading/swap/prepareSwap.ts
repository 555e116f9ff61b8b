// Prepares the next transaction of a swap: its allowance, or the swap itself.

import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { denied, deny } from "#core/fault.ts";
import {
	QUOTE_LIFETIME_MS,
	SENT_DEADLINE_MS,
	SIGNED_DEADLINE_MS,
} from "#plugins/trading/limits.ts";
import type { Asset } from "#plugins/trading/registry/createAssets.ts";
import { changedDenial, readMultipliers } from "#plugins/trading/shares.ts";
import { insertQuotes, keepOfTrade } from "#plugins/trading/sql/trades.ts";
import {
	type EncodedSwap,
	encodeSwap,
	readSimulation,
	type SwapBounds,
	type SwapTerms,
	simulationCall,
	simulationDenial,
} from "#plugins/trading/swap/encodeSwap.ts";
import { assetDenial, judgeRoute, readFunds, silenceOf } from "#plugins/trading/swap/judgeRoute.ts";
import {
	askOf,
	boundsOf,
	isStale,
	limitFor,
	type QuotedSwap,
	quotedOf,
	quoteRows,
	type SwapDeps,
	type SwapRequest,
	shownSwap,
	stricterOf,
} from "#plugins/trading/swap/planSwap.ts";
import { swapFlaw } from "#plugins/trading/swap/readSwap.ts";
import {
	ALLOWANCE,
	amountFigure,
	type Denial,
	type Outbound,
	type Plan,
	type Preparation,
	type Profile,
	type Question,
	type Wallet,
} from "#plugins/wallets/contract.ts";

/** Names of a trade's outbound calls, for the tests that kill between them. */
export const tradeSteps = [
	"trade.funds",
	"trade.simulation",
	"trade.quote",
	"trade.record",
	"trade.arrival",
] as const;

type Asked = {
	request: SwapRequest;
	wallet: Wallet;
	profile: Profile;
	outbound: Outbound;
	signal: AbortSignal;
};

type Encoded = {
	encoded: EncodedSwap;
	bounds: SwapBounds;
	/** The call that simulates the swap with the allowance that it needs. */
	call: RpcCall;
};

const STEPS = ["allowance", "swap"];

/**
 * Returns the next transaction of a swap: the exact allowance that it needs, or the swap itself,
 * within the bounds of its request. Registry and eligibility are checked again, and a quote older
 * than thirty seconds is replaced.
 */
export async function prepareSwap(deps: SwapDeps, asked: Asked): Promise<Preparation> {
	const { request, wallet, profile, outbound, signal } = asked;
	if (wallet.capability === "review-required" || wallet.capability === "disabled") {
		return denied("no_executable_wallet", "The wallet may not send now.");
	}
	const [sell, buy] = await Promise.all([
		deps.assets.read(deps.db, request.sell.address),
		deps.assets.read(deps.db, request.buy.address),
	]);
	const unfit = assetDenial(sell) ?? assetDenial(buy);
	if (unfit) return { kind: "denied", denial: unfit };
	if (!sell || !buy) return denied("asset_not_registered", "It is not in the registry.");
	const nowMs = deps.clock.nowMs();
	const { mayTrade } = deps.eligibility;
	const barred =
		(await mayTrade(deps.db, { profile, asset: sell, side: "sell", nowMs })) ??
		(await mayTrade(deps.db, { profile, asset: buy, side: "buy", nowMs }));
	if (barred) return { kind: "denied", denial: barred };
	const [funds, shares] = await outbound("trade.funds", () => {
		const { address: token } = request.sell;
		const asked = { token, wallet: wallet.address, spender: deps.router, signal };
		return Promise.all([readFunds(deps.rpc, asked), readMultipliers(deps, { sell, buy, signal })]);
	});
	// Its owner was told shares by another multiplier: then it is another trade.
	const other =
		"code" in shares
			? shares
			: (changedDenial(request.sell, shares.sell) ?? changedDenial(request.buy, shares.buy));
	if (other) return { kind: "denied", denial: other };
	const { mostRaw } = boundsOf(request);
	const isNative = request.sell.address === ZERO_ADDRESS;
	if (!isNative && funds.tradableRaw < mostRaw) {
		const short = deny(
			"balance_insufficient",
			`The wallet holds less ${request.sell.symbol} than that.`,
		);
		const [limit, amount] = [funds.tradableRaw, mostRaw].map((raw) =>
			amountFigure(raw, request.sell),
		);
		return { kind: "denied", denial: { ...short, limit, amount } };
	}
	if (!isNative && funds.allowanceRaw < mostRaw) return allowanceFirst(deps, asked);
	const quoted = isStale(request.quoted, nowMs)
		? await quoteAgain(deps, asked, { sell, buy })
		: { quoted: request.quoted, review: request.review };
	if ("code" in quoted) return { kind: "denied", denial: quoted };
	return planned(deps, asked, quoted);
}

/** Plans the exact allowance, after an operator's review where one is needed. */
async function allowanceFirst(deps: SwapDeps, asked: Asked): Promise<Preparation> {
	const { request, outbound } = asked;
	const { quoted, review: reason, tradeId: id } = request;
	const unfitSwap = await firstDenial(deps, asked);
	if (unfitSwap) return { kind: "denied", denial: unfitSwap };
	const swap = planned(deps, asked, { quoted, review: null });
	if (swap.kind !== "plan") return swap;
	const { mostRaw } = boundsOf(request);
	const approval = {
		...{ token: request.sell.address, spender: deps.router, amountRaw: String(mostRaw) },
	};
	await outbound("trade.record", () => keepOfTrade(deps.db, { id, approval }));
	const shown = { ...shownSwap(request, { quoted, ...boundsOf(request) }), steps: STEPS };
	return {
		kind: "first",
		intent: { kind: ALLOWANCE, request: { ...approval, for: "trading", shown } },
		spend: spendOf(request, { mostRaw, quoted }),
		...(reason && { review: { plan: { ...swap.plan, shown }, reason } }),
	};
}

/** A fee, or input that no pool took, is seen only by trying it out. */
const UNTRIED: Denial = {
	code: "simulation_unavailable",
	detail: "The chain's node cannot try the trade out, and it is not sent unseen.",
};

/**
 * Simulates the swap together with its allowance, and returns a denial if it fails: so no allowance
 * is requested for a swap that would fail, or whose token has a transfer fee.
 */
async function firstDenial(deps: SwapDeps, asked: Asked): Promise<Denial | null> {
	const { request, outbound, signal } = asked;
	const swap = encodedSwap(deps, { ...asked, quoted: request.quoted });
	if ("code" in swap) return swap;
	const { call, bounds } = swap;
	const [outcome] = await outbound("trade.simulation", () => deps.rpc.settle([call], { signal }));
	if (outcome?.kind === "fault") {
		if (outcome.fault.code !== "rpc_refused") throw outcome.fault;
		const [limit, amount] = [
			amountFigure(bounds.leastRaw, bounds.buy),
			amountFigure(bounds.mostRaw, bounds.sell),
		];
		const detail =
			`It would fail on chain: for ${amount.value} ${amount.unit} at least ${limit.value} ` +
			`${limit.unit} has to arrive.`;
		return { code: "simulation_failed", detail, limit, amount };
	}
	const balances = readSimulation(outcome?.result);
	return balances ? simulationDenial(balances, bounds) : UNTRIED;
}

/** Quotes once more: within the bounds that the owner knows, or a denial. */
async function quoteAgain(
	deps: SwapDeps,
	{ request, wallet, outbound, signal }: Asked,
	{ sell, buy }: { sell: Asset; buy: Asset },
): Promise<{ quoted: QuotedSwap; review: Denial | null } | Denial> {
	const amountRaw = BigInt(request.amountRaw);
	const taker = wallet.address;
	const ask = askOf(deps, { ...request, amountRaw, taker });
	const { answers, picked } = await outbound("trade.quote", () => deps.quoting.quote(ask, signal));
	const rows = quoteRows(answers, picked);
	await outbound("trade.record", () => insertQuotes(deps.db, request.tradeId, rows));
	if (!picked) return silenceOf(answers, { sell, buy, ...deps });
	const { exact } = request;
	const judged = await outbound("trade.quote", () =>
		judgeRoute(deps, { picked, sell, buy, exact, signal }),
	);
	const { denial: flaw, review, price } = judged;
	if (flaw) return flaw;
	// Its owner was asked for nothing, or said yes to a price that something supported.
	if (price?.kind === "ask" && request.quoted.price?.kind !== "ask") {
		return deny("price_unknown", "What supported its price when it was asked for is gone.");
	}
	const { inRaw, outRaw } = picked.route;
	const { mostRaw, leastRaw } = boundsOf(request);
	if (outRaw < leastRaw || inRaw > mostRaw) {
		return deny("price_moved", "The price moved beyond what the trade was asked for.");
	}
	return { quoted: quotedOf(picked, price), review };
}

function planned(
	deps: SwapDeps,
	{ request, wallet }: Asked,
	{ quoted, review }: { quoted: QuotedSwap; review: Denial | null },
): Preparation {
	const { router, chainId } = deps;
	const swap = encodedSwap(deps, { request, wallet, quoted });
	if ("code" in swap) return { kind: "denied", denial: swap };
	const { encoded, bounds } = swap;
	const { mostRaw, leastRaw } = bounds;
	const shown = { ...shownSwap(request, { quoted, leastRaw, mostRaw }), steps: ["swap"] };
	const plan: Plan = {
		...{
			chainId,
			from: wallet.address,
			to: router,
			valueRaw: encoded.valueRaw,
			data: encoded.data,
		},
		spend: spendOf(request, { mostRaw, quoted }),
		// The other side is a pool's liquidity providers, whom the owner does not pay by address.
		recipient: null,
		shown,
		expiresAtMs: quoted.askedAtMs + QUOTE_LIFETIME_MS,
	};
	const question: Question = {
		call: swap.call,
		shownBy(answer) {
			const balances = readSimulation(answer);
			if (!balances) return { kind: "denied", denial: UNTRIED, isLast: true };
			const unsafe = simulationDenial(balances, bounds);
			if (unsafe) return { kind: "denied", denial: unsafe };
			const { spentRaw, receivedRaw } = balances;
			const simulation = { spentRaw: String(spentRaw), receivedRaw: String(receivedRaw) };
			return { kind: "shown", shown: { ...shown, simulation } };
		},
	};
	const least = amountFigure(leastRaw, request.buy);
	return { kind: "plan", plan, question, least, ...(review && { review }) };
}

/**
 * Returns what leaves the wallet. A stock has no price for limits, so the received amount is
 * valued; or, where that is a stock too, the feeds' prices at the time of the request are used.
 */
function spendOf(
	{ sell, buy, side, worth: known }: SwapRequest,
	{ mostRaw, quoted }: { mostRaw: bigint; quoted: QuotedSwap },
): Plan["spend"] {
	const { address: currency, decimals, symbol } = sell;
	const received = side === "sell" ? { currency: buy.address, raw: BigInt(quoted.outRaw) } : null;
	const worth = known ? { currency: known.currency, raw: BigInt(known.raw) } : received;
	return { currency, raw: mostRaw, decimals, symbol, ...(worth && { worth }) };
}

/** Returns the calldata to sign, read back and found equal to the plan; else a denial. */
function encodedSwap(
	deps: SwapDeps,
	given: { request: SwapRequest; quoted: QuotedSwap; wallet: Wallet },
): Encoded | Denial {
	const { request, wallet } = given;
	const terms = termsOf(deps, given);
	const encoded = encodeSwap(terms);
	const flaw = swapFlaw(encoded, terms);
	if (flaw) {
		deps.log.error("calldata of a swap does not say what was planned", { flaw });
		return deny("calldata_mismatch", "The calldata does not say what was planned.");
	}
	const { exact, amountRaw, limitRaw } = terms;
	const sides = { exact, sell: request.sell, buy: request.buy };
	const bounds =
		exact === "in"
			? { ...sides, mostRaw: amountRaw, leastRaw: limitRaw }
			: { ...sides, mostRaw: limitRaw, leastRaw: amountRaw };
	const { address: sell } = request.sell;
	const allowedRaw = sell === ZERO_ADDRESS ? 0n : bounds.mostRaw;
	const { address: buy } = request.buy;
	const { router } = deps;
	const of = { wallet: wallet.address, router, sell, buy, encoded, allowedRaw };
	return { encoded, bounds, call: simulationCall(of) };
}

function termsOf(
	{ bounds, clock }: SwapDeps,
	{ request, quoted, wallet }: { request: SwapRequest; quoted: QuotedSwap; wallet: Wallet },
): SwapTerms {
	const { exact, sell, buy } = request;
	const amounts = { inRaw: BigInt(quoted.inRaw), outRaw: BigInt(quoted.outRaw) };
	const own = BigInt(request.limitRaw);
	const now = limitFor(amounts, { exact, slippageBps: bounds.slippageBps });
	const fair = quoted.price?.limitRaw ?? null;
	// The strictest of all: an improved price is not given away again, nor one that is fair.
	const strict = stricterOf(
		exact,
		stricterOf(exact, own, now),
		fair === null ? null : BigInt(fair),
	);
	const isSent = wallet.capability === "embedded/delegated";
	const deadlineMs = clock.nowMs() + (isSent ? SENT_DEADLINE_MS : SIGNED_DEADLINE_MS);
	return {
		...{ hops: quoted.hops, exact, amountRaw: BigInt(request.amountRaw) },
		limitRaw: strict,
		isNativeIn: sell.address === ZERO_ADDRESS,
		isNativeOut: buy.address === ZERO_ADDRESS,
		recipient: wallet.address,
		deadlineS: BigInt(Math.floor(deadlineMs / 1_000)),
	};
}
