import type { RawLog } from "#core/chain/RawLog.ts";
import { splitByUnit } from "#core/money/splitByUnit.ts";
import type { Sale, SaleRejection, VenueReading } from "#plugins/chain-scanner/contract.ts";
import { readTakerEvent, type TakerEvent } from "#plugins/looksrare/readTakerEvent.ts";

/** Reads the sales out of LooksRare's logs; each log stands for itself. */
export function decodeLooksRare(logs: readonly RawLog[]): VenueReading {
	const reading: VenueReading = { sales: [], undecoded: [] };
	for (const log of logs) {
		const logIndex = Number(log.logIndex);
		const read = readTakerEvent(log);
		if (read.kind === "undecoded") reading.undecoded.push({ logIndex, problem: read.problem });
		// One by one: a log may name more items than a call takes arguments.
		else for (const sale of salesOf(read.event, logIndex)) reading.sales.push(sale);
	}
	return reading;
}

function salesOf(event: TakerEvent, logIndex: number): Sale[] {
	const { amounts, itemIds, payee, price, recipient, taker } = event;
	const isListing = event.kind === "listingBought";
	const seller = isListing ? payee : taker;
	const payer = isListing ? taker : recipient;
	const paysItself = payer === payee;
	const isSelf = paysItself || seller === recipient;
	// The log names no standard. More than one of an item is refused by the exchange for an ERC-721.
	const standard = amounts.some((amount) => amount > 1n) ? "erc1155" : "erc721";
	const shares = splitByUnit(price, amounts);
	return itemIds.map((tokenId, subIndex) => {
		const totalRaw = shares[subIndex] ?? 0n;
		const reason: SaleRejection | null = isSelf
			? "self_trade"
			: totalRaw === 0n
				? "zero_price"
				: null;
		return {
			logIndex,
			subIndex,
			contract: event.collection,
			standard,
			tokenId,
			quantity: amounts[subIndex] ?? 0n,
			totalRaw,
			currency: event.currency,
			seller,
			buyer: recipient,
			// An aggregator that accepts an offer took the NFT from somebody a moment before. Who is
			// paid by itself stays what it is, whoever gave the NFT.
			...(isListing || paysItself ? {} : { sellerUnproven: true }),
			accepted: reason === null,
			reason,
		};
	});
}
