// Writes what the owner sees of a buy, and compares a new plan with it.

import { z } from "zod";
import { addressSchema, wordSchema } from "#core/chain/hexSchemas.ts";
import { formatAmount } from "#core/money.ts";
import { firstDenial } from "#plugins/nft-buys/check/checks.ts";
import type { Funds, Payment, Wanted } from "#plugins/nft-buys/model.ts";
import type { Filling } from "#plugins/nft-buys/seaport/Order.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import type { Denial, Plan } from "#plugins/wallets/contract.ts";

const units = z
	.string()
	.regex(/^\d{1,78}$/)
	.transform((text) => BigInt(text));

/** The part of a shown plan that settling and comparing need. */
const goods = z.object({
	contract: addressSchema,
	tokenId: units,
	quantity: units,
	standard: z.enum(["erc721", "erc1155"]),
	marketplace: addressSchema,
	orderHash: wordSchema,
	pays: z.object({ currency: addressSchema }),
});

export type Goods = z.output<typeof goods>;

/**
 * Writes and reads what a person sees of a buy, in the plan's JSON; all decoded from what is
 * signed.
 */
export const shownBuy = {
	write(given: {
		wanted: Wanted;
		listing: ProviderOrder;
		filling: Filling;
		payment: Payment;
		currency: { symbol: string; decimals: number };
		chain: { slug: string; name: string };
	}): Record<string, unknown> {
		const { wanted, listing, filling, payment, currency, chain } = given;
		const amount = (raw: bigint) => ({ amountRaw: String(raw), ...currency });
		return {
			action: "nft_buy",
			summary: sentenceOf({ wanted, payment, currency, chainName: chain.name }),
			chain: chain.slug,
			marketplace: wanted.marketplace,
			function: filling.call,
			orderHash: listing.orderHash,
			seller: filling.parameters.offerer,
			contract: wanted.contract,
			tokenId: String(wanted.tokenId),
			quantity: String(wanted.quantity),
			standard: filling.parameters.offer[0]?.itemType === 2 ? "erc721" : "erc1155",
			recipient: wanted.wallet,
			pays: { currency: payment.currency, ...amount(payment.total) },
			payments: payment.parts.map(({ recipient, raw }) => ({ recipient, ...amount(raw) })),
		};
	},
	read: (shown: unknown) => goods.parse(shown),
};

/** Returns why the wallet's balance cannot pay an ERC-20 price; null: it can. */
export function fundsDenial({ total }: Payment, funds: Funds): Denial | null {
	return firstDenial([
		[
			funds.balanceRaw >= total,
			"balance_insufficient",
			"The wallet holds too little of the listing's currency.",
		],
	]);
}

/**
 * Returns whether a new plan is still what its owner agreed to: the same token and number on the
 * same chain into the same wallet, by the same marketplace, in the same currency, for no more.
 * Another signature, order or attribution is allowed, and was checked again.
 */
export function keepsBuy(approved: Plan, fresh: Plan): boolean {
	const before = shownBuy.read(approved.shown);
	const after = shownBuy.read(fresh.shown);
	return (
		fresh.chainId === approved.chainId &&
		fresh.from === approved.from &&
		fresh.to === approved.to &&
		fresh.spend.currency === approved.spend.currency &&
		fresh.spend.raw <= approved.spend.raw &&
		after.contract === before.contract &&
		after.tokenId === before.tokenId &&
		after.quantity === before.quantity &&
		after.standard === before.standard
	);
}

/** Describes the buy by contract and id, which are signed; a name could be any text. */
function sentenceOf(given: {
	wanted: Wanted;
	payment: Payment;
	currency: { symbol: string; decimals: number };
	chainName: string;
}): string {
	const { wanted, payment, currency, chainName } = given;
	const { contract, tokenId, quantity } = wanted;
	const units = quantity === 1n ? "" : `${quantity} of `;
	const price = formatAmount({ units: payment.total, currency });
	const what = `${units}${contract} #${tokenId} for ${price} ${currency.symbol}`;
	return `Buys ${what} from the Seaport marketplace on ${chainName}.`;
}
