import { z } from "zod";
import { custodyFault } from "#plugins/wallets/custody/faults.ts";
import { JSON_DEPTH_MAX } from "#plugins/wallets/custody/limits.ts";

const record = z.record(z.string(), z.unknown());
const typedDataSchema = z.object({
	domain: record,
	types: record,
	primaryType: z.string(),
	message: record,
});

/**
 * EIP-712 data in the provider's words. Integers are sent as decimal text: a JSON number that a
 * double cannot hold would be signed as another amount, so such a number is refused.
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
