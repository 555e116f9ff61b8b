import type { Address } from "#core/chain/Hex.ts";
import { ITEMS_PER_ORDER_MAX } from "#plugins/provider/limits.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** What the maker signed, as far as a book needs it. */
export type SignedOrder = {
	maker: Address | null;
	/** The token that changes hands; null where the order leaves open which. */
	token: { contract: Address; tokenId: bigint | null } | null;
	/** It is about several tokens at once, and its price is that of all together. */
	isBundle: boolean;
	/** Units it was signed for. */
	units: bigint | null;
	/** Paid for all of them, in one currency; null where it is paid in several or in none. */
	payment: { currency: Address; total: bigint } | null;
	/** It names who gets the token. */
	isPrivate: boolean;
	startsAtMs: number | null;
	expiresAtMs: number | null;
};

/** Seaport's kinds of items: below this it is money, from here on a token, from 4 any that fits. */
const TOKEN_FROM = 2;
const CRITERIA_FROM = 4;

/** Reads `protocol_data`; null where the provider keeps it back or it is no such thing. */
export function readSignedOrder(
	protocolData: unknown,
	side: "listing" | "offer",
): SignedOrder | null {
	const { parameters } = wire.protocolData.safeParse(protocolData).data ?? {};
	const { data } = wire.parameters.safeParse(parameters);
	if (!data) return null;
	const offered = readItems(data.offer);
	const wanted = readItems(data.consideration);
	const tokens = (side === "listing" ? offered : wanted).filter(isToken);
	const token = tokens[0];
	return {
		maker: data.offerer,
		token: token?.token
			? { contract: token.token, tokenId: isOpen(token) ? null : token.identifierOrCriteria }
			: null,
		isBundle: tokens.length > 1,
		units: token?.startAmount ?? null,
		payment: sumPayments((side === "listing" ? wanted : offered).filter((item) => !isToken(item))),
		isPrivate: side === "listing" && wanted.some(isToken),
		startsAtMs: data.startTime,
		expiresAtMs: data.endTime,
	};
}

type Item = {
	itemType: number | null;
	token: Address | null;
	identifierOrCriteria: bigint | null;
	startAmount: bigint | null;
};

function readItems(rows: readonly unknown[] | null): Item[] {
	return (rows ?? []).slice(0, ITEMS_PER_ORDER_MAX).flatMap((row) => {
		const { data } = wire.item.safeParse(row);
		return data && data.itemType !== null ? [data] : [];
	});
}

const isToken = ({ itemType }: Item) => (itemType ?? 0) >= TOKEN_FROM;
const isOpen = ({ itemType }: Item) => (itemType ?? 0) >= CRITERIA_FROM;

function sumPayments(items: Item[]): SignedOrder["payment"] {
	const currencies = new Set(items.map(({ token }) => token));
	const currency = items[0]?.token;
	if (!currency || currencies.size !== 1) return null;
	return { currency, total: items.reduce((sum, item) => sum + (item.startAmount ?? 0n), 0n) };
}
