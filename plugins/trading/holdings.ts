// Reads what a profile's wallets hold, and what it is worth.

import { z } from "zod";
import { readAbiUint } from "#core/chain/abi.ts";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { decimalString, mulDiv, toDisplayNumber } from "#core/money.ts";
import type { LastPrice, References } from "#plugins/trading/prices/createReference.ts";
import { type Asset, type Assets, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { MICROS_DECIMALS, priceParts, renderPrice } from "#plugins/trading/renderAsset.ts";
import { settleViews, type View } from "#plugins/trading/settleViews.ts";
import { multiplierOf, multiplierText, multiplierView, sharesOf } from "#plugins/trading/shares.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

/** The chain's answers about one token in one wallet; null where there was none. */
type BalanceRead = {
	rawBalance: bigint | null;
	/**
	 * The ERC-8056 multiplier at that moment: 1e18 is one share per token. `none`: the token has
	 * none.
	 */
	multiplier: bigint | "none" | null;
};

type Holding = BalanceRead & {
	wallet: Wallet;
	asset: Asset;
	/** Null: the price is unknown. */
	price: LastPrice | null;
	/** The value in microdollars; null where balance or price is unknown. */
	valueMicros: bigint | null;
};

type PortfolioOptions = {
	db: Queryable;
	clock: Clock;
	rpc: Rpc;
	chain: { id: number; slug: string };
	assets: Pick<Assets, "read">;
	reference: Pick<References, "last">;
};

/** Returns what a profile's wallets hold. */
export type Portfolio = (
	profile: Profile,
	asked: { signal: AbortSignal; only?: Address | undefined },
) => Promise<HoldingsAnswer>;

/** The most wallets that are read: each costs one call per token. */
const HOLDING_WALLETS_MAX = 10;
/**
 * Limits the wait for a balance, in milliseconds: it is unknown then, so that the answer comes in
 * time.
 */
const ANSWER_WAIT_MS = 5_000;

const holdingSchema = z
	.object({
		walletId: field.id("The wallet, by its id here."),
		walletAddress: field.addressText("The wallet's address."),
		chain: field.text("Slug of the chain.", "robinhood"),
		chainId: field.integer("EIP-155 id of the chain.", 4_663),
		address: field.addressText("The token; the zero address is the chain's coin."),
		symbol: field.text("Its ticker.", "TSLA"),
		name: field.text("Its name.", "Tesla"),
		kind: z
			.enum(["native", "wrapped", "stable", "stock"])
			.meta({ description: "What it is: a coin, a currency of settlement, a stock token." }),
		status: z.enum(["active", "delisted_pending_review", "unverified"]).meta({
			description: "Only `active` is traded; `unverified` is paused, or waits for a check.",
		}),
		balanceRaw: field
			.digits("What can be traded, in base units; null where the chain did not say.", "2500000")
			.nullable(),
		balance: field.decimal("The same in whole tokens, exact.", "2.5").nullable(),
		uiBalance: field
			.decimal("The same as shares: times the multiplier. To look at, never to send.", "7.5")
			.nullable(),
		multiplier: field.decimal("Shares that one token shows as; null where none.", "3").nullable(),
		...priceParts,
		valueUsd: field
			.number("In US dollars: `balance` times `priceUsd`; null where one is not known.", 1_031.25)
			.nullable(),
	})
	.meta({ id: "Holding", description: "What one wallet holds of one token." });

export const holdingsSchema = z
	.object({
		data: z
			.array(holdingSchema)
			.meta({ description: "The most valuable first; what holds nothing is left out." }),
		page: pageSchema,
		totalUsd: field
			.number("What all of it is worth, in US dollars; null where a part is not known.", 2_048.5)
			.nullable(),
		knownUsd: field.number("What the known part is worth, in US dollars.", 2_048.5),
		asOf: field.time("When balances were read."),
	})
	.meta({ id: "Holdings", description: "What a profile's wallets hold, and what it is worth." });

export type HoldingsAnswer = z.output<typeof holdingsSchema>;

/**
 * Makes the function that reads a profile's holdings: the chain's coin and every token of the
 * registry that was not rejected, including those that are no longer traded; or one of them.
 */
export function createPortfolio(options: PortfolioOptions): Portfolio {
	const { db, clock, rpc, chain, assets, reference } = options;
	return async ({ wallets }, { signal, only }) => {
		const coin = await assets.read(db, ZERO_ADDRESS);
		const rows = await assetRows.all(db, chain.id);
		const listed = rows.filter(({ status }) => status !== "rejected").map(assetOf);
		const asked = [coin, ...listed].filter((asset): asset is Asset => {
			return asset !== null && (only === undefined || asset.address === only);
		});
		const deps = { rpc, reference };
		const holdings = await readHoldings(deps, { wallets, assets: asked, signal });
		return renderHoldings(holdings, { chain: chain.slug, nowMs: clock.nowMs() });
	};
}

/**
 * Reads what wallets hold of tokens, and its value: raw balance times the feed's full price. All
 * balances are read in one request. Zero balances are left out; unknown ones are returned as
 * unknown.
 */
export async function readHoldings(
	deps: { rpc: Rpc; reference: Pick<References, "last"> },
	asked: {
		wallets: readonly Wallet[];
		assets: readonly Asset[];
		signal: AbortSignal;
		waitMs?: number;
	},
): Promise<Holding[]> {
	const { assets, waitMs = ANSWER_WAIT_MS } = asked;
	const wallets = asked.wallets.slice(0, HOLDING_WALLETS_MAX);
	const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(waitMs)]);
	const [reads, prices] = await Promise.all([
		readBalances(deps.rpc, { wallets, assets, signal }),
		Promise.all(assets.map((asset) => deps.reference.last(asset))),
	]);
	const held: Holding[] = [];
	for (const wallet of wallets) {
		for (const [index, asset] of assets.entries()) {
			const read = reads.get(keyOf(wallet.address, asset.address));
			assert(read, "each wallet is asked for each token");
			if (read.rawBalance === 0n) continue;
			const price = prices[index] ?? null;
			held.push({ ...read, wallet, asset, price, valueMicros: worthOf(asset, read, price) });
		}
	}
	return held;
}

export function renderHoldings(
	holdings: readonly Holding[],
	{ chain, nowMs }: { chain: string; nowMs: number },
): HoldingsAnswer {
	const known = holdings.flatMap(({ valueMicros }) => (valueMicros === null ? [] : [valueMicros]));
	const sum = known.reduce((total, value) => total + value, 0n);
	const knownUsd = toDisplayNumber(sum, MICROS_DECIMALS);
	return {
		data: holdings.toSorted(byValue).map((holding) => rendered(holding, chain)),
		page: { nextCursor: null, hasMore: false },
		totalUsd: known.length === holdings.length ? knownUsd : null,
		knownUsd,
		asOf: new Date(nowMs).toISOString(),
	};
}

/**
 * Returns the tradable balance, in the token's own base units. Everything that is sent or sold is
 * part of this, also "all".
 */
export function getUserRawBalance({ rawBalance }: BalanceRead): bigint | null {
	return rawBalance;
}

/**
 * Returns the balance as shares: raw balance times the multiplier, rounded down as the token rounds
 * it. For display only: it is never sent, and never multiplied by the price, which already contains
 * the multiplier.
 */
export function getUserUIBalance({ rawBalance, multiplier }: BalanceRead): bigint | null {
	if (rawBalance === null || multiplier === null) return null;
	return multiplier === "none" ? rawBalance : sharesOf(rawBalance, multiplier);
}

async function readBalances(
	rpc: Rpc,
	{
		wallets,
		assets,
		signal,
	}: { wallets: readonly Wallet[]; assets: readonly Asset[]; signal: AbortSignal },
): Promise<Map<string, BalanceRead>> {
	const multiplied = assets.filter(({ kind }) => kind === "stock");
	const multiplierViews = multiplied.map(({ address }) => multiplierView(address));
	const balanceViews = wallets.flatMap((wallet) => {
		return assets.map((asset) => balanceView(asset.address, wallet.address));
	});
	const views = [...multiplierViews, ...balanceViews];
	const none: RpcOutcome[] = [];
	const outcomes = await settleViews(rpc, views, { signal }).catch(() => none);
	const multipliers = new Map(
		multiplied.map(({ address }, index) => [address, multiplierOf(outcomes[index])]),
	);
	const found = new Map<string, BalanceRead>();
	let at = multiplierViews.length;
	for (const wallet of wallets) {
		for (const asset of assets) {
			const rawBalance = balanceOf(asset.address, outcomes[at++]);
			const read = multipliers.get(asset.address) ?? null;
			// A stock that had a multiplier when it was checked does not lose it.
			const isLost = read === "none" && asset.multiplier !== null;
			const multiplier = asset.kind !== "stock" ? "none" : isLost ? null : read;
			found.set(keyOf(wallet.address, asset.address), { rawBalance, multiplier });
		}
	}
	return found;
}

function balanceView(token: Address, owner: Address): View {
	if (token === ZERO_ADDRESS) return { coinOf: owner };
	return { to: token, data: `0x70a08231${owner.slice(2).padStart(64, "0")}` };
}

function balanceOf(token: Address, outcome: RpcOutcome | undefined): bigint | null {
	if (outcome?.kind !== "result") return null;
	if (token !== ZERO_ADDRESS) return readAbiUint(outcome.result);
	// A contract answers a 32-byte word; for the coin's balance the node answers a quantity.
	return readAbiUint(outcome.result) ?? chainNumbers.wei.safeParse(outcome.result).data ?? null;
}

function keyOf(wallet: Address, token: Address): string {
	return `${wallet}:${token}`;
}

/**
 * Returns the value in microdollars, rounded down so that it never shows money that is not there.
 */
function worthOf(asset: Asset, read: BalanceRead, price: LastPrice | null): bigint | null {
	const raw = getUserRawBalance(read);
	if (raw === null || price === null) return null;
	return mulDiv(raw, price.microsPerUnit, 10n ** BigInt(asset.decimals), "down");
}

/** Orders by value, the highest first and unknown values last. */
function byValue(a: Holding, b: Holding): number {
	const [of, to] = [a.valueMicros ?? -1n, b.valueMicros ?? -1n];
	if (of === to) return a.asset.symbol < b.asset.symbol ? -1 : 1;
	return of > to ? -1 : 1;
}

function rendered(holding: Holding, chain: string): z.output<typeof holdingSchema> {
	const { wallet, asset, multiplier, price, valueMicros } = holding;
	const raw = getUserRawBalance(holding);
	const shown = getUserUIBalance(holding);
	const { chainId, address, symbol, name, kind, status, decimals } = asset;
	return {
		...{ walletId: wallet.id, walletAddress: wallet.address, chain, chainId, address },
		...{ symbol, name, kind, status },
		balanceRaw: raw === null ? null : String(raw),
		balance: raw === null ? null : decimalString(raw, decimals),
		uiBalance: shown === null ? null : decimalString(shown, decimals),
		multiplier: typeof multiplier === "bigint" ? multiplierText(multiplier) : null,
		...renderPrice(price),
		valueUsd: valueMicros === null ? null : toDisplayNumber(valueMicros, MICROS_DECIMALS),
	};
}
