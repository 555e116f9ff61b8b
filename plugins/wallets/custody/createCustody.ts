import type { KeyObject } from "node:crypto";
import type { Core } from "#core/plugin/Core.ts";
import type { Custody } from "#plugins/wallets/custody/Custody.ts";
import { createProviderClient } from "#plugins/wallets/custody/createProviderClient.ts";
import { createQuorums } from "#plugins/wallets/custody/createQuorums.ts";
import { createCaller } from "#plugins/wallets/custody/http/createCaller.ts";
import { pathSegment } from "#plugins/wallets/custody/http/pathSegment.ts";
import { lookups } from "#plugins/wallets/custody/lookups.ts";
import { createSender } from "#plugins/wallets/custody/send/createSender.ts";
import { createAuthorizer } from "#plugins/wallets/custody/sign/createAuthorizer.ts";
import type { AuthorizationKey } from "#plugins/wallets/custody/sign/readAuthorizationKey.ts";
import { signatures } from "#plugins/wallets/custody/sign/signatures.ts";
import { createKeySet } from "#plugins/wallets/custody/token/createKeySet.ts";
import { createTokenVerifier } from "#plugins/wallets/custody/token/createTokenVerifier.ts";

export type CustodyOptions = {
	baseUrl: string;
	appId: string;
	appSecret: string;
	authorizationKey: AuthorizationKey;
	/** Null: the keys that the provider publishes. */
	verificationKey: KeyObject | null;
	timeoutMs: number;
	core: Pick<Core, "clock" | "log" | "metrics">;
	/** Aborts when the process ends: what is under way ends with it, as `unknown`. */
	ending?: AbortSignal;
	fetch?: typeof fetch;
};

/** The wallet provider over HTTP. Builds, and calls nobody until it is asked. */
export function createCustody(options: CustodyOptions): Custody {
	const { appId, authorizationKey, verificationKey, timeoutMs, core } = options;
	const { clock } = core;
	const client = createProviderClient({ ...options, call: createCaller(options) });
	const authorize = createAuthorizer({ appId, privateKey: authorizationKey.privateKey });
	const quorums = createQuorums({ client, publicKey: authorizationKey.publicKey, clock });
	const published = createKeySet({
		clock,
		async ask() {
			const path = `/v1/apps/${pathSegment(appId)}/jwks.json`;
			const answer = await client.read({ endpoint: "keys", path, isPublic: true });
			if (answer === null) throw client.unreadable("keys");
			return answer.json;
		},
	});
	const keys = verificationKey === null ? published : async () => verificationKey;
	return {
		isOn: true,
		send: createSender({ client, authorize, clock }),
		...lookups({ client, quorums }),
		...signatures({ client, authorize, clock, timeoutMs }),
		verifyAccessToken: createTokenVerifier({ appId, keys, clock }),
	};
}
