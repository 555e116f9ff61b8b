// Finds who traded what in a match of orders, or in an order that was filled alone.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { UndecodedLog } from "#plugins/chain-scanner/contract.ts";
import {
	type MatchedNft,
	matchComponents,
	type OrderSides,
	orderSides,
	type Pairing,
	pairNfts,
} from "#plugins/chain-scanner/venues/seaport/matchComponents.ts";
import {
	listedPrice,
	type Price,
	priceComponent,
	splitPrice,
	sumPayments,
	type Trade,
} from "#plugins/chain-scanner/venues/seaport/priceComponent.ts";
import type { Fulfilment, OfferedItem } from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

/** `complete` is false where an order of the match is missing: then nothing may be guessed. */
export type MatchGroup = { fulfilments: Fulfilment[]; complete: boolean };

/**
 * Reads the orders that one match call settled against each other.
 *
 * Each NFT is counted once, from the order that gives it to the account that receives it. The
 * caller of the match is a party only where an NFT is left over and goes to it.
 */
export function readMatch(group: MatchGroup): { trades: Trade[]; undecoded: UndecodedLog[] } {
	const sides = group.fulfilments.map(orderSides);
	const pairing = pairNfts(sides);
	const moved: MatchedNft[] = pairing.pairs.map(({ supply, demand, quantity }) => ({
		giver: supply.side,
		taker: demand.side,
		item: supply.item,
		quantity,
		buyer: demand.item.recipient,
		supplyRank: supply.rank,
		demandRank: demand.rank,
	}));
	const undecoded: UndecodedLog[] = [];
	if (group.complete) {
		for (const nft of leftOver(sides, pairing)) moved.push(nft);
	} else {
		for (const { side } of [...pairing.unasked, ...pairing.unmet]) {
			if (undecoded.at(-1)?.logIndex === side.logIndex) continue;
			undecoded.push({
				logIndex: side.logIndex,
				problem: "trades an NFT with an order that is missing from its match",
			});
		}
	}
	moved.sort(
		(left, right) => left.supplyRank - right.supplyRank || left.demandRank - right.demandRank,
	);

	const buyers = new Map<OrderSides, Set<Address>>();
	for (const { giver, buyer } of moved) {
		const known = buyers.get(giver);
		if (known) known.add(buyer);
		else buyers.set(giver, new Set([buyer]));
	}
	const components = matchComponents(sides, (side) => buyers.get(side) ?? []);
	const byGiver = Map.groupBy(moved, (nft) => nft.giver);
	const unmet = Map.groupBy(pairing.unmet, (demand) => demand.side);
	const trades = components.flatMap((component) =>
		priceComponent({
			component: group.complete ? component : { ...component, allKnown: false },
			moved: component.orders.flatMap((side) => byGiver.get(side) ?? []),
			unmet,
		}),
	);
	return { trades, undecoded };
}

/** Reads an order that a taker filled alone: the taker gives all that the order asks for. */
export function readSingle(side: OrderSides): Trade[] {
	if (side.givesNfts.length > 0) return readTakenListing(side);
	if (side.asksNfts.length > 0) return readAcceptedOffer(side);
	return [];
}

/**
 * Follows NFTs that an order gave and no order asked for.
 *
 * From 1.2 on they go to the match's recipient. If that is the seller they have only returned:
 * beside a real sale of the same order they are no trade, alone they are one with oneself. In 1.1
 * they stay where they are; only a sole payment-only order can then be their buyer.
 */
function leftOver(sides: readonly OrderSides[], pairing: Pairing): MatchedNft[] {
	const sold = new Set(pairing.pairs.map((pair) => pair.supply.side));
	const payers = sides.filter(
		(side) => side.givesPayments.length > 0 && side.givesNfts.length + side.asksNfts.length === 0,
	);
	const solePayer = payers.length === 1 ? payers[0]?.order.offerer : undefined;
	const found: MatchedNft[] = [];
	for (const { side, item, left, rank } of pairing.unasked) {
		const { offerer, recipient } = side.order;
		const buyer = recipient === ZERO_ADDRESS ? solePayer : recipient;
		const cameHome = recipient === ZERO_ADDRESS || recipient === offerer;
		if (buyer === undefined || (cameHome && sold.has(side))) continue;
		found.push({
			giver: side,
			taker: null,
			item,
			quantity: left,
			buyer,
			supplyRank: rank,
			demandRank: rank,
		});
	}
	return found;
}

function readTakenListing(side: OrderSides): Trade[] {
	const { offerer, recipient } = side.order;
	const [only] = side.givesNfts;
	if (only && side.givesNfts.length === 1 && side.asksNfts.length === 0) {
		// Nearly every listing: with one NFT and no NFT asked for there is nothing to pair.
		const isBarter = side.givesPayments.length > 0;
		const price: Price = isBarter ? { kind: "barter" } : listedPrice(side);
		const { logIndex } = side;
		const quantity = only.amount;
		return [
			{ logIndex, item: only, quantity, seller: offerer, buyer: recipient, payer: null, price },
		];
	}
	const pairing = pairNfts([side]);
	// An NFT both given and asked for is a private listing: it goes to the account that the order
	// names.
	const rows: { item: OfferedItem; quantity: bigint; buyer: Address; rank: number }[] = [
		...pairing.pairs.map(({ supply, demand, quantity }) => ({
			item: supply.item,
			quantity,
			buyer: demand.item.recipient,
			rank: supply.rank,
		})),
		...pairing.unasked.map((supply) => ({
			item: supply.item,
			quantity: supply.left,
			buyer: recipient,
			rank: supply.rank,
		})),
	].sort((left, right) => left.rank - right.rank);
	// An NFT asked for and not given is a payment in kind; an added payment hides the price as well.
	const isBarter = pairing.unmet.length > 0 || side.givesPayments.length > 0;
	const price: Price = isBarter ? { kind: "barter" } : listedPrice(side);
	const shares = splitPrice(
		price,
		rows.map((row) => row.quantity),
	);
	return rows.map(({ item, quantity, buyer }, index) => ({
		logIndex: side.logIndex,
		item,
		quantity,
		seller: offerer,
		buyer,
		payer: null,
		price: shares[index] ?? price,
	}));
}

function readAcceptedOffer(side: OrderSides): Trade[] {
	const { offerer, recipient } = side.order;
	// Besides the NFT an offer asks for fees, paid out of the price: they are in it already.
	const price = sumPayments(side.givesPayments);
	const shares = splitPrice(
		price,
		side.asksNfts.map((item) => item.amount),
	);
	return side.asksNfts.map((item, index) => ({
		logIndex: side.logIndex,
		item,
		quantity: item.amount,
		seller: recipient,
		sellerUnproven: true,
		buyer: item.recipient,
		payer: offerer,
		price: shares[index] ?? price,
	}));
}
