// Assesses a wish to trade: a swap with its bounds, or why it is refused.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { editDistance } from "#core/editDistance.ts";
import { deny, Fault } from "#core/fault.ts";
import { mulDiv, parseAmount } from "#core/money.ts";
import { ASSETS_MAX } from "#plugins/trading/limits.ts";
import type { PickedRoute } from "#plugins/trading/quotes/createQuoting.ts";
import type { SourceAnswer } from "#plugins/trading/quotes/QuoteSource.ts";
import { type Asset, isTicker, skeletonOf } from "#plugins/trading/registry/createAssets.ts";
import { type Multiplier, readMultipliers, tokensOf } from "#plugins/trading/shares.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import {
	assetDenial,
	judgeRoute,
	type PolicyCheck,
	readFunds,
	silenceOf,
} from "#plugins/trading/swap/judgeRoute.ts";
import {
	askOf,
	limitFor,
	quotedOf,
	type SwapDeps,
	type SwapRequest,
	stricterOf,
	type TradeCurrency,
} from "#plugins/trading/swap/planSwap.ts";
import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";
import {
	amountFigure,
	type Denial,
	type Profile,
	usdFigure,
	type Wallet,
} from "#plugins/wallets/contract.ts";

/** Names the side of a trade that an unknown name belongs to. */
type NamedAs = "bought" | "sold" | "settlement";

/**
 * The assessment of a wish: a swap with its bounds, or why there is none; with checks and quotes.
 */
export type Assessed = {
	outcome:
		| { kind: "swap"; terms: Omit<SwapRequest, "tradeId" | "kind"> }
		| { kind: "hold"; asset: Asset }
		| { kind: "refused"; denial: Denial };
	policy: readonly PolicyCheck[];
	answers: readonly SourceAnswer[];
	picked: PickedRoute | null;
	notionalUsdMicros: bigint | null;
};

type Ask = { wish: TradeWish; profile: Profile; wallet: Wallet | null; signal: AbortSignal };
/** A wish that moves money. */
type Moving = Exclude<TradeWish, { kind: "hold" }>;
type Sides = { side: "buy" | "sell"; asset: Asset; sell: Asset; buy: Asset };

/** A shorter name is near to too many. */
const NEAR_LETTERS_MIN = 3;

const NOT_REGISTERED = deny("asset_not_registered", "It is not in the registry.");

/** The taker in quotes for a profile without a wallet. */
const NOBODY: Address = "0x0000000000000000000000000000000000000001";

/**
 * Assesses a wish: finds the assets, checks eligibility, reads the balance, asks all sources at the
 * same time and checks the best answer against the bounds. Sends and stores nothing. A refusal is a
 * result too: every failure of a source or node becomes one, with its code.
 */
export async function assessTrade(deps: SwapDeps, ask: Ask): Promise<Assessed> {
	const policy: PolicyCheck[] = [];
	const none = { policy, answers: [], picked: null, notionalUsdMicros: null };
	try {
		const found = await resolve(deps, ask, policy);
		if ("code" in found) return { ...none, outcome: { kind: "refused", denial: found } };
		const { wish } = ask;
		if (wish.kind === "hold") return { ...none, outcome: { kind: "hold", asset: found.asset } };
		return await quoteFor(deps, { ...ask, wish, sides: found, policy });
	} catch (error) {
		if (!(error instanceof Fault) || ask.signal.aborted) throw error;
		deps.log.warn("a trade could not be assessed", { error });
		const denial = { code: error.code, detail: error.publicDetail };
		return { ...none, outcome: { kind: "refused", denial } };
	}
}

/**
 * Denies a trade of something that the registry does not have, and says what may be meant: a ticker
 * that is near, what trades are settled in, or how an NFT is bought.
 */
export async function unknownAsset(
	{ db, chainId }: { db: Queryable; chainId: number },
	{ text, as }: { text: string; as: NamedAs },
): Promise<Denial> {
	const near = nearestTicker(text, await assetRows.tickers(db, chainId, ASSETS_MAX));
	return { code: "asset_not_registered", detail: `${absence(text, as)} ${advice(as, near)}` };
}

/** Finds both sides in the registry, and checks whether this profile may trade the asset. */
async function resolve(
	deps: SwapDeps,
	{ wish, profile }: Ask,
	policy: PolicyCheck[],
): Promise<Sides | Denial> {
	const side = wish.kind === "buy" || wish.kind === "buy_with" ? "buy" : "sell";
	const asset = await find(deps, { text: wish.asset, as: side === "buy" ? "bought" : "sold" });
	const flaw = "code" in asset ? asset : assetDenial(asset);
	policy.push(checked("registry", flaw));
	if (flaw || "code" in asset) return flaw ?? NOT_REGISTERED;
	const nowMs = deps.clock.nowMs();
	const barred = await deps.eligibility.mayTrade(deps.db, { profile, asset, side, nowMs });
	policy.push(checked("eligibility", barred));
	if (barred) return barred;
	if (wish.kind === "hold") return { side, asset, sell: asset, buy: asset };
	const money = await find(deps, { text: wish.settlement, as: "settlement" });
	const unfit = "code" in money ? money : settlementDenial(deps, money);
	policy.push(checked("settlement", unfit));
	if (unfit || "code" in money) return unfit ?? NOT_REGISTERED;
	// What it is settled in may be a stock too.
	const other = side === "buy" ? "sell" : "buy";
	const asked = { profile, asset: money, side: other, nowMs } as const;
	const barredToo = await deps.eligibility.mayTrade(deps.db, asked);
	if (barredToo) policy.push(checked("eligibility", barredToo));
	if (barredToo) return barredToo;
	const { wrapped } = deps;
	const tokenOf = ({ address }: Asset) => (address === ZERO_ADDRESS ? wrapped : address);
	if (tokenOf(money) === tokenOf(asset)) {
		return deny("pair_unsupported", `${asset.symbol} is not traded for ${money.symbol}.`);
	}
	const [sell, buy] = side === "buy" ? [money, asset] : [asset, money];
	return { side, asset, sell, buy };
}

async function find(
	{ assets, db, chainId }: SwapDeps,
	named: { text: string; as: NamedAs },
): Promise<Asset | Denial> {
	const found = await assets.find(db, named.text);
	switch (found.kind) {
		case "asset":
			return found.asset;
		case "ambiguous": {
			const meant = found.symbols.join(", ");
			return deny("symbol_ambiguous", `It may mean several: ${meant}. Name it by its address.`);
		}
		default:
			return unknownAsset({ db, chainId }, named);
	}
}

function checked(check: string, denial: Denial | null): PolicyCheck {
	return denial ? { check, outcome: "denied", code: denial.code } : { check, outcome: "passed" };
}

/**
 * Returns a denial unless trades may be settled in this asset: coin, wrapped coin or dollar;
 * another token only if a configured pool holds it.
 */
function settlementDenial({ assets }: SwapDeps, money: Asset): Denial | null {
	if (money.kind === "native") return null;
	const unfit = assetDenial(money);
	if (unfit || money.kind === "wrapped" || money.kind === "stable") return unfit;
	const isPooled = assets.pools().some(({ token0, token1 }) => {
		return token0 === money.address || token1 === money.address;
	});
	if (isPooled) return null;
	return deny("settlement_unsupported", `Nothing is settled in ${money.symbol} here.`);
}

async function quoteFor(
	deps: SwapDeps,
	given: Ask & { wish: Moving; sides: Sides; policy: PolicyCheck[] },
): Promise<Assessed> {
	const { wish, wallet, signal, sides, policy } = given;
	const { sell, buy, asset, side } = sides;
	const refused = (denial: Denial, more: Partial<Assessed> = {}): Assessed => ({
		...{ policy, answers: [], picked: null, notionalUsdMicros: null, ...more },
		outcome: { kind: "refused", denial },
	});
	// A trade without a wallet is stored; the execution path refuses it for that reason.
	const taker = wallet?.address ?? NOBODY;
	const readHeld = async () => {
		const asked = { token: sell.address, wallet: taker, spender: deps.router, signal };
		return wallet ? readFunds(deps.rpc, asked) : null;
	};
	const readShares = () => readMultipliers(deps, { sell, buy, signal });
	// A part of what is held needs the balance first, and shares the multiplier; otherwise all is
	// read at the same time as quotes.
	const held = wish.kind === "sell_share" ? await readHeld() : null;
	const first = "unit" in wish && wish.unit === "shares" ? await readShares() : null;
	if (first && "code" in first) return refused(first);
	const perToken = first && first[side];
	if (first && perToken === null) {
		return refused(deny("amount_invalid", `${asset.symbol} is no stock: it has no shares.`));
	}
	const amount = amountOf(wish, {
		side,
		asset,
		sell,
		tradableRaw: held?.tradableRaw ?? 0n,
		perToken,
	});
	policy.push(checked("amount", "code" in amount ? amount : null));
	if ("code" in amount) return refused(amount);
	const { exact, amountRaw } = amount;
	const short = (heldRaw: bigint, askedRaw: bigint): Denial => ({
		...deny("balance_insufficient", `The wallet holds less ${sell.symbol} than that.`),
		...{ limit: amountFigure(heldRaw, sell), amount: amountFigure(askedRaw, sell) },
	});
	const ask = askOf(deps, { sell, buy, exact, amountRaw, taker });
	const [funds, { answers, picked }, shares] = await Promise.all([
		held ?? readHeld(),
		deps.quoting.quote(ask, signal),
		first ?? readShares(),
	]);
	policy.push(checked("shares", "code" in shares ? shares : null));
	if ("code" in shares) return refused(shares, { answers });
	if (exact === "in" && funds && funds.tradableRaw < amountRaw) {
		return refused(short(funds.tradableRaw, amountRaw));
	}
	if (!picked) return refused(silenceOf(answers, { sell, buy, ...deps }), { answers });
	const judged = await judgeRoute(deps, { picked, sell, buy, exact, signal });
	policy.push(...judged.checks);
	const { notionalUsdMicros, review, price } = judged;
	const told = { answers, picked, notionalUsdMicros };
	if (judged.denial) return refused(judged.denial, told);
	if (funds && funds.tradableRaw < picked.route.inRaw) {
		return refused(short(funds.tradableRaw, picked.route.inRaw), told);
	}
	const { slippageBps } = deps.bounds;
	const fair = price?.limitRaw ?? null;
	const slipped = limitFor(picked.route, { exact, slippageBps });
	let limitRaw = stricterOf(exact, slipped, fair === null ? null : BigInt(fair));
	// A wallet with just enough for the price cannot pay slippage: its balance is then the most.
	if (exact === "out" && funds && limitRaw > funds.tradableRaw) limitRaw = funds.tradableRaw;
	if (limitRaw === 0n) return refused(deny("amount_invalid", "It is too little to trade."), told);
	const isUnsure = price?.kind === "ask";
	const worth = await worthInCoin(deps, { sell, buy, isUnsure, micros: notionalUsdMicros });
	if (isUnsure && worth === null) return refused(uncounted(deps, sell, picked), told);
	const terms = {
		worth,
		...{ side, asset: asset.address, exact, review },
		...{ sell: currencyOf(sell, shares.sell), buy: currencyOf(buy, shares.buy) },
		...{
			amountRaw: String(amountRaw),
			limitRaw: String(limitRaw),
			quoted: quotedOf(picked, price),
		},
	};
	return { outcome: { kind: "swap", terms }, policy, ...told };
}

/** Says that nothing counts a trade in dollars, whose owner would be asked about a figure. */
function uncounted({ bounds }: SwapDeps, sell: Asset, { route }: PickedRoute): Denial {
	return {
		...deny("usd_rate_unavailable", "What it is worth in dollars is not known now."),
		limit: usdFigure(bounds.unpricedUsdMicrosMax),
		amount: amountFigure(route.inRaw, sell),
	};
}

/** Returns the exact amount of a wish, in base units; or the denial. */
function amountOf(
	wish: Moving,
	given: {
		side: "buy" | "sell";
		asset: Asset;
		sell: Asset;
		tradableRaw: bigint;
		/** The multiplier, where the request counts shares. */
		perToken: Multiplier;
	},
): { exact: "in" | "out"; amountRaw: bigint } | Denial {
	const { side, asset, sell, tradableRaw, perToken } = given;
	if (wish.kind === "sell_share") {
		const amountRaw = mulDiv(tradableRaw, BigInt(wish.percent), 100n, "down");
		if (amountRaw > 0n) return { exact: "in", amountRaw };
		return deny("balance_insufficient", `The wallet holds no ${asset.symbol} to sell.`);
	}
	const text = wish.kind === "buy_with" ? wish.spend : wish.quantity;
	const currency = wish.kind === "buy_with" ? sell : asset;
	try {
		const { units } = parseAmount(text, currency);
		const amountRaw = perToken === null ? units : tokensOf(units, perToken, side);
		if (amountRaw === 0n) return deny("amount_invalid", "An amount is more than zero.");
		return { exact: wish.kind === "buy" ? "out" : "in", amountRaw };
	} catch (error) {
		if (error instanceof Fault) return deny("amount_invalid", error.publicDetail);
		throw error;
	}
}

/**
 * Returns a trade's value in the coin, where limits know the price of neither side: one stock is
 * traded for another, or nothing sure says a price. Null for others, or where it is not known now.
 */
async function worthInCoin(
	{ assets, db, reference }: SwapDeps,
	given: { sell: Asset; buy: Asset; isUnsure: boolean; micros: bigint | null },
): Promise<SwapRequest["worth"]> {
	const { sell, buy, isUnsure, micros } = given;
	const isBarter = sell.kind === "stock" && buy.kind === "stock";
	if (micros === null || !(isBarter || isUnsure)) return null;
	const coin = await assets.read(db, ZERO_ADDRESS);
	const price = coin && (await reference.priceUsd(coin));
	if (!coin || !price || "closed" in price || price.microsPerUnit === 0n) return null;
	const raw = mulDiv(micros, 10n ** BigInt(coin.decimals), price.microsPerUnit, "up");
	return { currency: coin.address, raw: String(raw) };
}

function currencyOf({ address, symbol, decimals }: Asset, shares: Multiplier): TradeCurrency {
	return { address, symbol, decimals, multiplier: shares === null ? null : String(shares) };
}

/**
 * Returns the one ticker that looks like this text or differs in one letter; null for none, or for
 * several.
 */
function nearestTicker(text: string, tickers: readonly string[]): string | null {
	const name = text.trim().replace(/^\$/, "").toUpperCase();
	if (!isTicker(name) || name.length < NEAR_LETTERS_MIN) return null;
	const near = tickers.filter((ticker) => {
		return skeletonOf(ticker) === skeletonOf(name) || editDistance(name, ticker) === 1;
	});
	return near.length === 1 ? (near[0] ?? null) : null;
}

function absence(text: string, as: NamedAs): string {
	if (as === "settlement") return `Nothing is settled in "${text}" here.`;
	return `No stock token here is called "${text}".`;
}

function advice(as: NamedAs, near: string | null): string {
	if (as === "settlement") return "Name ETH, WETH or USDG.";
	if (near !== null) return `The nearest ticker is ${near}.`;
	if (as === "sold") return "Each token is in GET /v1/stock-tokens.";
	return "For an NFT: buy <collection> #<id> for at most <amount> eth.";
}
