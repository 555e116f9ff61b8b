import { z } from "zod";
import { CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS } from "#plugins/custody/limits.ts";
import { readAuthorizationKey } from "#plugins/custody/sign/readAuthorizationKey.ts";
import { readVerificationKey } from "#plugins/custody/token/readVerificationKey.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";

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
