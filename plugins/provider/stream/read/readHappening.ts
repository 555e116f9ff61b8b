import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ProviderEvent } from "#plugins/provider/contract.ts";
import { RAW_BYTES_MAX } from "#plugins/provider/limits.ts";
import { CLOCK_AHEAD_MAX_MS } from "#plugins/provider/stream/limits.ts";
import type { OrderMemory } from "#plugins/provider/stream/read/createOrderMemory.ts";
import { partiesOf } from "#plugins/provider/stream/read/partiesOf.ts";
import { readAccount } from "#plugins/provider/stream/read/readAccount.ts";
import { readItem } from "#plugins/provider/stream/read/readItem.ts";
import type { Place } from "#plugins/provider/stream/read/readPlace.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import { readUnits } from "#plugins/provider/wire/readUnits.ts";

export type Happening = {
	slug: string;
	inner: Readonly<Record<string, unknown>>;
	place: Place;
	orders: OrderMemory;
	nowMs: number;
};

/** Reads a sale or a transfer of a token. `no_roles`: a sale whose seller is not certain. */
export function readHappening(
	happening: Happening,
	kind: "sale" | "transfer",
): ProviderEvent | "no_roles" | "unreadable" {
	return kind === "sale" ? readSale(happening) : readTransfer(happening);
}

function readSale(happening: Happening): ProviderEvent | "no_roles" | "unreadable" {
	const { data } = streamWire.sale.safeParse(happening.inner);
	if (!data) return "unreadable";
	const shared = readShared(happening, { ...data, timeMs: data.closing_date });
	const token = streamWire.paymentToken.safeParse(data.payment_token).data;
	if (!shared || !token || data.sale_price === null) return "unreadable";
	const { address: currency, decimals, symbol } = token;
	const orderHash = data.order_hash;
	const parties = partiesOf({
		maker: readAccount(data.maker),
		taker: readAccount(data.taker),
		currency,
		known: orderHash && happening.orders.find(orderHash),
	});
	if (!parties) return "no_roles";
	const payment = { totalRaw: data.sale_price, currency, decimals, symbol };
	return { ...shared, orderHash, payment, type: "sale", ...parties };
}

function readTransfer(happening: Happening): ProviderEvent | "unreadable" {
	const { data } = streamWire.transfer.safeParse(happening.inner);
	if (!data) return "unreadable";
	const shared = readShared(happening, { ...data, timeMs: null });
	const [from, to] = [readAccount(data.from_account), readAccount(data.to_account)];
	if (!shared || !from || !to) return "unreadable";
	const type = from === ZERO_ADDRESS ? "mint" : "transfer";
	return { ...shared, orderHash: null, payment: null, type, from, to };
}

/** Reads what both have in common; null without a token or a time, or for anything else. */
function readShared(
	{ slug, inner, place, nowMs }: Happening,
	data: { transaction: unknown; quantity?: unknown; timeMs: number | null },
) {
	const transaction = streamWire.transaction.safeParse(data.transaction ?? {}).data;
	const occurredAtMs = transaction?.timestamp ?? data.timeMs ?? place.toldAtMs;
	const quantity = readUnits(data.quantity);
	const nft = readItem(place, slug);
	if (occurredAtMs === null || occurredAtMs > nowMs + CLOCK_AHEAD_MAX_MS) return null;
	if (!nft || !quantity) return null;
	return {
		occurredAtMs,
		chainId: place.chainId,
		transactionHash: transaction?.hash ?? null,
		quantity,
		nft,
		raw: keepRaw(inner, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}
