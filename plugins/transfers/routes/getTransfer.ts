import { Elysia } from "elysia";
import { canFail } from "#core/http/canFail.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import { ownTransfer } from "#plugins/transfers/ownTransfer.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { transferParams } from "#plugins/transfers/transferParams.ts";
import { transferSchema } from "#plugins/transfers/transferSchema.ts";

/** Shows one transfer. Another profile's is the same 404 as a missing one. */
export function getTransfer({ wallets, chains }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.get(
			"/:id",
			async ({ principal, params, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const intent = await ownTransfer(wallets, { id: params.id, profileId: profile.id });
				return renderTransfer(intent, { profile, chainOf: chains.byId });
			},
			{
				params: transferParams,
				response: { 200: transferSchema },
				detail: {
					operationId: "getTransfer",
					tags: ["trading"],
					summary: "Reads one of your wallet transfers",
					description: "Where it stands, with its transaction once it was sent.",
					security: [{ session: [] }],
					...canFail(transfersFault.notFound),
				},
			},
		);
}
