import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { ownTransfer } from "#plugins/transfers/ownTransfer.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { transferSchema } from "#plugins/transfers/transferSchema.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";

/** Calls a transfer off that was not sent yet. No switch of an operator's holds that back. */
export function postCancel({ wallets, chains }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.post(
			"/:id/cancel",
			async ({ principal, params, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const own = await ownTransfer(wallets, { id: params.id, profileId: profile.id });
				const intent = await wallets.execution.cancel(own.id);
				return renderTransfer(intent, { profile, chainOf: chains.byId });
			},
			{
				params: z.object({ id: z.string() }),
				response: { 200: transferSchema },
				detail: {
					tags: ["trading"],
					summary: "Calls off a wallet transfer that was not sent",
					description:
						"409 `intent_state` once it is on its way. What was asked for with it is not sent " +
						"either: a batch goes whole or not at all.",
					security: [{ session: [] }],
					...canFail(transfersFault.notFound, ...tradingDocumented.cancelFailures),
				},
			},
		);
}
