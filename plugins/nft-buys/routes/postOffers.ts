import { Elysia } from "elysia";
import { z } from "zod";
import { exactNumbers } from "#core/http/exactNumbers.ts";
import { answerIntent } from "#plugins/nft-buys/routes/answerIntent.ts";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";
import { bodyFields, exactMembers } from "#plugins/nft-buys/routes/bodyFields.ts";
import { chainOf } from "#plugins/nft-buys/routes/chainOf.ts";
import { createdSchema } from "#plugins/nft-buys/routes/createdSchema.ts";
import type { SignedIn } from "#plugins/nft-buys/routes/createSignedIn.ts";
import { orderDetail } from "#plugins/nft-buys/routes/orderDetail.ts";
import { priceRaw } from "#plugins/nft-buys/routes/priceRaw.ts";

const { chain, contract, tokenId, quantity, price, walletId } = bodyFields;
const bodySchema = z
	.strictObject({
		chain,
		contract,
		tokenId: tokenId.optional(),
		quantity,
		priceNative: price,
		walletId,
	})
	.meta({ id: "OfferRequest", description: "What to offer for, and how much." });

/** Records an offer, and refuses it: this service creates no orders of its own. */
export function postOffers(context: BuyContext, signedIn: SignedIn) {
	const read = exactNumbers(...exactMembers);
	return new Elysia().post(
		"/offers",
		async ({ request, body }) => {
			const chain = chainOf(context, body.chain);
			const { contract, tokenId = null, quantity, priceNative, walletId } = body;
			const priceLimitRaw = String(priceRaw(priceNative, chain));
			return await answerIntent(context, {
				kind: "nft_offer",
				route: "POST /v1/nft-market/offers",
				from: { kind: "route", request },
				principal: await signedIn({ request }),
				chain,
				walletId,
				body,
				wish: { contract, tokenId, quantity, priceLimitRaw, orderHash: null },
			});
		},
		{
			parse: [async (hook) => (await signedIn(hook), await read(hook)), "json"],
			transform: async (hook) => void (await signedIn(hook)),
			body: bodySchema,
			response: { 201: createdSchema },
			detail: {
				operationId: "createOffer",
				tags: ["trading"],
				summary: "Offers for an NFT",
				description:
					"Answers 201 with the intent `rejected` and `provider_offer_requires_local_order_builder`.",
				...orderDetail(),
			},
		},
	);
}
