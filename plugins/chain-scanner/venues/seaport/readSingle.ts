import type { Address } from "#core/chain/Hex.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import type { OrderSides } from "#plugins/chain-scanner/venues/seaport/orderSides.ts";
import type { Price } from "#plugins/chain-scanner/venues/seaport/Price.ts";
import { pairNfts } from "#plugins/chain-scanner/venues/seaport/pairNfts.ts";
import { splitPrice } from "#plugins/chain-scanner/venues/seaport/splitPrice.ts";
import { sumPayments } from "#plugins/chain-scanner/venues/seaport/sumPayments.ts";
import type { Trade } from "#plugins/chain-scanner/venues/seaport/Trade.ts";

/** Reads an order that a taker filled by itself: the taker gives whatever the order asks for. */
export function readSingle(side: OrderSides): Trade[] {
	if (side.givesNfts.length > 0) return readTakenListing(side);
	if (side.asksNfts.length > 0) return readAcceptedOffer(side);
	return [];
}

function readTakenListing(side: OrderSides): Trade[] {
	const { offerer, recipient } = side.order;
	const [only] = side.givesNfts;
	if (only && side.givesNfts.length === 1 && side.asksNfts.length === 0) {
		// Nearly every listing: with one NFT and no NFT asked for there is nothing to pair.
		const isBarter = side.givesPayments.length > 0;
		const price: Price = isBarter ? { kind: "barter" } : sumPayments(side.asksPayments);
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
	const price: Price = isBarter ? { kind: "barter" } : sumPayments(side.asksPayments);
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
