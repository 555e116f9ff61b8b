import type { ProviderOrder, ProviderOrderCriteria } from "#plugins/provider/contract.ts";
import { CRITERIA_PER_ORDER_MAX, RAW_BYTES_MAX } from "#plugins/provider/limits.ts";
import { readAccount } from "#plugins/provider/stream/read/readAccount.ts";
import type { Place } from "#plugins/provider/stream/read/readPlace.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import { orderTotal } from "#plugins/provider/wire/orderTotal.ts";
import { readSignedOrder } from "#plugins/provider/wire/readSignedOrder.ts";
import { readUnits } from "#plugins/provider/wire/readUnits.ts";

export type OrderKind = ProviderOrder["kind"];

/**
 * Reads a new listing or offer. `no_price`: not for sale at a price, since an auction's first bid
 * is no ask, and a price of zero means a gift.
 */
export function readNewOrder(
	inner: unknown,
	kind: OrderKind,
	place: Place,
): ProviderOrder | "no_price" | "unreadable" {
	const { data } = streamWire.order.safeParse(inner);
	if (!data) return "unreadable";
	if (data.listing_type === "english" || data.base_price === 0n) return "no_price";
	const side = kind === "listing" ? "listing" : "offer";
	const signed = readSignedOrder(data.protocol_data, side);
	const payment = streamWire.paymentToken.safeParse(data.payment_token).data;
	const [maker, quantity] = [readAccount(data.maker), readUnits(data.quantity)];
	const { order_hash: orderHash, base_price: price } = data;
	if (!orderHash || !maker || !quantity || price === null) return "unreadable";
	// Without either the amount cannot be computed.
	if (!payment || payment.decimals === null || payment.symbol === null) return "unreadable";
	// An event that contradicts what was signed is no order.
	if (signed?.maker && signed.maker !== maker) return "unreadable";
	const tokenId = side === "listing" || kind === "item_offer" ? place.token?.tokenId : null;
	const criteria = kind === "trait_offer" ? readCriteria(data) : [];
	if (tokenId === undefined || !criteria) return "unreadable";
	const { units = null, payment: signedPayment = null } = signed ?? {};
	const signedTotal = signedPayment?.total ?? null;
	return {
		side,
		kind,
		orderHash,
		chainId: place.chainId,
		protocolAddress: data.protocol_address,
		maker,
		contract: place.token?.contract ?? contractOf(data) ?? signed?.token?.contract ?? null,
		tokenId,
		quantity,
		totalRaw: orderTotal(price, { units, remaining: quantity, signedTotal }),
		currency: payment.address,
		decimals: payment.decimals,
		symbol: payment.symbol,
		isActive: true,
		isPrivate: data.is_private === true || signed?.isPrivate === true || hasTaker(data),
		startsAtMs: data.listing_date ?? signed?.startsAtMs ?? data.created_date,
		expiresAtMs: data.expiration_date ?? signed?.expiresAtMs ?? null,
		criteria,
		protocolData: data.protocol_data
			? keepRaw(data.protocol_data, { bytesMax: RAW_BYTES_MAX, mayShorten: false })
			: null,
	};
}

type Row = Pick<
	ReturnType<typeof streamWire.order.parse>,
	"taker" | "asset_contract_criteria" | "trait_criteria" | "trait_criteria_list"
>;

function hasTaker({ taker }: Row): boolean {
	return readAccount(taker) !== null;
}

function contractOf({ asset_contract_criteria }: Row) {
	return readAccount(asset_contract_criteria);
}

/**
 * Returns every requested trait. Null where there is none or one cannot be read: such an offer
 * would pass for one on other tokens.
 */
function readCriteria(row: Row): ProviderOrderCriteria[] | null {
	const asked = row.trait_criteria_list ?? [row.trait_criteria];
	const criteria = asked.slice(0, CRITERIA_PER_ORDER_MAX).flatMap((one) => {
		const { data } = streamWire.traitCriteria.safeParse(one);
		const { trait_type: type = null, trait_name: value = null } = data ?? {};
		return type !== null && value !== null ? [{ type, value }] : [];
	});
	return criteria.length > 0 && criteria.length === asked.length ? criteria : null;
}
