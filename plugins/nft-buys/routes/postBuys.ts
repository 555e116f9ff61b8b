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

const { chain, contract, tokenId, quantity, price, orderHash, walletId } = bodyFields;
// Strict: ignoring a misspelled limit would remove that limit.
const bodySchema = z
	.strictObject({
		chain,
		contract,
		tokenId,
		quantity,
		maxPriceNative: price.optional(),
		orderHash: orderHash.optional(),
		walletId,
	})
	.meta({
		id: "BuyRequest",
		description: "What to buy. `maxPriceNative`, `orderHash` or both have to be there.",
	})
	.refine((body) => body.maxPriceNative !== undefined || body.orderHash !== undefined, {
		path: ["maxPriceNative"],
		message: "name the most it may cost, or the listing",
	});

/** Buys a token from a listing. */
export function postBuys(context: BuyContext, signedIn: SignedIn) {
	const read = exactNumbers(...exactMembers);
	return new Elysia().post(
		"/buys",
		async ({ request, body }) => {
			const chain = chainOf(context, body.chain);
			const { contract, tokenId, quantity, maxPriceNative, orderHash = null, walletId } = body;
			const limit = maxPriceNative === undefined ? null : priceRaw(maxPriceNative, chain);
			const priceLimitRaw = limit === null ? null : String(limit);
			return await answerIntent(context, {
				kind: "nft_buy",
				route: "POST /v1/nft-market/buys",
				from: { kind: "route", request },
				principal: await signedIn({ request }),
				chain,
				walletId,
				body,
				wish: { contract, tokenId, quantity, priceLimitRaw, orderHash },
			});
		},
		{
			parse: [async (hook) => (await signedIn(hook), await read(hook)), "json"],
			transform: async (hook) => void (await signedIn(hook)),
			body: bodySchema,
			response: { 201: createdSchema },
			detail: {
				operationId: "createBuy",
				tags: ["trading"],
				summary: "Buys an NFT from a listing",
				description:
					"The token's cheapest listing up to `maxPriceNative`, or the one that `orderHash` names. " +
					"The whole transaction is checked against the listing before anything is signed. What is " +
					"refused answers 201 too, with the intent `rejected` and its `errorCode`. Send an " +
					"`idempotency-key`, and send the same one again where no answer came.",
				...orderDetail(),
			},
		},
	);
}
