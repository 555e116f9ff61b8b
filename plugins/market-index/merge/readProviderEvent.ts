import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ProviderRow } from "#plugins/market-index/confirm/ProviderRow.ts";
import { FUTURE_MAX_MS } from "#plugins/market-index/merge/limits.ts";
import { standInHash } from "#plugins/market-index/merge/standInHash.ts";
import { WEI_PAID_MAX } from "#plugins/market-index/rollup/limits.ts";
import type { ProviderEvent, ProviderPayment } from "#plugins/provider/contract.ts";

export type EventReading = {
	chain: Chain;
	contract: Address;
	/** The provider's name, which is stored as the venue of its sales. */
	providerId: string;
	nowMs: number;
	/** Events from before this time are not kept. */
	keptFromMs: number;
};

const UINT256_END = 2n ** 256n;
const FIRST_MS = Date.UTC(2015, 0, 1);

/**
 * Returns a provider's event as the index stores it; null for listings and offers, which are not
 * stored here, and for impossible events: another contract, no token, no units, a time in the
 * future.
 */
export function readProviderEvent(event: ProviderEvent, reading: EventReading): ProviderRow | null {
	const { chain, contract } = reading;
	const { nft, quantity, occurredAtMs } = event;
	const deed = deedOf(event);
	if (!deed || !nft || event.chainId !== chain.id || nft.contract !== contract) return null;
	if (nft.tokenId < 0n || nft.tokenId >= UINT256_END) return null;
	if (quantity < 1n || quantity >= UINT256_END || !isSane(occurredAtMs, reading)) return null;
	const { kind, from, to } = deed;
	const price = kind === "transfer" ? NO_PRICE : priceOf(chain, event.payment);
	const { tokenId } = nft;
	const transactionHash =
		event.transactionHash ?? standInHash({ ...event, contract, tokenId, kind, from, to });
	return {
		kind,
		transactionHash,
		occurredAtMs,
		contract,
		tokenId,
		quantity,
		from,
		to,
		venue: kind === "sale" ? reading.providerId : null,
		...price,
		...verdict({ kind, from, to, totalRaw: price.totalRaw }),
		payload: event.raw,
	};
}

type Deed = Pick<ProviderRow, "kind" | "from" | "to">;

/**
 * Returns what happened. The provider states the sender of a mint in several ways; here it is
 * always the zero address.
 */
function deedOf(event: ProviderEvent): Deed | null {
	if (event.type === "sale") return { kind: "sale", from: event.seller, to: event.buyer };
	if (event.type !== "mint" && event.type !== "transfer") return null;
	const { from, to } = event;
	const isMint = event.type === "mint" || from === ZERO_ADDRESS || from === to;
	return isMint ? { kind: "mint", from: ZERO_ADDRESS, to } : { kind: "transfer", from, to };
}

function isSane(atMs: number, { nowMs, keptFromMs }: EventReading): boolean {
	return (
		Number.isSafeInteger(atMs) &&
		atMs >= Math.max(FIRST_MS, keptFromMs) &&
		atMs <= nowMs + FUTURE_MAX_MS
	);
}

type Price = Pick<ProviderRow, "currency" | "totalRaw">;

const NO_PRICE: Price = { currency: null, totalRaw: null };

/**
 * Returns the price. An amount in an unknown currency is no price, and neither is more of a coin
 * than can exist.
 */
function priceOf(chain: Chain, payment: ProviderPayment | null): Price {
	if (!payment || payment.totalRaw < 0n || payment.totalRaw >= UINT256_END) return NO_PRICE;
	const currency = payment.currency ?? currencyNamed(chain, payment.symbol);
	if (currency === null && payment.totalRaw > 0n) return NO_PRICE;
	const isCoin = currency === ZERO_ADDRESS || currency === chain.wrappedNative;
	if (isCoin && payment.totalRaw > WEI_PAID_MAX) return NO_PRICE;
	return { currency: currency ?? ZERO_ADDRESS, totalRaw: payment.totalRaw };
}

function currencyNamed(chain: Chain, symbol: string | null): Address | null {
	if (symbol === chain.nativeCurrency.symbol) return ZERO_ADDRESS;
	return symbol === `W${chain.nativeCurrency.symbol}` ? chain.wrappedNative : null;
}

/** Judges as the lanes do: a sale for nothing, or to oneself, counts in no figure. */
function verdict(
	row: Deed & Pick<ProviderRow, "totalRaw">,
): Pick<ProviderRow, "accepted" | "reason"> {
	if (row.kind === "sale" && row.from === row.to) return { accepted: false, reason: "self_trade" };
	if (row.kind === "sale" && row.totalRaw === 0n) return { accepted: false, reason: "zero_price" };
	return { accepted: true, reason: null };
}
