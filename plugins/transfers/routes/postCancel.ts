import { Elysia } from "elysia";
import { canFail } from "#core/http/canFail.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { ownTransfer } from "#plugins/transfers/ownTransfer.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { transferParams } from "#plugins/transfers/transferParams.ts";
import { transferSchema } from "#plugins/transfers/transferSchema.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";

/** Cancels one of the caller's transfers. No operator's switch prevents that. */
export function postCancel({ wallets, chains, ending }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.post(
			"/:id/cancel",
			async ({ principal, params, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const own = await ownTransfer(wallets, { id: params.id, profileId: profile.id });
				const by = { profile, signal: ending };
				const { intent, cancelUrl } = await wallets.cancel(own.id, by);
				return renderTransfer(intent, { profile, chainOf: chains.byId, cancelUrl });
			},
			{
				params: transferParams,
				response: { 200: transferSchema },
				detail: {
					operationId: "cancelTransfer",
					tags: ["trading"],
					summary: "Cancels a wallet transfer",
					description:
						`${tradingDocumented.cancelDescription} Of a batch of which nothing was sent, nothing ` +
						"is sent any more: it goes whole or not at all.",
					security: [{ session: [] }],
					...canFail(transfersFault.notFound, ...tradingDocumented.cancelFailures),
				},
			},
		);
}
