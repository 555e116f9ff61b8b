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
import { tradingDocumented } from "#plugins/wallets/contract.ts";

/** Cancels one of the caller's buys. No operator's switch prevents that. */
export function postCancel({ wallets, chains, ending }: BuyContext, signedIn: SignedIn) {
	return new Elysia().post(
		"/intents/:id/cancel",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			const { data: id } = z.uuid().safeParse(params.id);
			const own = id === undefined ? null : await wallets.execution.read(id, profile.id);
			if (!own || !intentKinds.includes(own.kind)) throw buyFault.notFound();
			set.headers["cache-control"] = "no-store";
			const { intent, cancelUrl } = await wallets.cancel(own.id, { profile, signal: ending });
			return renderIntent(intent, chains, { cancelUrl });
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			params: intentParams,
			response: { 200: intentSchema },
			detail: {
				operationId: "cancelIntent",
				tags: ["trading"],
				summary: "Cancels an NFT buy or offer",
				description: tradingDocumented.cancelDescription,
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized, buyFault.notFound, ...tradingDocumented.cancelFailures),
			},
		},
	);
}
