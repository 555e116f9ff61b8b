// Reads the wallet provider's configuration, and opens it or its stand-in.

import { z } from "zod";
import { assert } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { type Custody, CustodyKey, type Look } from "#plugins/custody/contract.ts";
import { createCustody } from "#plugins/custody/createCustody.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import {
	CALL_TIMEOUT_DEFAULT_MS,
	CALL_TIMEOUT_MAX_MS,
	WALLET_PROVIDER_BASE_URL_DEFAULT,
} from "#plugins/custody/limits.ts";
import { readAuthorizationKey } from "#plugins/custody/sign.ts";
import { readVerificationKey } from "#plugins/custody/token.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/verifyWebhook.ts";
import { createWebhooks, webhookRoutes } from "#plugins/custody/webhook/webhookRoutes.ts";

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/;

/** Declares what the plugin reads from the environment. */
export const custodyConfig = {
	WALLET_PROVIDER_BASE_URL: z
		.url({ protocol: /^https?$/ })
		// The application's secret goes with each call.
		.refine((url) => url.startsWith("https://") || LOOPBACK.test(url))
		.optional()
		.meta({ expects: "an https URL, or an http one of this machine" })
		.describe(
			"Where the wallet provider (Privy REST) is. Unset: https://api.privy.io where there is an " +
				"application.",
		),
	WALLET_PROVIDER_APP_ID: z
		.string()
		.regex(/^[\w-]{1,128}$/)
		.optional()
		.meta({ expects: "an application's id" })
		.describe("The application at the wallet provider. Unset: no wallet provider."),
	WALLET_PROVIDER_APP_SECRET: z
		.string()
		.regex(/^[\x21-\x7e]{8,512}$/)
		.optional()
		.meta({ secret: true, expects: "a secret without blanks" })
		.describe("The application's secret. It is sent to WALLET_PROVIDER_BASE_URL only."),
	WALLET_PROVIDER_AUTHORIZATION_KEY: z
		.string()
		.refine((text) => readAuthorizationKey(text) !== null)
		.optional()
		.meta({ secret: true, expects: "a P-256 key in PKCS #8, base64" })
		.describe("Signs requests to the wallet provider. It is never sent."),
	WALLET_PROVIDER_VERIFICATION_KEY: z
		.string()
		.refine((text) => readVerificationKey(text) !== null)
		.optional()
		.meta({ expects: "a P-256 public key in PEM or base64" })
		.describe("Verifies access tokens. Unset: the keys that the wallet provider publishes."),
	WALLET_PROVIDER_WEBHOOK_SECRET: z
		.string()
		.refine((text) => readWebhookSecret(text) !== null)
		.optional()
		.meta({ secret: true, expects: "whsec_ and base64" })
		.describe(
			"Verifies webhooks of the wallet provider, at /v1/webhooks/wallet-provider. Unset: none are " +
				"taken.",
		),
	WALLET_PROVIDER_TIMEOUT_MS: z
		.int()
		.min(100)
		.max(CALL_TIMEOUT_MAX_MS)
		.default(CALL_TIMEOUT_DEFAULT_MS)
		.describe("How long a call to the wallet provider may take."),
};

export type CustodyConfig = z.output<z.ZodObject<typeof custodyConfig>>;

/**
 * Stands for the wallet provider where none is configured. Sending is refused and does not throw:
 * whoever sends has to hear what is known, and here it is known that nothing left.
 */
export const offCustody: Custody = {
	isOn: false,
	async send() {
		const { code, publicDetail } = custodyFault.off();
		return { kind: "refused", code, detail: publicDetail };
	},
	byReference: off,
	byId: off,
	signMessage: off,
	signTypedData: off,
	user: off,
	wallet: off,
	verifyAccessToken: off,
};

/** Provides the wallet provider, which holds keys for our users, and its webhooks. */
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

/**
 * Opens the wallet provider that is configured: application, secret and key together. Without any
 * of them it is off. A part of them is a mistake, which is reported at boot and not at the first
 * trade.
 */
export function openCustody(
	config: CustodyConfig,
	options: { core: Pick<Core, "clock" | "log" | "metrics">; ending?: AbortSignal },
): Custody {
	const needed = {
		WALLET_PROVIDER_APP_ID: config.WALLET_PROVIDER_APP_ID,
		WALLET_PROVIDER_APP_SECRET: config.WALLET_PROVIDER_APP_SECRET,
		WALLET_PROVIDER_AUTHORIZATION_KEY: config.WALLET_PROVIDER_AUTHORIZATION_KEY,
	};
	const missing = Object.entries(needed).flatMap(([name, value]) => (value ? [] : [name]));
	const isWanted = missing.length < Object.keys(needed).length || config.WALLET_PROVIDER_BASE_URL;
	if (!isWanted) return offCustody;
	const authorizationKey = readAuthorizationKey(needed.WALLET_PROVIDER_AUTHORIZATION_KEY ?? "");
	const { WALLET_PROVIDER_APP_ID: appId, WALLET_PROVIDER_APP_SECRET: appSecret } = needed;
	if (!appId || !appSecret || !authorizationKey) {
		const told = `The wallet provider is configured in part: ${missing.join(", ")} missing.`;
		throw custodyFault.misconfigured({ public: told });
	}
	const verificationKey = config.WALLET_PROVIDER_VERIFICATION_KEY;
	return createCustody({
		...options,
		baseUrl: config.WALLET_PROVIDER_BASE_URL ?? WALLET_PROVIDER_BASE_URL_DEFAULT,
		appId,
		appSecret,
		authorizationKey,
		verificationKey: verificationKey === undefined ? null : readVerificationKey(verificationKey),
		timeoutMs: config.WALLET_PROVIDER_TIMEOUT_MS,
	});
}

async function off(): Promise<never> {
	throw custodyFault.off();
}
