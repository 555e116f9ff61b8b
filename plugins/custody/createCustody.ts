// Builds the wallet provider over HTTP, with its lookups and the check of key quorums.

import type { KeyObject } from "node:crypto";
import type { Clock } from "#core/clock.ts";
import type { Core } from "#core/plugin/Core.ts";
import { createCaller, pathSegment } from "#plugins/custody/caller.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { createSender } from "#plugins/custody/createSender.ts";
import { QUORUM_REMEMBERED_MS, QUORUMS_REMEMBERED_MAX } from "#plugins/custody/limits.ts";
import { type AuthorizationKey, createAuthorizer, signatures } from "#plugins/custody/sign.ts";
import { createKeySet, createTokenVerifier } from "#plugins/custody/token.ts";
import {
	createProviderClient,
	type ProviderClient,
	readTrace,
	readTraces,
	readUser,
	wire,
} from "#plugins/custody/wire.ts";

export type Quorums = {
	/** Says whether our key alone signs for a quorum. */
	isOurs(quorumId: string, signal: AbortSignal): Promise<boolean>;
};

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

type Lookups = Pick<Custody, "byReference" | "byId" | "user" | "wallet">;

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

/**
 * Asks which key quorums our authorization key signs for: a wallet names its signers by quorum, and
 * only the quorum names keys. Answers are remembered, since most wallets name the same one.
 */
export function createQuorums(options: {
	client: ProviderClient;
	publicKey: string;
	clock: Clock;
}): Quorums {
	const { client, publicKey, clock } = options;
	const known = new Map<string, { isOurs: boolean; atMs: number }>();
	return {
		async isOurs(quorumId, signal) {
			const last = known.get(quorumId);
			if (last && clock.nowMs() - last.atMs < QUORUM_REMEMBERED_MS) return last.isOurs;
			const endpoint = "quorum";
			const path = `/v1/key_quorums/${pathSegment(quorumId)}`;
			const answer = await client.read({ endpoint, path, signal });
			const isOurs = answer !== null && holds(client, answer.json, { quorumId, publicKey });
			// The oldest goes first; a Map keeps the order of insertion.
			known.delete(quorumId);
			const [oldest] = known.keys();
			if (known.size >= QUORUMS_REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
			known.set(quorumId, { isOurs, atMs: clock.nowMs() });
			return isOurs;
		},
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

function holds(
	client: ProviderClient,
	json: unknown,
	{ quorumId, publicKey }: { quorumId: string; publicKey: string },
): boolean {
	const { data } = wire.quorum.safeParse(json);
	if (data === undefined || data.id !== quorumId) throw client.unreadable("quorum");
	// One signature is all we can give.
	if ((data.authorization_threshold ?? 1) > 1) return false;
	return data.authorization_keys.some((key) => bare(key.public_key) === publicKey);
}

/** Returns a key without PEM's first and last line and its line breaks. */
function bare(key: string): string {
	return key.replace(/-----[A-Z ]+-----/g, "").replace(/\s+/g, "");
}
