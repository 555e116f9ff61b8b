// Checks a route against the bounds of the deployment, and reads what a wallet may spend.

import { encodeFunctionData, parseAbi } from "viem";
import { readAbiUint } from "#core/chain/abi.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { deny } from "#core/fault.ts";
import { mulDiv } from "#core/money.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { HAS_NONE, type PickedRoute } from "#plugins/trading/quotes/createQuoting.ts";
import type { SourceAnswer } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Asset, Assets, SetAside } from "#plugins/trading/registry/createAssets.ts";
import type { StoredPrice, SwapDeps } from "#plugins/trading/swap/planSwap.ts";
import { readPrice } from "#plugins/trading/swap/readPrice.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Holds one check of a trade and its result, as it is stored with the trade. */
export type PolicyCheck = {
	check: string;
	/** `asked`: its owner has to say yes. What is `unknown` supports nothing. */
	outcome: "passed" | "denied" | "asked" | "review" | "unknown" | "off";
	code?: string;
	figure?: string | number | null;
};

type JudgedRoute = {
	checks: readonly PolicyCheck[];
	denial: Denial | null;
	review: Denial | null;
	/** The stored verdict on its price; null: it is denied. */
	price: StoredPrice | null;
	/** The value of the settlement side, in microdollars; null: unknown. */
	notionalUsdMicros: bigint | null;
};

/** A wallet's tradable balance of a currency, and the router's allowance, in base units. */
type Funds = { tradableRaw: bigint; allowanceRaw: bigint };

type Given = {
	picked: PickedRoute;
	sell: Asset;
	buy: Asset;
	exact: "in" | "out";
	signal: AbortSignal;
};

const tokenAbi = parseAbi([
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function getUserRawBalance(address account) view returns (uint256)",
]);

/**
 * Checks a route against the bounds: one verdict on its price, the depth of its pools where
 * operators require that, and the divergence of the sources.
 */
export async function judgeRoute(deps: SwapDeps, given: Given): Promise<JudgedRoute> {
	const { picked } = given;
	const { bounds } = deps;
	const [price, depth] = await Promise.all([readPrice(deps, given), depthCheck(deps, given)]);
	const { impact, reference, average } = price.verdict.compared;
	const { divergenceBps } = picked;
	const isApart = divergenceBps !== null && divergenceBps > bounds.divergenceBpsMax;
	const outcome = price.denial ? "denied" : price.stored?.kind === "ask" ? "asked" : "passed";
	const checks: PolicyCheck[] = [
		{ check: "price_impact", ...impact },
		{ check: "reference_price", ...reference },
		{ check: "pool_average", ...average },
		{ check: "price", outcome, figure: price.stored?.from.join(" and ") ?? null },
		depth,
		{
			...{ check: "venue_divergence", figure: divergenceBps },
			outcome: divergenceBps === null ? "unknown" : isApart ? "review" : "passed",
		},
	];
	const shallow = deny("liquidity_insufficient", "Its pools hold too little.");
	return {
		...{ checks, denial: price.denial ?? (depth.outcome === "denied" ? shallow : null) },
		review: isApart
			? deny("venue_divergence", `The sources are ${divergenceBps} basis points apart.`)
			: null,
		...{ price: price.stored, notionalUsdMicros: price.notionalUsdMicros },
	};
}

/**
 * Returns why there is no route: what sources say; where none of them knows one, what became of the
 * pools that would lead there.
 */
export function silenceOf(
	answers: readonly SourceAnswer[],
	{ sell, buy, assets }: { sell: Asset; buy: Asset; assets: Pick<Assets, "setAside"> },
): Denial {
	const silent = answers.filter((answer) => answer.kind === "none");
	const open = silent.filter(({ code }) => !HAS_NONE.test(code));
	if (silent.length === 0 || open.length > 0) {
		const who = open.map(({ source, code }) => `${source} (${code})`).join(", ");
		const silence = who === "" ? "" : ` Silent: ${who}.`;
		return deny("quote_unavailable", `No source has a way for that now.${silence}`);
	}
	const named = silent.find(({ code }) => /^(liquidity_insufficient|amount_invalid)$/.test(code));
	if (named) return deny(named.code, named.detail);
	const stocks = [sell, buy].filter(({ kind }) => kind === "stock");
	const aside = assets.setAside().filter(({ pool: { token0, token1 } }) => {
		return stocks.some(({ address }) => address === token0 || address === token1);
	});
	const far = aside.find(({ flaw }) => flaw === "price");
	if (far) return tooFar(far, stocks);
	if (aside.some(({ flaw }) => flaw === "unreadable")) {
		return deny("quote_unavailable", "The pools that lead there cannot be read now.");
	}
	const said = silent.find(({ code }) => code === "no_route")?.detail;
	return deny("no_route", said ?? "No pool that is configured here leads there.");
}

/** Says that pools lead there, and are not used while their price is so far from what is fair. */
function tooFar({ offBps, boundBps }: SetAside, stocks: readonly Asset[]): Denial {
	const of = stocks.map(({ symbol }) => symbol).join(" and ");
	const bps = (value: number) => ({ value: String(value), unit: "bps" });
	const off = offBps === null ? "" : ` by ${offBps} basis points`;
	const detail =
		`The pools of ${of} are not used now: their price is${off} from what feeds and other pools ` +
		`say, and ${boundBps} are allowed.`;
	return {
		...deny("price_deviation", detail),
		...{ limit: bps(boundBps), ...(offBps !== null && { amount: bps(offBps) }) },
	};
}

/** Returns why the registry does not allow an asset to be traded; null: it does. */
export function assetDenial(asset: Asset | null): Denial | null {
	if (!asset) return { code: "asset_not_registered", detail: "It is not in the registry." };
	const { symbol, status } = asset;
	switch (status) {
		case "active":
			return null;
		case "delisted_pending_review":
			return { code: "asset_delisted", detail: `${symbol} left the issuer's list.` };
		default:
			return { code: "asset_not_verified", detail: `${symbol} did not pass its check on chain.` };
	}
}

/**
 * Reads a wallet's balance and allowance of a currency. For a stock token the contract's tradable
 * balance counts (`getUserRawBalance`), and never more than the wallet holds; raw, whatever its
 * multiplier is.
 */
export async function readFunds(
	rpc: Pick<Rpc, "settle">,
	asked: { token: Address; wallet: Address; spender: Address; signal: AbortSignal },
): Promise<Funds> {
	const { token: to, wallet, spender, signal } = asked;
	if (to === ZERO_ADDRESS) {
		const call = { method: "eth_getBalance", params: [wallet, "latest"] };
		const [outcome] = await rpc.settle([call], { signal });
		return { tradableRaw: quantityOf(outcome), allowanceRaw: 0n };
	}
	const args = [wallet] as const;
	const calls = [
		encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args }),
		encodeFunctionData({ abi: tokenAbi, functionName: "allowance", args: [wallet, spender] }),
		encodeFunctionData({ abi: tokenAbi, functionName: "getUserRawBalance", args }),
	].map((data) => view(to, data));
	const [balance, allowance, tradable] = await rpc.settle(calls, { signal });
	const balanceRaw = wordOf(balance);
	const allowanceRaw = wordOf(allowance);
	const tradableRaw = wordOf(tradable) ?? balanceRaw;
	if (balanceRaw === null || tradableRaw === null || allowanceRaw === null) {
		throw tradeFault.tokenUnreadable();
	}
	const isWithin = tradableRaw <= balanceRaw;
	return { tradableRaw: isWithin ? tradableRaw : balanceRaw, allowanceRaw };
}

/**
 * Returns an amount's value in microdollars; null where no feed has it, or its market is closed.
 */
async function worthOf({ reference }: SwapDeps, asset: Asset, raw: bigint): Promise<bigint | null> {
	const price = await reference.priceUsd(asset);
	if (price === null || "closed" in price) return null;
	return mulDiv(raw, price.microsPerUnit, 10n ** BigInt(asset.decimals), "down");
}

async function depthCheck(deps: SwapDeps, given: Given): Promise<PolicyCheck> {
	const { minLiquidityUsdMicros: leastMicros } = deps.bounds;
	const check = "min_liquidity";
	if (leastMicros === null || !(await deps.isLiquidityEnforced())) return { check, outcome: "off" };
	const micros = await depthOf(deps, given);
	const isDeep = micros !== null && micros >= leastMicros;
	const figure = micros === null ? null : String(micros);
	// Where operators require depth, an unknown depth fails the check.
	return { check, outcome: isDeep ? "passed" : "denied", figure };
}

/**
 * Returns the value of the route's shallowest pool, in microdollars: twice the side that a feed can
 * price. Null where a pool has no such side.
 */
async function depthOf(deps: SwapDeps, { picked, signal }: Given): Promise<bigint | null> {
	let least: bigint | null = null;
	for (const { pool, tokenIn, tokenOut } of picked.route.hops) {
		const sides = await Promise.all(
			[tokenIn, tokenOut].map((token) => sideOf(deps, { pool, token, signal })),
		);
		const known = sides.filter((side) => side !== null);
		const [side] = known.toSorted((one, other) => (one < other ? -1 : 1));
		if (side === undefined) return null;
		if (least === null || side * 2n < least) least = side * 2n;
	}
	return least;
}

async function sideOf(
	deps: SwapDeps,
	{ pool, token, signal }: { pool: Address; token: Address; signal: AbortSignal },
): Promise<bigint | null> {
	const asset = await deps.assets.read(deps.db, token);
	if (!asset) return null;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [pool] });
	const call = { method: "eth_call", params: [{ to: token, data }, "latest"] };
	const [outcome] = await deps.rpc.settle([call], { signal });
	const raw = outcome?.kind === "result" ? readAbiUint(outcome.result) : null;
	return raw === null ? null : worthOf(deps, asset, raw);
}

function quantityOf(outcome: RpcOutcome | undefined): bigint {
	if (outcome?.kind === "fault") throw outcome.fault;
	const told = outcome?.result;
	if (typeof told !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(told)) {
		throw tradeFault.tokenUnreadable({ detail: "a balance that is no number" });
	}
	return BigInt(told);
}

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data }, "latest"] };
}

/**
 * Returns the answer as a number; null where the contract has no such view. Throws where the node
 * does not answer.
 */
function wordOf(outcome: RpcOutcome | undefined): bigint | null {
	if (outcome?.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	return readAbiUint(outcome?.result);
}
