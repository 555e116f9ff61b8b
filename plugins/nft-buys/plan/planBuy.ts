// Plans a buy: finds the listing, checks its fulfilment, encodes the call.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { denied } from "#core/fault.ts";
import { mulDiv } from "#core/money.ts";
import {
	limitDenial,
	listingDenial,
	stateDenial,
	zoneDenial,
} from "#plugins/nft-buys/check/checks.ts";
import { fillingDenial, paymentOf } from "#plugins/nft-buys/check/fillingDenial.ts";
import { type BuyStep, PLAN_LIFETIME_MS } from "#plugins/nft-buys/limits.ts";
import {
	askFulfilment,
	findListing,
	readFunds,
	readOrderState,
} from "#plugins/nft-buys/listing.ts";
import type { BuyRequest, Payment, Wanted } from "#plugins/nft-buys/model.ts";
import { fundsDenial, shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import { encodeFilling, readFilling, wireOrder } from "#plugins/nft-buys/seaport/encodeFilling.ts";
import { type Filling, marketplaceOf, spenderOf } from "#plugins/nft-buys/seaport/Order.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderFulfilment, ProviderOrder } from "#plugins/provider/contract.ts";
import {
	ALLOWANCE,
	type AllowanceRequest,
	type Channel,
	type Denial,
	type Plan,
	type Preparation,
	type Wallet,
} from "#plugins/wallets/contract.ts";

/** Everything that a buy depends on. None of it signs or stores. */
export type BuyDeps = {
	clock: Clock;
	chains: ChainRegistry;
	rpcOf(chainId: number): Rpc | null;
	provider: Provider;
	prices: Prices;
};

type Asked = {
	chain: Chain;
	rpc: Rpc;
	wanted: Wanted;
	priceLimitRaw: bigint | null;
	/** The channel of the request: a snipe asks the provider again. */
	channel: Channel;
	outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
	signal: AbortSignal;
};

/**
 * Plans a buy: finds the listing, requests its fulfilment, checks that member by member and encodes
 * it here; returns the plan or a denial. Cheap and free checks come before the fulfilment, of which
 * the provider allows a few a minute. Changes nothing anywhere.
 */
export async function planBuy(
	deps: BuyDeps,
	given: Pick<Asked, "channel" | "outbound" | "signal"> & {
		request: BuyRequest;
		chainId: number;
		wallet: Wallet;
	},
): Promise<Preparation> {
	const { request, chainId, wallet, channel, outbound, signal } = given;
	const { contract, tokenId, orderHash, priceLimitRaw } = request;
	const chain = deps.chains.byId(chainId);
	const rpc = deps.rpcOf(chainId);
	if (!canPay(wallet)) return denied("no_executable_wallet", "The wallet cannot pay.");
	if (!chain || !rpc) return denied("chain_unavailable", "The chain is not served here.");
	if (tokenId === null) {
		return denied("listing_not_found", "None of it is for sale in the chain's own coin.");
	}
	const wanted: Wanted = {
		chainId,
		marketplace: marketplaceOf(chainId),
		wallet: wallet.address,
		contract,
		tokenId: BigInt(tokenId),
		quantity: BigInt(request.quantity),
		nowMs: deps.clock.nowMs(),
	};
	const asked: Asked = {
		chain,
		rpc,
		wanted,
		priceLimitRaw: priceLimitRaw === null ? null : BigInt(priceLimitRaw),
		channel,
		outbound,
		signal,
	};
	const { provider } = deps;
	const listing = await findListing({ ...wanted, orderHash }, { provider, outbound, signal });
	if (!listing) return denied("listing_not_found", "That token is not for sale.");
	return await planFill(deps, asked, listing);
}

/** Returns true if a wallet may pay; operators must review the others first. */
function canPay({ capability }: Wallet): boolean {
	return capability !== "disabled" && capability !== "review-required";
}

async function planFill(deps: BuyDeps, asked: Asked, listing: ProviderOrder): Promise<Preparation> {
	const { wanted, outbound, signal, rpc } = asked;
	const { orderHash, maker: offerer } = listing;
	const { marketplace, chainId, contract, tokenId, wallet } = wanted;
	const early = listingDenial(listing, wanted) ?? bookLimitDenial(deps, asked, listing);
	if (early) return { kind: "denied", denial: early };
	const state = await outbound("nft_buy.order_state", () =>
		readOrderState(rpc, { marketplace, orderHash, offerer, signal }),
	);
	const book = wireOrder.listed.safeParse(listing.protocolData).data;
	const over = stateDenial(state, book?.parameters.counter ?? null);
	if (over) return { kind: "denied", denial: over };
	const fulfilment = await askFulfilment(
		deps.provider,
		{
			chainId,
			protocolAddress: marketplace,
			orderHash,
			fulfiller: wallet,
			token: { contract, tokenId },
			// Without it the provider means everything that is left.
			units: wanted.quantity,
		},
		{ channel: asked.channel, outbound, signal },
	);
	if (!fulfilment)
		return denied("listing_gone", "The provider does not fill that listing any more.");
	const read = readFulfilment(fulfilment);
	if ("denial" in read) return { kind: "denied", denial: read.denial };
	const { filling, payment } = read;
	const { extraData } = filling;
	const denial =
		zoneDenial(filling.parameters, { ...wanted, extraData, wallet }) ??
		fillingDenial({ filling, payment, fulfilment, listing, wanted, state }) ??
		limitOf(deps, asked, { currency: payment.currency, raw: payment.total });
	if (denial) return { kind: "denied", denial };
	return await planOf(asked, { listing, filling, payment, fulfilment });
}

/** Checks the book's price first: a listing that is too expensive needs no fulfilment. */
function bookLimitDenial(deps: BuyDeps, asked: Asked, listing: ProviderOrder): Denial | null {
	const { currency, totalRaw, quantity } = listing;
	if (currency === null || quantity <= 0n) return null;
	const raw = mulDiv(totalRaw, asked.wanted.quantity, quantity, "up");
	return limitOf(deps, asked, { currency, raw });
}

function limitOf(
	{ prices }: BuyDeps,
	{ chain, priceLimitRaw: limitRaw, wanted }: Asked,
	price: Parameters<typeof limitDenial>[0]["price"],
): Denial | null {
	return limitDenial({ price, limitRaw, chain, prices, nowMs: wanted.nowMs });
}

function readFulfilment(
	fulfilment: ProviderFulfilment,
): { filling: Filling; payment: Payment } | { denial: Denial } {
	const filling = readFilling(fulfilment);
	if (filling === "function") {
		const detail = "The provider would fill it with a function that is not checked here.";
		return { denial: { code: "fulfilment_function", detail } };
	}
	if (filling === "unreadable") {
		const detail = "The provider's fulfilment cannot be read completely.";
		return { denial: { code: "fulfilment_unreadable", detail } };
	}
	const payment = paymentOf(filling.parameters.consideration, filling);
	const detail = "The order's price is not one amount of one currency.";
	return payment ? { filling, payment } : { denial: { code: "listing_unsupported", detail } };
}

async function planOf(
	{ chain, rpc, wanted, outbound, signal }: Asked,
	given: {
		listing: ProviderOrder;
		filling: Filling;
		payment: Payment;
		fulfilment: ProviderFulfilment;
	},
): Promise<Preparation> {
	const { filling, payment, fulfilment } = given;
	const { wallet, chainId, marketplace, nowMs } = wanted;
	const { currency: address, total } = payment;
	let currency = chain.nativeCurrency;
	if (address !== ZERO_ADDRESS) {
		const spender = spenderOf(filling.fulfillerConduitKey, chainId) ?? marketplace;
		const funds = await outbound("nft_buy.funds", () =>
			readFunds(rpc, { currency: address, wallet, spender, signal }),
		);
		const denial = fundsDenial(payment, funds);
		if (denial) return { kind: "denied", denial };
		// A contract's author chooses its symbol freely, so its address is shown.
		const isWrapped = address === chain.wrappedNative;
		const symbol = isWrapped ? `W${chain.nativeCurrency.symbol}` : address;
		currency = { symbol, decimals: funds.decimals };
		if (funds.allowanceRaw < total) {
			const shown = shownBuy.write({ ...given, wanted, currency, chain });
			const spend = { currency: address, raw: total, ...currency };
			return allowFirst({ spender, spend, shown });
		}
	}
	const endMs = filling.parameters.endTime * 1_000n;
	const untilMs = BigInt(nowMs + PLAN_LIFETIME_MS);
	const plan: Plan = {
		chainId,
		from: wallet,
		to: marketplace,
		valueRaw: address === ZERO_ADDRESS ? total : 0n,
		data: encodeFilling(filling, { wallet, suffix: fulfilment.transaction.calldataSuffix }),
		spend: { currency: address, raw: total, ...currency },
		// The seller is not a recipient that the owner chose by address, so no cooldown applies.
		recipient: null,
		shown: shownBuy.write({ ...given, wanted, currency, chain }),
		expiresAtMs: Number(endMs < untilMs ? endMs : untilMs),
	};
	return { kind: "plan", plan };
}

/**
 * Plans the allowance of exactly the price for the marketplace; then the same listing is bought.
 */
function allowFirst({
	spender,
	spend,
	shown,
}: {
	spender: Address;
	spend: Plan["spend"];
	shown: Readonly<Record<string, unknown>>;
}): Preparation {
	const summary = `Lets the marketplace take exactly that price once, and then: ${shown["summary"]}`;
	const request: AllowanceRequest = {
		...{ token: spend.currency, spender, amountRaw: String(spend.raw), for: "nft-buys" },
		shown: { ...shown, action: "allowance", spender, summary },
	};
	return { kind: "first", intent: { kind: ALLOWANCE, request }, spend };
}
