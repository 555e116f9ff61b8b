// Plans and settles the purchase of a buyback, with the steps that come before it.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { formatAmount, mulDiv } from "#core/money.ts";
import { assessMarket, type Purchase } from "#plugins/tokenomics/buyback/assessMarket.ts";
import {
	BPS,
	type BuybackDeps,
	DEADLINE_MARGIN_MS,
	denied,
	type RefusalCode,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { gapBps } from "#plugins/tokenomics/buyback/poolMath.ts";
import { type Funds, type Keeper, readKeeper } from "#plugins/tokenomics/buyback/readKeeper.ts";
import {
	type BuybackRequest,
	buybackRequest,
	purchaseSteps,
	RELEASE,
} from "#plugins/tokenomics/buyback/releaseKind.ts";
import {
	SUPPLY_STANDS,
	settleBuyback,
	supplyFell,
} from "#plugins/tokenomics/buyback/settleBuyback.ts";
import { usdMicrosOf } from "#plugins/tokenomics/buyback/sizeRun.ts";
import { buybackBurnerAbi } from "#plugins/tokenomics/contracts/abi.ts";
import {
	ALLOWANCE,
	type AllowanceRequest,
	type Intent,
	type IntentKind,
	type Outbound,
	type Plan,
	type Preparation,
	type Question,
	type Wallet,
} from "#plugins/wallets/contract.ts";

export const BUYBACK = "buyback";

/** Limits, in basis points, how far the value of a run may exceed its maximum when it is sent. */
const RATE_MOVES_BPS = 1_000n;

const abi = buybackBurnerAbi;

type Preparing = {
	intent: Intent<BuybackRequest>;
	wallet: Wallet;
	outbound: Outbound;
	signal: AbortSignal;
};

/**
 * Buys the token with what was asked for, and burns it, in one call of the burner. What it needs
 * comes first, as steps: the router's payment, an exact allowance. Before each step all bounds are
 * looked at again, so none is sent for a purchase that would be refused.
 */
export function buybackKind(deps: BuybackDeps): IntentKind<BuybackRequest> {
	return {
		name: BUYBACK,
		plugin: "tokenomics",
		request: buybackRequest,
		steps: purchaseSteps,
		prepare: (intent, context) => prepare(deps, { intent, ...context }),
		// Limits in dollars are the path's own; the run's own maxima stand in its request.
		deny: () => null,
		async settle({ plan, request }, receipt, { wallet, outbound, signal }) {
			const { burner, paidWith, token } = request;
			const bought = { burner, paidWith, keeper: wallet.address, data: plan?.data ?? "0x" };
			const { settlement, burn } = settleBuyback(receipt, bought);
			if (!burn || !settlement || "code" in settlement) return settlement;
			const { burnedRaw, spentRaw } = burn;
			const { blockNumber } = receipt;
			const hasFallen = await outbound("buyback.supply", () =>
				supplyFell(deps, { token, blockNumber, burnedRaw, signal }),
			);
			return hasFallen === false ? { ...SUPPLY_STANDS, spentRaw } : settlement;
		},
	};
}

async function prepare(deps: BuybackDeps, preparing: Preparing): Promise<Preparation> {
	const { intent, wallet, outbound, signal } = preparing;
	const { request } = intent;
	const unfit = await standingDenial(deps, preparing);
	if (unfit) return denied(unfit);
	const { paidWith, token } = request;
	const spendRaw = BigInt(request.spendRaw);
	const keeper = await outbound("buyback.keeper", () =>
		readKeeper(deps, {
			...{ contracts: request, keeper: wallet.address, currencies: [paidWith], signal },
		}),
	);
	if ("code" in keeper) return { kind: "denied", denial: keeper };
	const unfitPrice = priceDenial(deps, request);
	if (unfitPrice) return denied(unfitPrice);
	const [funds] = keeper.funds;
	if (!funds || funds.earnedRaw < BigInt(request.releasedRaw)) return denied("nothing_to_spend");
	const market = await outbound("buyback.market", () =>
		assessMarket(deps, { paidWith, token, spendRaw, exact: true, signal }),
	);
	if ("code" in market) return { kind: "denied", denial: market };
	const plan = planOf(deps, { preparing, keeper, market });
	const first = firstOf({ request, funds, keeper, plan });
	if (first) return first;
	if (funds.balanceRaw < spendRaw) {
		return denied("nothing_to_spend", "Less arrived in the keeper's wallet than was paid to it.");
	}
	return { kind: "plan", plan, question: burnQuestion(deps, { plan, market }) };
}

/** Returns a denial if something but the market changed since the run began; null: nothing did. */
async function standingDenial(
	{ isEnabled, walletId, contractsNow, db }: BuybackDeps,
	{ intent: { request, channel }, wallet }: Preparing,
): Promise<RefusalCode | null> {
	if (!isEnabled) return "disabled";
	const isKeeper = walletId !== null && wallet.providerWalletId === walletId;
	if (channel !== "job" || !isKeeper || wallet.capability !== "embedded/delegated") {
		return "no_wallet";
	}
	const now = await contractsNow(db);
	const { token, router, burner } = request;
	const isSame = now?.token === token && now.router === router && now.burner === burner;
	return isSame ? null : "contracts_changed";
}

/**
 * Returns what is wrong with the currency's price by now; null: nothing. A run is sized by the
 * price of its beginning: where that feed is silent since, or was far off, its maximum is no bound.
 */
function priceDenial(
	{ prices, chain, clock, bounds }: BuybackDeps,
	{ paidWith, spendRaw }: BuybackRequest,
): RefusalCode | null {
	const rate = prices.usdRate({ chainId: chain.id, currency: paidWith }, clock.nowMs());
	if (!rate || rate.answer <= 0n) return "no_price";
	const most = mulDiv(bounds.runUsdMicrosMax, BPS + RATE_MOVES_BPS, BPS, "up");
	return usdMicrosOf(BigInt(spendRaw), rate) > most ? "rate_moved" : null;
}

/** Returns the step that comes before the purchase; null: it can be made now. */
function firstOf(given: {
	request: BuybackRequest;
	funds: Funds;
	keeper: Keeper;
	plan: Plan;
}): Preparation | null {
	const { request, funds, keeper, plan } = given;
	const { router, burner, paidWith, spendRaw } = request;
	const { spend, shown } = plan;
	// Half of what a run reserves for gas: the step before has used some.
	const gasRaw = paidWith === ZERO_ADDRESS ? keeper.gasReserveRaw / 2n : 0n;
	const isPaid = funds.earnedRaw - funds.owedRaw >= BigInt(request.releasedRaw);
	const missingRaw = spend.raw + gasRaw - funds.balanceRaw;
	// A payment that is smaller than what is missing changes nothing, and costs its gas.
	const isHelpful = !isPaid || (missingRaw > 0n && funds.owedRaw >= missingRaw);
	if (funds.owedRaw > 0n && isHelpful) {
		const step = { kind: RELEASE, request: { router, currency: paidWith } };
		return { kind: "first", intent: step, spend };
	}
	if (funds.balanceRaw < spend.raw) return null;
	// Not more than is spent either: nothing stays allowed behind the purchase.
	if (funds.allowanceRaw === null || funds.allowanceRaw === spend.raw) return null;
	const allowance: AllowanceRequest = {
		...{ token: paidWith, spender: burner, amountRaw: spendRaw, for: "tokenomics", shown },
	};
	return { kind: "first", intent: { kind: ALLOWANCE, request: allowance }, spend };
}

function planOf(
	{ chain, clock, bounds }: BuybackDeps,
	given: { preparing: Preparing; keeper: Keeper; market: Purchase },
): Plan {
	const { preparing, keeper, market } = given;
	const { request } = preparing.intent;
	const { paidWith, symbol, decimals } = request;
	const { spendRaw, minBurnedRaw, fee } = market;
	const deadlineS = keeper.chainTimeS + BigInt(bounds.deadlineS);
	const args = [paidWith, spendRaw, fee, minBurnedRaw, deadlineS] as const;
	const amount = formatAmount({ units: spendRaw, currency: { symbol, decimals } });
	return {
		...{ chainId: chain.id, from: preparing.wallet.address, to: request.burner },
		valueRaw: paidWith === ZERO_ADDRESS ? spendRaw : 0n,
		data: encodeFunctionData({ abi, functionName: "buyAndBurn", args }),
		spend: {
			...{ currency: paidWith, raw: spendRaw, decimals, symbol },
			// A pool may sell for less than on average: limits count what is bought, where that is more.
			worth: { currency: paidWith, raw: market.worthRaw },
		},
		// Who provides the pool's liquidity is nobody whom the deployment pays by name.
		recipient: null,
		shown: {
			action: BUYBACK,
			summary: `Buys the token with ${amount} ${symbol} and burns it.`,
			...{ slot: request.slot, pool: market.pool, fee },
			...{ minBurnedRaw: String(minBurnedRaw), quotedRaw: String(market.quotedRaw) },
			deviationBps: Number(market.deviationBps),
			impactBps: Number(market.impactBps),
			quotesBps: Number(market.quotesBps),
			deadlineS: Number(deadlineS),
		},
		expiresAtMs: clock.nowMs() + bounds.deadlineS * 1_000 - DEADLINE_MARGIN_MS,
	};
}

/**
 * Plays the exact calldata as the keeper: what would be burned has to be what the pool pays. The
 * burner checks the least; this notices a token that keeps a part, also within the slippage.
 */
function burnQuestion(
	{ bounds }: BuybackDeps,
	{ plan, market }: { plan: Plan; market: Purchase },
): Question {
	const { from, to, data, valueRaw, shown } = plan;
	return {
		call: {
			method: "eth_call",
			params: [{ from, to, data, value: hexQuantity(valueRaw) }, "latest"],
		},
		shownBy(answer) {
			const burnedRaw = burnedBy(answer);
			if (burnedRaw === null) return denied("simulation_failed");
			const isKept = burnedRaw < market.quotedRaw;
			if (isKept && gapBps(burnedRaw, market.quotedRaw) > bounds.quotesBps) {
				return denied("token_unsafe");
			}
			return { kind: "shown", shown: { ...shown, simulatedRaw: String(burnedRaw) } };
		},
	};
}

function burnedBy(answer: unknown): bigint | null {
	if (typeof answer !== "string" || !/^0x[0-9a-f]{64}$/i.test(answer)) return null;
	return decodeFunctionResult({ abi, functionName: "buyAndBurn", data: `0x${answer.slice(2)}` });
}
