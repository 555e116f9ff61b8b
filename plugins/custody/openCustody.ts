import type { Core } from "#core/plugin/Core.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { createCustody } from "#plugins/custody/createCustody.ts";
import type { CustodyConfig } from "#plugins/custody/custodyConfig.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { WALLET_PROVIDER_BASE_URL_DEFAULT } from "#plugins/custody/limits.ts";
import { readAuthorizationKey } from "#plugins/custody/sign/readAuthorizationKey.ts";
import { readVerificationKey } from "#plugins/custody/token/readVerificationKey.ts";

/**
 * The wallet provider of a deployment that configured none. Sending is refused and not thrown: who
 * sends has to hear what is known, and here it is that nothing left.
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
 * The wallet provider as configured: all of application, secret and key, or none and it is off.
 * A half of it is somebody's mistake, told at boot and not at the first trade.
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
