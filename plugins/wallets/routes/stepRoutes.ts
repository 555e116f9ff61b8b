// Serves one step of a money action to its owner, for every plugin that asked for it.

import { Elysia } from "elysia";
import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { httpFault } from "#core/http/faults.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { intentViewSchema, renderIntentView } from "#plugins/wallets/agent/intentTools.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import type { Execution, Wallets } from "#plugins/wallets/Wallets.ts";

const params = z.object({
	id: z.string().meta({
		description: "An intent of yours, such as the allowance before a trade, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

const stepSchema = intentViewSchema.meta({
	id: "IntentStep",
	description: "One step of what you asked for: what it does, where it stands and why.",
});

/**
 * Reads any intent by its id: what comes before a trade, a buy or a bridge has no other route.
 * Another profile's is the same 404 as a missing one.
 */
export function stepRoutes(context: {
	authenticate: Wallets["authenticate"];
	execution: Pick<Execution, "read">;
	chains: ChainRegistry;
}) {
	const { authenticate, execution, chains } = context;
	return new Elysia({ prefix: "/v1/trading" })
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.get(
			"/steps/:id",
			async ({ principal: { profile }, params, set }) => {
				const { data: id } = z.uuid().safeParse(params.id);
				const intent = id === undefined ? null : await execution.read(id, profile.id);
				if (!intent) throw executionFault.notFound();
				set.headers["cache-control"] = "no-store";
				return renderIntentView(intent, chains);
			},
			{
				params,
				response: { 200: stepSchema },
				detail: {
					operationId: "getStep",
					tags: ["trading"],
					summary: "Reads one step of a trade, transfer, buy or bridge",
					description:
						"Where it stands, why, and what it waits for. A trade's first step is its " +
						"`approval.intentId`; `previous_step_failed` names the step that ended it.",
					security: [{ session: [] }],
					...canFail(httpFault.unauthorized, executionFault.notFound),
				},
			},
		);
}
