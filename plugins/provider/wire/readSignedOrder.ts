import type { Address } from "#core/chain/Hex.ts";
import { ITEMS_PER_ORDER_MAX } from "#plugins/provider/limits.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** The signed content of an order, as far as a book needs it. */
export type SignedOrder = {
	maker: Address | null;
	/** The token that changes hands; null where the order does not fix it. */
	token: { contract: Address; tokenId: bigint | null } | null;
	/** True: it is for several tokens at once, and its price is for all together. */
	isBundle: boolean;
	/** Units that it was signed for. */
	units: bigint | null;
	/** The payment for all of them, in one currency; null for several currencies or none. */
	payment: { currency: Address; total: bigint } | null;
	/** True: it names the account that gets the token. */
	isPrivate: boolean;
	startsAtMs: number | null;
	expiresAtMs: number | null;
};

/** Seaport's kinds of items: below 2 a payment, from 2 on a token, from 4 on any matching token. */
const TOKEN_FROM = 2;
const CRITERIA_FROM = 4;

/** Reads `protocol_data`; null where the provider withholds it or it is no signed order. */
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
