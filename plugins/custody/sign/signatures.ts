import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Custody } from "#plugins/custody/contract.ts";
import type { ProviderClient } from "#plugins/custody/createProviderClient.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { pathSegment } from "#plugins/custody/http/pathSegment.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, JSON_DEPTH_MAX } from "#plugins/custody/limits.ts";
import type { Authorize } from "#plugins/custody/sign/createAuthorizer.ts";
import { wire } from "#plugins/custody/wire/wire.ts";

const record = z.record(z.string(), z.unknown());

const typedDataSchema = z.object({
	domain: record,
	types: record,
	primaryType: z.string(),
	message: record,
});

type Signatures = Pick<Custody, "signMessage" | "signTypedData">;
type Wanted = {
	endpoint: string;
	method: string;
	params: Record<string, unknown>;
	providerWalletId: string;
	idempotencyKey: string;
	signal: AbortSignal;
};

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`);

/** Has a wallet sign messages. A signature can spend, but does nothing until somebody has it. */
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
