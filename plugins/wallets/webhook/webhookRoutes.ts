import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import type { Webhooks } from "#plugins/wallets/webhook/createWebhooks.ts";
import { webhookFault } from "#plugins/wallets/webhook/faults.ts";

const outcomeSchema = z.object({
	outcome: z.enum(["woken", "idle", "limited", "repeated", "ignored"]),
});

const header = (name: string, description: string) => ({
	name,
	in: "header" as const,
	required: true,
	description,
	schema: { type: "string" as const },
});

/**
 * Where the wallet provider tells what became of transactions. Null: it has no secret here, and
 * there is no such address.
 *
 * It comes without cookies, so the gate asks for no Origin; what it proves itself by is its
 * signature, which no page in a browser can make.
 */
export function webhookRoutes(webhooks: Webhooks | null) {
	const routes = new Elysia({ prefix: "/v1/webhooks" });
	if (!webhooks) return routes;
	return routes.post(
		"/wallet-provider",
		async ({ request, set }) => {
			set.headers["cache-control"] = "no-store";
			const body = new Uint8Array(await request.arrayBuffer());
			return { outcome: await webhooks.receive({ headers: request.headers, body }) };
		},
		{
			// The signature is of the bytes, not of what they mean.
			parse: "none",
			response: { 200: outcomeSchema },
			detail: {
				tags: ["trading"],
				summary: "Takes a webhook of the wallet provider",
				description:
					"Signed by Svix with WALLET_PROVIDER_WEBHOOK_SECRET. A hint only: whatever it says, the " +
					"transaction is looked up, at the wallet provider and on chain, a second later at most. " +
					"Deliveries that were taken before and events of other kinds are answered 200 and change " +
					"nothing.",
				parameters: [
					header("svix-id", "Names the delivery; the same when it is sent again."),
					header("svix-timestamp", "In seconds, at most five minutes from our time."),
					header("svix-signature", "`v1,` and base64, several separated by spaces."),
				],
				requestBody: {
					required: true,
					content: {
						"application/json": {
							schema: {
								type: "object",
								required: ["type"],
								properties: {
									type: { type: "string", examples: ["transaction.confirmed"] },
									transaction_id: { type: "string" },
									reference_id: { type: "string" },
								},
							},
						},
					},
				},
				...canFail(
					webhookFault.webhookHeaders,
					webhookFault.webhookSignature,
					webhookFault.webhookTime,
					webhookFault.webhookTooLarge,
					webhookFault.webhookEvent,
				),
			},
		},
	);
}
