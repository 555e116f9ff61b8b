import type { Log } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createCustody } from "#plugins/custody/createCustody.ts";
import { readAuthorizationKey } from "#plugins/custody/sign.ts";
import { readVerificationKey } from "#plugins/custody/token.ts";

export type LabAccess = {
	url: string;
	appId: string;
	appSecret: string;
	authorizationKey: string;
	/** Null: the keys that the provider publishes. */
	verificationKey: string | null;
};

/** The adapter over real sockets, and everything that it said meanwhile. */
export function custodyLab(
	access: LabAccess,
	{
		timeoutMs = 5_000,
		nowMs = () => Date.now(),
	}: { timeoutMs?: number; nowMs?: () => number } = {},
) {
	const lines: unknown[] = [];
	const say = (message: string, context?: Record<string, unknown>) =>
		void lines.push({ message, context });
	const log: Log = { debug: say, info: say, warn: say, error: say, with: () => log };
	const metrics = createMetrics();
	const authorizationKey = readAuthorizationKey(access.authorizationKey);
	if (!authorizationKey) throw new Error("the lab's authorization key is none");
	const custody = createCustody({
		baseUrl: access.url,
		appId: access.appId,
		appSecret: access.appSecret,
		authorizationKey,
		verificationKey:
			access.verificationKey === null ? null : readVerificationKey(access.verificationKey),
		timeoutMs,
		core: { clock: { nowMs }, log, metrics },
	});
	return { custody, lines, metrics };
}
