import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { CustodyKey, type Look } from "#plugins/custody/contract.ts";
import { custodyConfig } from "#plugins/custody/custodyConfig.ts";
import { openCustody } from "#plugins/custody/openCustody.ts";
import { createWebhooks } from "#plugins/custody/webhook/createWebhooks.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";
import { webhookRoutes } from "#plugins/custody/webhook/webhookRoutes.ts";

/** The wallet provider, which holds keys for our users, and what it tells of its own accord. */
export const custodyPlugin = definePlugin({
	name: "custody",
	version: "1",
	config: z.object(custodyConfig),
	needs: {},
	offers: CustodyKey,
	setup({ config, core }) {
		const ending = new AbortController();
		let listener: Look | null = null;
		const look: Look = async (referenceId) => (await listener?.(referenceId)) ?? false;
		const secret = readWebhookSecret(config.WALLET_PROVIDER_WEBHOOK_SECRET ?? "");
		return {
			service: {
				...openCustody(config, { core, ending: ending.signal }),
				callTimeoutMs: config.WALLET_PROVIDER_TIMEOUT_MS,
				onWebhook(wanted) {
					assert(listener === null, "two listen to the wallet provider's webhooks");
					listener = wanted;
				},
			},
			routes: webhookRoutes(secret && createWebhooks(secret, { ...core, look })),
			stop: () => ending.abort(),
		};
	},
});
