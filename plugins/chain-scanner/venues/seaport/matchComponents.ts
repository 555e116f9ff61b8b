// Pairs the orders of a match, and splits it into parts that trade different NFTs.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type {
	Fulfilment,
	OfferedItem,
	ReceivedItem,
} from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

/** Holds the amounts of a currency that the orders of a component give and ask for. */
export type Purse = { given: bigint; asked: bigint; givers: number };

/** Connected orders of a match. */
export type MatchComponent = {
	orders: OrderSides[];
	/** Orders without an NFT that only bring money: the mirrors of private sales. */
	payers: OrderSides[];
	purses: Map<Address, Purse>;
	/** False where orders are missing: then it is not known what was left over. */
	allKnown: boolean;
	/** Currencies that may cross to another component: what was left of them cannot be proven. */
	openCurrencies: ReadonlySet<Address>;
};

/** An order by what it gives and what it asks for. Items that moved nothing are left out. */
export type OrderSides = Fulfilment & {
	givesNfts: OfferedItem[];
	givesPayments: OfferedItem[];
	asksNfts: ReceivedItem[];
	asksPayments: ReceivedItem[];
};

/** `rank` numbers items in log order, so that "the first" of a split is the same in every run. */
export type Supply = { side: OrderSides; item: OfferedItem; left: bigint; rank: number };
export type Demand = { side: OrderSides; item: ReceivedItem; left: bigint; rank: number };
export type Pair = { supply: Supply; demand: Demand; quantity: bigint };

export type Pairing = {
	pairs: Pair[];
	/** Supplies with units left that no order asked for. */
	unasked: Supply[];
	/** Demands with units left that no order gave. */
	unmet: Demand[];
};

type Book = { supplies: Supply[]; demands: Demand[] };

/** An NFT that went from one order to another, or to the match's recipient. */
export type MatchedNft = {
	giver: OrderSides;
	/** The order that asked for it; null where it was left over. */
	taker: OrderSides | null;
	item: OfferedItem;
	quantity: bigint;
	buyer: Address;
	supplyRank: number;
	demandRank: number;
};

// The payers of an account that buys in more parts of one match than this are not placed.
const HOMES_COMPARED_MAX = 100;

// Preferences compare every supply with every demand of one NFT; beyond this, log order decides.
const PREFERENCE_COMPARISONS_MAX = 10_000;

/**
 * Splits a match into parts that trade different NFTs, so that prices do not mix.
 *
 * Orders are connected by their NFTs. An order that only brings money belongs to the one part in
 * which its offerer receives something, or of several such parts to the one that lacks its money;
 * if that is not clear it belongs to none.
 */
export function matchComponents(
	sides: readonly OrderSides[],
	buyersOf: (side: OrderSides) => Iterable<Address>,
): MatchComponent[] {
	const components = joinByNft(sides);
	const homes = homesOf(components, buyersOf);
	for (const component of components) {
		for (const side of component.orders) countIn(component, side);
	}
	const openCurrencies = new Set<Address>();
	const only = components.length === 1 ? components[0] : undefined;
	const isShort = (component: MatchComponent, side: OrderSides) =>
		side.givesPayments.some((item) => {
			const purse = component.purses.get(currencyOf(item));
			return purse !== undefined && purse.given < purse.asked;
		});
	// What is lacking is computed before any payer is placed, so that their order in the logs does
	// not matter.
	const placed: { component: MatchComponent; side: OrderSides }[] = [];
	for (const side of sides) {
		if (side.givesNfts.length + side.asksNfts.length > 0) continue;
		const own = [...(homes.get(side.order.offerer) ?? [])];
		const isFew = own.length <= HOMES_COMPARED_MAX;
		const short = isFew ? own.filter((component) => isShort(component, side)) : [];
		const component = only ?? soleOf(own) ?? soleOf(short);
		if (component) placed.push({ component, side });
		else {
			for (const item of [...side.givesPayments, ...side.asksPayments]) {
				openCurrencies.add(currencyOf(item));
			}
		}
	}
	for (const { component, side } of placed) {
		component.orders.push(side);
		if (side.givesPayments.length > 0) component.payers.push(side);
		countIn(component, side);
	}
	for (const component of components) {
		for (const [currency, purse] of component.purses) {
			if (purse.given < purse.asked) openCurrencies.add(currency);
		}
		component.openCurrencies = openCurrencies;
	}
	return components;
}

/** Sorts an order's items; every later conclusion starts from these four lists. */
export function orderSides({ logIndex, order }: Fulfilment): OrderSides {
	const [givesNfts, givesPayments] = sorted(order.offer);
	const [asksNfts, asksPayments] = sorted(order.consideration);
	return { logIndex, order, givesNfts, givesPayments, asksNfts, asksPayments };
}

/**
 * Pairs orders that give an NFT with those that ask for it, unit by unit.
 *
 * The logs do not say which offer met which demand. An order's own demand comes first (a private
 * listing names its buyer), then pairs of different accounts, in log order: if one account both
 * sells and buys the same NFT in a match, the units change hands rather than return.
 */
export function pairNfts(sides: readonly OrderSides[]): Pairing {
	const books = new Map<string, Book>();
	const bookOf = (key: string): Book => {
		const found = books.get(key);
		if (found) return found;
		const made: Book = { supplies: [], demands: [] };
		books.set(key, made);
		return made;
	};
	let rank = 0;
	for (const side of sides) {
		for (const item of side.givesNfts) {
			bookOf(nftKey(item)).supplies.push({ side, item, left: item.amount, rank: rank++ });
		}
		for (const item of side.asksNfts) {
			bookOf(nftKey(item)).demands.push({ side, item, left: item.amount, rank: rank++ });
		}
	}
	const pairing: Pairing = { pairs: [], unasked: [], unmet: [] };
	for (const { supplies, demands } of books.values()) {
		pairBook(pairing.pairs, supplies, demands);
		for (const supply of supplies) if (supply.left > 0n) pairing.unasked.push(supply);
		for (const demand of demands) if (demand.left > 0n) pairing.unmet.push(demand);
	}
	return pairing;
}

/**
 * Returns the key by which Seaport compares NFTs: an offer meets a demand only within one item
 * type.
 */
export function nftKey(item: OfferedItem): string {
	return `${item.itemType}:${item.token}:${item.identifier}`;
}

function joinByNft(sides: readonly OrderSides[]): MatchComponent[] {
	const parents = sides.map((_, index) => index);
	const rootOf = (index: number): number => {
		let root = index;
		for (let parent = parents[root]; parent !== undefined && parent !== root; ) {
			parents[root] = parents[parent] ?? parent;
			root = parent;
			parent = parents[root];
		}
		return root;
	};
	const firstOfKey = new Map<string, number>();
	for (const [index, side] of sides.entries()) {
		for (const item of [...side.givesNfts, ...side.asksNfts]) {
			const first = firstOfKey.get(nftKey(item));
			if (first === undefined) firstOfKey.set(nftKey(item), index);
			else parents[rootOf(index)] = rootOf(first);
		}
	}
	const byRoot = new Map<number, MatchComponent>();
	for (const [index, side] of sides.entries()) {
		if (side.givesNfts.length + side.asksNfts.length === 0) continue;
		const root = rootOf(index);
		const component = byRoot.get(root);
		if (component) component.orders.push(side);
		else
			byRoot.set(root, {
				orders: [side],
				payers: [],
				purses: new Map(),
				allKnown: true,
				openCurrencies: new Set(),
			});
	}
	return [...byRoot.values()];
}

function homesOf(
	components: readonly MatchComponent[],
	buyersOf: (side: OrderSides) => Iterable<Address>,
): Map<Address, Set<MatchComponent>> {
	const home = new Map<Address, Set<MatchComponent>>();
	for (const component of components) {
		for (const side of component.orders) {
			for (const buyer of buyersOf(side)) {
				const known = home.get(buyer);
				if (known) known.add(component);
				else home.set(buyer, new Set([component]));
			}
		}
	}
	return home;
}

function countIn(component: MatchComponent, side: OrderSides): void {
	const seen = new Set<Address>();
	for (const item of side.givesPayments) {
		const purse = purseOf(component, item);
		purse.given += item.amount;
		if (!seen.has(currencyOf(item))) purse.givers++;
		seen.add(currencyOf(item));
	}
	for (const item of side.asksPayments) purseOf(component, item).asked += item.amount;
}

function purseOf(component: MatchComponent, item: OfferedItem): Purse {
	const found = component.purses.get(currencyOf(item));
	if (found) return found;
	const made = { given: 0n, asked: 0n, givers: 0 };
	component.purses.set(currencyOf(item), made);
	return made;
}

function currencyOf(item: OfferedItem): Address {
	return item.itemType === 0 ? ZERO_ADDRESS : item.token;
}

function soleOf<Item>(items: readonly Item[]): Item | undefined {
	return items.length === 1 ? items[0] : undefined;
}

function sorted<Item extends OfferedItem>(
	items: readonly Item[],
): [nfts: Item[], payments: Item[]] {
	const nfts: Item[] = [];
	const payments: Item[] = [];
	for (const item of items) {
		if (item.amount === 0n) continue;
		if (item.itemType === 2 || item.itemType === 3) nfts.push(item);
		else payments.push(item);
	}
	return [nfts, payments];
}

function pairBook(pairs: Pair[], supplies: readonly Supply[], demands: readonly Demand[]): void {
	if (supplies.length * demands.length <= PREFERENCE_COMPARISONS_MAX) {
		const sellers = new Set(supplies.map((supply) => supply.side.order.offerer));
		const differ = (supply: Supply, demand: Demand) =>
			supply.side.order.offerer !== demand.item.recipient;
		const preferences = [
			(supply: Supply, demand: Demand) => supply.side === demand.side,
			// Buyers who also sell have fewer possible partners, so they choose first.
			(supply: Supply, demand: Demand) =>
				sellers.has(demand.item.recipient) && differ(supply, demand),
			differ,
		];
		for (const suits of preferences) {
			for (const demand of demands) {
				for (const supply of supplies) {
					if (suits(supply, demand)) takeInto(pairs, supply, demand);
				}
			}
		}
	}
	let next = 0;
	for (const demand of demands) {
		for (; demand.left > 0n && next < supplies.length; next++) {
			const supply = supplies[next];
			if (supply) takeInto(pairs, supply, demand);
			if (supply && supply.left > 0n) break;
		}
	}
}

function takeInto(pairs: Pair[], supply: Supply, demand: Demand): void {
	let quantity = supply.left;
	if (demand.left < quantity) quantity = demand.left;
	if (quantity === 0n) return;
	supply.left -= quantity;
	demand.left -= quantity;
	pairs.push({ supply, demand, quantity });
}
