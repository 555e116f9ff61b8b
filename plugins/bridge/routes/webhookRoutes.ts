import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { takesSigned } from "#core/http/routeMarks.ts";
import { type BridgeWebhooks, bridgeWebhookFault } from "#plugins/bridge/reconcile/webhooks.ts";

const outcomeSchema = z
	.object({
		outcome: z.enum(["woken", "idle", "limited", "repeated", "ignored"]).meta({
			description:
				"`woken`: the bridge is looked up now. `idle`: nothing waits for it. `limited`: too many of " +
				"its webhooks came. `repeated`: it was taken before. `ignored`: it is about something else.",
		}),
	})
	.meta({ id: "BridgeWebhookOutcome", description: "What a webhook led to." });
const headersSchema = z.object({
	"x-signature-timestamp": field.digits("In milliseconds, near our time.", "1772366400000"),
	"x-signature-sha256": field.text("HMAC-SHA256 in hex.", "5d".repeat(32)),
});
const eventSchema = z
	.looseObject({
		event: field.text("What happened.", "request.status.updated"),
		timestamp: field.integer("When, in milliseconds.", 1_772_366_400_000),
		data: z
			.looseObject({
				requestId: field.hashText("The provider's id of the request."),
				status: field.text("Where it stands, by the provider's word.", "success"),
			})
			.meta({ id: "BridgeProviderUpdate", description: "The request, and its status." }),
	})
	.meta({
		id: "BridgeProviderEvent",
		description: "An event of the bridge provider: a hint to look, whatever it says.",
	});
const channel = {
	name: "bridgeProviderWebhook",
	title: "The bridge provider's webhooks",
	description: "What the bridge provider posts of requests that were made through this service.",
	headers: headersSchema,
	receives: {
		bridgeProviderEvent: { summary: "A request's status changed.", schema: eventSchema },
	},
};

/**
 * Opens the address to which the bridge provider posts what became of requests. Null: it has no key
 * here, and there is no such address.
 */
export function webhookRoutes(webhooks: BridgeWebhooks | null) {
	const routes = new Elysia({ prefix: "/v1/bridgeprovider" });
	if (!webhooks) return routes;
	return routes.use(
		takesSigned({
			path: "/webhook",
			receive: async (delivery) => ({ outcome: await webhooks.receive(delivery) }),
			answer: outcomeSchema,
			channel,
			faults: [
				...[bridgeWebhookFault.webhookHeaders, bridgeWebhookFault.webhookSignature],
				...[bridgeWebhookFault.webhookTime, bridgeWebhookFault.webhookTooLarge],
				bridgeWebhookFault.webhookEvent,
			],
			about: {
				operationId: "receiveBridgeProviderWebhook",
				tag: "bridging",
				summary: "Takes a webhook of the bridge provider",
				description:
					"Signed by BRIDGE_API_KEY over `<timestamp>.<raw body>`. A hint only: whatever it says, the " +
					"provider is asked and both chains are read. One that was taken before, by event, time, " +
					"request and status, is answered 200 and changes nothing.",
			},
		}),
	);
}
