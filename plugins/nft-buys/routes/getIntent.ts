import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";
import type { SignedIn } from "#plugins/nft-buys/routes/createSignedIn.ts";
import { intentKinds } from "#plugins/nft-buys/routes/intentKinds.ts";
import { intentParams } from "#plugins/nft-buys/routes/intentParams.ts";
import { intentSchema } from "#plugins/nft-buys/routes/intentSchema.ts";
import { renderIntent } from "#plugins/nft-buys/routes/renderIntent.ts";

/** Shows one of the caller's buys or offers. Another profile's is the same 404 as a missing one. */
export function getIntent({ wallets, chains }: BuyContext, signedIn: SignedIn) {
	return new Elysia().get(
		"/intents/:id",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			const { data: id } = z.uuid().safeParse(params.id);
			const intent = id === undefined ? null : await wallets.execution.read(id, profile.id);
			if (!intent || !intentKinds.includes(intent.kind)) throw buyFault.notFound();
			set.headers["cache-control"] = "no-store";
			return renderIntent(intent, chains);
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			params: intentParams,
			response: { 200: intentSchema },
			detail: {
				operationId: "getIntent",
				tags: ["trading"],
				summary: "Reads an NFT buy or offer",
				description: "What was asked for, what is or was to be signed, and where it stands.",
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized, buyFault.notFound),
			},
		},
	);
}
