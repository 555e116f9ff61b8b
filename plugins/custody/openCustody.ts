import type { Core } from "#core/plugin/Core.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { createCustody } from "#plugins/custody/createCustody.ts";
import type { CustodyConfig } from "#plugins/custody/custodyConfig.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { WALLET_PROVIDER_BASE_URL_DEFAULT } from "#plugins/custody/limits.ts";
import { readAuthorizationKey } from "#plugins/custody/sign/readAuthorizationKey.ts";
import { readVerificationKey } from "#plugins/custody/token/readVerificationKey.ts";

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

/**
 * Opens the wallet provider that is configured: application, secret and key together. Without any
 * of them it is off. A part of them is a mistake, which is told at boot and not at the first trade.
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
