import type { KeyObject } from "node:crypto";
import type { Core } from "#core/plugin/Core.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import {
	createProviderClient,
	type ProviderClient,
} from "#plugins/custody/createProviderClient.ts";
import { createQuorums, type Quorums } from "#plugins/custody/createQuorums.ts";
import { createCaller } from "#plugins/custody/http/createCaller.ts";
import { pathSegment } from "#plugins/custody/http/pathSegment.ts";
import { createSender } from "#plugins/custody/send/createSender.ts";
import { createAuthorizer } from "#plugins/custody/sign/createAuthorizer.ts";
import type { AuthorizationKey } from "#plugins/custody/sign/readAuthorizationKey.ts";
import { signatures } from "#plugins/custody/sign/signatures.ts";
import { createKeySet } from "#plugins/custody/token/createKeySet.ts";
import { createTokenVerifier } from "#plugins/custody/token/createTokenVerifier.ts";
import { readTrace, readTraces, readUser, wire } from "#plugins/custody/wire/wire.ts";

type Lookups = Pick<Custody, "byReference" | "byId" | "user" | "wallet">;

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

/** Builds the wallet provider over HTTP. Nobody is called before something is asked. */
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

/** Looks up what the provider knows. An answer about anything else than was asked is unreadable. */
function lookups(options: { client: ProviderClient; quorums: Quorums }): Lookups {
	const { client, quorums } = options;
	return {
		async byReference(referenceId, signal) {
			const endpoint = "by_reference";
			const path = `/v1/transactions?reference_id=${pathSegment(referenceId)}`;
			const answer = await client.read({ endpoint, path, signal });
			if (answer === null) return null;
			const trace = readTraces(answer.json, referenceId);
			if (trace === "unreadable") throw client.unreadable(endpoint);
			return trace;
		},
		async byId(transactionId, signal) {
			const endpoint = "by_id";
			const path = `/v1/transactions/${pathSegment(transactionId)}`;
			const answer = await client.read({ endpoint, path, signal });
			if (answer === null) return null;
			const trace = readTrace(answer.json);
			if (trace?.transactionId !== transactionId) throw client.unreadable(endpoint);
			return trace;
		},
		async user(userId, signal) {
			const endpoint = "user";
			const path = `/v1/users/${pathSegment(userId)}`;
			const answer = await client.read({ endpoint, path, signal });
			if (answer === null) return null;
			const user = readUser(answer.json);
			if (user?.id !== userId) throw client.unreadable(endpoint);
			return user;
		},
		async wallet(providerWalletId, signal) {
			const endpoint = "wallet";
			const path = `/v1/wallets/${pathSegment(providerWalletId)}`;
			const answer = await client.read({ endpoint, path, signal });
			if (answer === null) return null;
			const { data } = wire.wallet.safeParse(answer.json);
			if (data?.id !== providerWalletId) throw client.unreadable(endpoint);
			const signers = [data.owner_id, ...(data.additional_signers ?? []).map(signerId)];
			// We give one signature, whatever the quorum would do with more.
			const isOne = (data.authorization_threshold ?? 1) <= 1;
			return {
				id: data.id,
				address: data.address,
				isDelegated: isOne && (await isAnyOurs(signers, signal)),
				isArchived: data.archived_at != null,
			};
		},
	};

	async function isAnyOurs(
		signers: readonly (string | null | undefined)[],
		signal: AbortSignal,
	): Promise<boolean> {
		for (const id of signers) if (id != null && (await quorums.isOurs(id, signal))) return true;
		return false;
	}
}

function signerId({ signer_id }: { signer_id: string }): string {
	return signer_id;
}
