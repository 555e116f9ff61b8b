import type { Rates } from "#test/e2e/oracle/expected/createRates.ts";
import type { Told, View } from "#test/e2e/oracle/Known.ts";

/** A listing or an offer in the provider's words, read by each field's meaning. */
export type ToldOrder = {
	hash: string;
	tokenId: string | null;
	total: bigint;
	units: bigint;
	symbol: string;
	decimals: number;
	currency: string;
	maker: string;
	startS: number;
	endS: number;
	/** The price of a unit in wei at the rates of the answer; null without one. */
	unit: bigint | null;
	words: any;
};

/** Says whether the book was read: only then offers are asked for. */
export const isBookRead = ({ told }: View): boolean => told.offers.length > 0;

/** Returns the listings of one contract that any account may fill, by the newest whole answer. */
export function asksOf({ told, rates, address }: View): ToldOrder[] | null {
	const newest = newestOf([...told.listings, ...told.allListings]);
	if (!newest) return null;
	return newest.answer.listings
		.map(priceAt(readListing, rates, newest))
		.filter((one: ToldOrder) => {
			return one.words.protocol_data.parameters.offer[0].token === address;
		});
}

/** Returns the offers of the slug, by the newest answer. */
export function bidsOf({ told, rates, address }: View): ToldOrder[] | null {
	const newest = newestOf(told.offers);
	if (!newest) return null;
	return newest.answer.offers.map(priceAt(readOffer, rates, newest)).filter((one: ToldOrder) => {
		return one.words.protocol_data.parameters.consideration[0].token === address;
	});
}

export function newestOf(all: readonly Told[]): Told | null {
	return all.reduce<Told | null>((best, one) => (best && best.atMs > one.atMs ? best : one), null);
}

/** Returns the price of a unit in wei; null where its currency has no rate. */
export const unitOf = ({ unit }: ToldOrder): bigint | null => unit;

type Unpriced = Omit<ToldOrder, "unit">;

function priceAt(read: (words: any) => Unpriced, rates: Rates, { atMs }: Told) {
	return (words: any): ToldOrder => {
		const order = read(words);
		const { currency, total, units } = order;
		return { ...order, unit: rates.weiOf(currency, total / units, atMs) };
	};
}

function readListing(words: any): Unpriced {
	const { offer, consideration } = words.protocol_data.parameters;
	return readOrder(words, { goods: offer[0], money: consideration[0], price: words.price.current });
}

function readOffer(words: any): Unpriced {
	const { offer, consideration } = words.protocol_data.parameters;
	return readOrder(words, { goods: consideration[0], money: offer[0], price: words.price });
}

function readOrder(words: any, { goods, money, price }: { goods: any; money: any; price: any }) {
	const { startTime, endTime, offerer } = words.protocol_data.parameters;
	return {
		hash: words.order_hash,
		tokenId: goods.itemType >= 4 ? null : goods.identifierOrCriteria,
		total: BigInt(price.value),
		units: BigInt(words.remaining_quantity),
		symbol: price.currency,
		decimals: price.decimals,
		currency: money.token,
		maker: offerer,
		startS: Number(startTime),
		endS: Number(endTime),
		words,
	};
}
