import type {
	OfferedItem,
	ReceivedItem,
} from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import { nftKey } from "#plugins/chain-scanner/venues/seaport/nftKey.ts";
import type { OrderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";

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

// Preferences compare every supply with every demand of one NFT; beyond this, log order decides.
const PREFERENCE_COMPARISONS_MAX = 10_000;

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
