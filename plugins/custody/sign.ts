// Signs requests to the wallet provider, and has wallets sign messages.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import { type CanonicalRules, canonicalJson } from "#core/json.ts";
import { pathSegment } from "#plugins/custody/caller.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, JSON_DEPTH_MAX } from "#plugins/custody/limits.ts";
import { type ProviderClient, wire } from "#plugins/custody/wire.ts";

export type AuthorizedRequest = {
	/** In full, without a slash at its end. */
	url: string;
	body: Readonly<Record<string, unknown>>;
	idempotencyKey: string;
	expiresAtMs: number;
};

/** Headers for a request, and the very bytes of its body that were signed. */
export type Authorize = (request: AuthorizedRequest) => {
	headers: Record<string, string>;
	text: string;
};

export type AuthorizationKey = {
	/** Stays in this process: only signatures made with it leave. */
	privateKey: KeyObject;
	/** SPKI in base64, as the provider lists it among a quorum's keys. */
	publicKey: string;
};

type Signatures = Pick<Custody, "signMessage" | "signTypedData">;
type Wanted = {
	endpoint: string;
	method: string;
	params: Record<string, unknown>;
	providerWalletId: string;
	idempotencyKey: string;
	signal: AbortSignal;
};

const RULES: CanonicalRules = {
	depthMax: JSON_DEPTH_MAX,
	refused,
	replaceText(text) {
		if (!text.isWellFormed()) throw refused("text with half a character");
		return text;
	},
};

const PREFIX = "wallet-auth:";
const BASE64 = /^[A-Za-z0-9+/]{40,2000}={0,2}$/;

const record = z.record(z.string(), z.unknown());

const typedDataSchema = z.object({
	domain: record,
	types: record,
	primaryType: z.string(),
	message: record,
});

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/**
 * Signs requests with the authorization key, as the provider checks them: DER-encoded ECDSA P-256
 * over SHA-256 of the request's canonical JSON. Key, expiry and application are part of it, so that
 * no proxy on the way can give a request a longer life or another key.
 */
export function createAuthorizer(options: { appId: string; privateKey: KeyObject }): Authorize {
	const { appId, privateKey } = options;
	return ({ url, body, idempotencyKey, expiresAtMs }) => {
		const signed = {
			"privy-app-id": appId,
			"privy-idempotency-key": idempotencyKey,
			"privy-request-expiry": String(expiresAtMs),
		};
		const payload = canonicalizeJson({ version: 1, method: "POST", url, body, headers: signed });
		const signature = sign("sha256", Buffer.from(payload), {
			key: privateKey,
			dsaEncoding: "der",
		});
		return {
			headers: { ...signed, "privy-authorization-signature": signature.toString("base64") },
			text: canonicalizeJson(body),
		};
	};
}

/**
 * Returns the one text that RFC 8785 (JCS) has for a value: what is signed on both sides.
 *
 * What JSON cannot hold exactly is refused and not left out: a member that silently disappears
 * would be signed as if nobody had asked for it.
 */
export function canonicalizeJson(value: unknown): string {
	return canonicalJson(value, RULES);
}

/** Reads a P-256 key in PKCS #8, base64, as the provider hands it out; null: it is none. */
export function readAuthorizationKey(text: string): AuthorizationKey | null {
	const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
	if (!BASE64.test(base64)) return null;
	try {
		const der = Buffer.from(base64, "base64");
		const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
		if (privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") return null;
		const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
		return { privateKey, publicKey: spki.toString("base64") };
	} catch {
		// Without the error: it may quote what was parsed.
		return null;
	}
}

/**
 * Makes the function by which a wallet signs messages. A signature can spend once a person or a
 * contract has it.
 */
export function signatures(options: {
	client: ProviderClient;
	authorize: Authorize;
	clock: Clock;
	timeoutMs: number;
}): Signatures {
	const { client, authorize, clock, timeoutMs } = options;

	async function signed(wanted: Wanted): Promise<Hex> {
		const { endpoint, method, params, idempotencyKey, signal } = wanted;
		if (!KEY.test(idempotencyKey)) throw custodyFault.refused({ detail: "an odd idempotency key" });
		const path = `/v1/wallets/${pathSegment(wanted.providerWalletId)}/rpc`;
		const request = authorize({
			url: client.urlOf(path),
			body: { method, chain_type: "ethereum", params },
			idempotencyKey,
			// Nobody waits for it any longer.
			expiresAtMs: clock.nowMs() + timeoutMs,
		});
		const answer = await client.read({ endpoint, path, signed: request, signal });
		if (answer === null) throw custodyFault.refused({ detail: "no such wallet" });
		const { data } = wire.signature.safeParse(answer.json);
		if (data === undefined) throw client.unreadable(endpoint);
		return data.data.signature;
	}

	return {
		signMessage({ message, ...rest }) {
			const params =
				typeof message === "string"
					? { message, encoding: "utf-8" }
					: { message: Buffer.from(message).toString("hex"), encoding: "hex" };
			return signed({ ...rest, endpoint: "sign_message", method: "personal_sign", params });
		},
		async signTypedData({ typedData, ...rest }) {
			const params = typedDataParams(typedData);
			return signed({ ...rest, endpoint: "sign_typed", method: "eth_signTypedData_v4", params });
		},
	};
}

/**
 * Writes EIP-712 data in the provider's words. Integers are sent as decimal text: a JSON number
 * that a double cannot hold would be signed as another amount, so such a number is refused.
 */
export function typedDataParams(typedData: Readonly<Record<string, unknown>>) {
	const { data } = typedDataSchema.safeParse(typedData);
	if (data === undefined) throw custodyFault.refused({ detail: "no EIP-712 data" });
	return {
		typed_data: {
			domain: exact(data.domain, 0),
			types: exact(data.types, 0),
			primary_type: data.primaryType,
			message: exact(data.message, 0),
		},
	};
}

function exact(value: unknown, depth: number): unknown {
	if (depth > JSON_DEPTH_MAX) throw custodyFault.refused({ detail: "too deeply nested" });
	if (typeof value === "bigint") return value.toString();
	if (typeof value === "number" && !Number.isSafeInteger(value)) {
		throw custodyFault.refused({ detail: "a number that a double cannot hold" });
	}
	if (Array.isArray(value)) return value.map((item) => exact(item, depth + 1));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, exact(inner, depth + 1)]),
	);
}

function refused(what: string): Error {
	return custodyFault.refused({ detail: `cannot be signed: ${what}` });
}
