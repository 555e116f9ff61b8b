import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { takesSigned } from "#core/http/takesSigned.ts";
import type { Webhooks } from "#plugins/custody/webhook/createWebhooks.ts";
import { webhookFault } from "#plugins/custody/webhook/faults.ts";

const outcomeSchema = z
	.object({
		outcome: z.enum(["woken", "idle", "limited", "repeated", "ignored"]).meta({
			description:
				"`woken`: the transaction is looked up now. `idle`: nothing waits for it. `limited`: too many " +
				"of its webhooks came. `repeated`: it was taken before. `ignored`: it is about something else.",
		}),
	})
	.meta({ id: "WebhookOutcome", description: "What a webhook led to." });

const headersSchema = z.object({
	"svix-id": field.text("Names the delivery; the same when it is sent again.", "msg_2Lh9"),
	"svix-timestamp": field.digits("In seconds, at most five minutes from our time.", "1772366400"),
	"svix-signature": field.text(
		"`v1,` and base64 of the signature; several are separated by spaces.",
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	),
});

const eventSchema = z
	.looseObject({
		type: field.text(
			"What happened; what begins with `transaction.` is looked at.",
			"transaction.confirmed",
		),
		transaction_id: field.text("The provider's id of the transaction.", "tx_81c0").optional(),
		reference_id: field.id("What this service called the transaction.").optional(),
	})
	.meta({
		id: "WalletProviderEvent",
		description: "An event of the wallet provider: a hint to look, whatever it says.",
	});

const channel = {
	name: "walletProviderWebhook",
	title: "The wallet provider's webhooks",
	description: "What the wallet provider posts of transactions that it sent for this service.",
	headers: headersSchema,
	receives: {
		walletProviderEvent: {
			summary: "Something happened to a transaction.",
			schema: eventSchema,
		},
	},
};

/**
 * Opens the address to which the wallet provider posts what became of transactions. Null: there is
 * no secret here, and so no such address.
 */
export function webhookRoutes(webhooks: Webhooks | null) {
	const routes = new Elysia({ prefix: "/v1/webhooks" });
	if (!webhooks) return routes;
	return routes.use(
		takesSigned({
			path: "/wallet-provider",
			receive: async (delivery) => ({ outcome: await webhooks.receive(delivery) }),
			answer: outcomeSchema,
			channel,
			faults: [
				webhookFault.webhookHeaders,
				webhookFault.webhookSignature,
				webhookFault.webhookTime,
				webhookFault.webhookTooLarge,
				webhookFault.webhookEvent,
			],
			about: {
				operationId: "receiveWalletProviderWebhook",
				tag: "trading",
				summary: "Takes a webhook of the wallet provider",
				description:
					"Signed by Svix with WALLET_PROVIDER_WEBHOOK_SECRET. A hint only: whatever it says, the " +
					"transaction is looked up, at the wallet provider and on chain, a second later at most. " +
					"Deliveries that were taken before and events of other kinds are answered 200 and change " +
					"nothing.",
			},
		}),
	);
}
