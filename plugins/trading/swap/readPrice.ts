// Reads everything that says something of a trade's price, and has the verdict made of it.

import type { Queryable } from "#core/db/Database.ts";
import { mulDiv } from "#core/money.ts";
import { alongRoute, isHeldBy, type Ratio, ratioAtTick } from "#plugins/trading/poolRatio.ts";
import type { PoolAverage, PoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import {
	countUnsure,
	dollars,
	judgePrice,
	type PriceFacts,
	type PriceSide,
	type PriceVerdict,
	priceLimit,
} from "#plugins/trading/prices/judgePrice.ts";
import type { PickedRoute } from "#plugins/trading/quotes/createQuoting.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";
import type { Asset, Assets, Pool } from "#plugins/trading/registry/createAssets.ts";
import type { StoredPrice, SwapDeps } from "#plugins/trading/swap/planSwap.ts";
import { type Denial, usdFigure } from "#plugins/wallets/contract.ts";

/** The verdict on a trade's price, and what is stored of it; null: it is refused. */
export type ReadPrice = {
	verdict: PriceVerdict;
	denial: Denial | null;
	stored: StoredPrice | null;
	/** The value of the settlement side in microdollars; where nothing is sure the highest. */
	notionalUsdMicros: bigint | null;
};

type Given = {
	picked: PickedRoute;
	sell: Asset;
	buy: Asset;
	exact: "in" | "out";
	signal: AbortSignal;
};

/** Holds what is needed to read our own record of prices. */
export type PriceRecordDeps = {
	db: Queryable;
	assets: Pick<Assets, "pools" | "setAside" | "read">;
	averages: Pick<PoolAverages, "day">;
	reference: Pick<References, "word">;
};

/**
 * Judges a route's price by feeds, its pools' mean of half an hour, its impact and the second
 * source. Where nothing supports it, it is counted in dollars and its owner is asked up to a bound.
 */
export async function readPrice(deps: SwapDeps, given: Given): Promise<ReadPrice> {
	const { picked, sell, buy, exact } = given;
	const { route } = picked;
	const [sellSide, buySide, average] = await Promise.all([
		sideOf(deps, sell),
		sideOf(deps, buy),
		averageOf(deps, route, given.signal),
	]);
	const facts: PriceFacts = {
		...{ inRaw: route.inRaw, outRaw: route.outRaw, sell: sellSide, buy: buySide, average },
		...{ impactBps: route.impactBps, isOneSilent: picked.isOneSilent },
	};
	const verdict = judgePrice(facts, deps.bounds);
	const known = worthOf(sellSide, route.inRaw) ?? worthOf(buySide, route.outRaw);
	const amountRaw = exact === "in" ? route.inRaw : route.outRaw;
	const limitRaw = priceLimit(verdict, { exact, amountRaw });
	const [first] = verdict.held;
	const fairRaw = first ? fairOf(first.ratio, { exact, amountRaw }) : null;
	const stored: StoredPrice = {
		...{ kind: "yes", from: verdict.held.map(({ from }) => from), countedUsdMicros: null },
		...{ fairRaw: textOf(fairRaw), limitRaw: textOf(limitRaw) },
	};
	if (verdict.kind === "no") {
		return { verdict, denial: verdict.denial, stored: null, notionalUsdMicros: known };
	}
	if (verdict.kind === "yes") return { verdict, denial: null, stored, notionalUsdMicros: known };
	const [sellMicros, buyMicros] = await Promise.all([
		recordedMicros(deps, sell, () => route.inRaw),
		recordedMicros(deps, buy, () => route.outRaw),
	]);
	const counted = countUnsure(facts, { sell: sellMicros, buy: buyMicros });
	const broken = [
		{ ...sell, ...sellSide },
		{ ...buy, ...buySide },
	].find(({ word }) => word.kind === "broken");
	const denial = unsureDenial(deps, { counted, sell, broken: broken?.symbol });
	if (denial || counted === null) {
		return { verdict, denial, stored: null, notionalUsdMicros: counted ?? known };
	}
	return {
		...{ verdict, denial: null, notionalUsdMicros: counted },
		stored: { ...stored, kind: "ask", countedUsdMicros: String(counted) },
	};
}

/** A pool on the way, and its mean of half an hour: a price, and how much it held there. */
type Passed = { hop: Hop; average: PoolAverage; ratio: Ratio };

/**
 * Returns the pools' mean along a route; null where one of them has none. It is whole only where
 * each pool offered at its mean, all the time, what the trade takes of it and gives to it.
 */
async function averageOf(
	{ averages }: SwapDeps,
	{ hops, inRaw, outRaw }: PickedRoute["route"],
	signal: AbortSignal,
): Promise<PriceFacts["average"]> {
	const found = await averages.read(
		hops.map(({ pool }) => pool),
		signal,
	);
	const passed: Passed[] = [];
	for (const [index, hop] of hops.entries()) {
		const average = found[index];
		if (!average) return null;
		passed.push({ hop, average, ratio: ratioAtTick(hop, average.tick) });
	}
	const isWhole = passed.every(({ average }) => average.isWhole);
	return {
		ratio: alongRoute(passed.map(({ ratio }) => ratio)),
		isWhole: isWhole && passed.length > 0 && areDeep(passed, { inRaw, outRaw }),
	};
}

function areDeep(passed: readonly Passed[], of: { inRaw: bigint; outRaw: bigint }): boolean {
	return passed.every(({ hop, average, ratio }, index) => {
		if (average.liquidity === null) return false;
		const before = alongRoute(passed.slice(0, index).map((one) => one.ratio));
		const behind = alongRoute(passed.slice(index + 1).map((one) => one.ratio));
		const amounts = {
			inRaw: mulDiv(of.inRaw, before.num, before.den, "up"),
			outRaw: mulDiv(of.outRaw, behind.den, behind.num, "up"),
		};
		return isHeldBy({ liquidity: average.liquidity, fee: hop.fee }, { ratio, ...amounts });
	});
}

async function sideOf({ reference }: SwapDeps, asset: Asset): Promise<PriceSide> {
	const word = await reference.word(asset);
	return { word, decimals: asset.decimals };
}

function worthOf({ word, decimals }: PriceSide, raw: bigint): bigint | null {
	if (word.kind !== "open") return null;
	return mulDiv(raw, word.microsPerUnit, 10n ** BigInt(decimals), "down");
}

/** Returns all pools that are configured: a pool that no trade uses is a pool all the same. */
export function configuredPools(assets: Pick<Assets, "pools" | "setAside">): readonly Pool[] {
	return [...assets.pools(), ...assets.setAside().map(({ pool }) => pool)];
}

/**
 * Returns microdollars of a whole stock at its highest in our own record of a day, over its pools
 * whose other token has a price; null where there is none. A pool that did not hold what is counted
 * says nothing: its price cost nothing.
 */
export async function recordedMicros(
	deps: PriceRecordDeps,
	asset: Asset,
	/** Says how much is counted, in base units, by the price of a whole one. */
	countedRaw: (microsPerUnit: bigint) => bigint,
): Promise<bigint | null> {
	if (asset.kind !== "stock") return null;
	const { address: token } = asset;
	const pools = configuredPools(deps.assets).filter(({ token0, token1, version }) => {
		return version === "v3" && (token0 === token || token1 === token);
	});
	const days = await deps.averages.day(pools.map(({ address }) => address));
	let highest: bigint | null = null;
	for (const { address, token0, token1, feeBps100: fee } of pools) {
		const day = days.get(address);
		const tokenOut = token0 === token ? token1 : token0;
		const other = await deps.assets.read(deps.db, tokenOut);
		if (!day || !other) continue;
		const word = await deps.reference.word(other);
		if (word.kind !== "open") continue;
		const tick = token === token0 ? day.greatest : day.least;
		const ratio = ratioAtTick({ tokenIn: token, tokenOut }, tick);
		const { num, den } = ratio;
		const whole = 10n ** BigInt(asset.decimals);
		const micros = mulDiv(
			whole * num,
			word.microsPerUnit,
			den * 10n ** BigInt(other.decimals),
			"up",
		);
		const inRaw = countedRaw(micros);
		const amounts = { inRaw, outRaw: mulDiv(inRaw, num, den, "up") };
		if (micros === 0n || !isHeldBy({ liquidity: day.liquidity, fee }, { ratio, ...amounts }))
			continue;
		if (highest === null || micros > highest) highest = micros;
	}
	return highest;
}

function unsureDenial(
	{ bounds }: SwapDeps,
	{ counted, sell, broken }: { counted: bigint | null; sell: Asset; broken: string | undefined },
): Denial | null {
	const why = broken
		? `The price feed of ${broken} cannot be believed now.`
		: "Nothing sure says what that is worth now.";
	if (counted === null) {
		const detail = `${why} Neither a feed nor our own record says what ${sell.symbol} was worth.`;
		return { code: "price_unknown", detail };
	}
	const most = bounds.unpricedUsdMicrosMax;
	if (counted <= most) return null;
	const detail =
		`${why} It counts as $${dollars(counted)}, and its owner is asked for at most ` +
		`$${dollars(most)} at such a price.`;
	return { code: "price_unknown", detail, limit: usdFigure(most), amount: usdFigure(counted) };
}

function fairOf(
	{ num, den }: { num: bigint; den: bigint },
	{ exact, amountRaw }: { exact: "in" | "out"; amountRaw: bigint },
): bigint {
	return exact === "in" ? mulDiv(amountRaw, num, den, "up") : mulDiv(amountRaw, den, num, "down");
}

function textOf(raw: bigint | null): string | null {
	return raw === null ? null : String(raw);
}
