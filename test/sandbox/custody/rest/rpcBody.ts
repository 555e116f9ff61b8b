import { type Address, type Hex, isAddress, isHex } from "viem";
import { z } from "zod";

const hex = z.custom<Hex>((value) => isHex(value));
const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
/** A quantity as hex or as an integer; the provider takes both. */
const quantity = z
	.union([hex, z.int().min(0)])
	.transform((value) => BigInt(value))
	.pipe(z.bigint().max(2n ** 256n - 1n));

const Transaction = z.object({
	type: z.literal(2).optional(),
	chain_id: quantity.optional(),
	from: address.optional(),
	to: address,
	value: quantity.default(0n),
	data: hex.default("0x"),
	nonce: quantity.optional(),
	gas_limit: quantity.optional(),
	max_fee_per_gas: quantity.optional(),
	max_priority_fee_per_gas: quantity.optional(),
});
export type RpcTransaction = z.output<typeof Transaction>;

const chain_type = z.literal("ethereum").optional();

/** The requests that a wallet accepts. */
export const rpcBody = z.discriminatedUnion("method", [
	z.object({
		method: z.literal("eth_sendTransaction"),
		chain_type,
		caip2: z.string(),
		reference_id: z.string().min(1).max(64).optional(),
		params: z.object({ transaction: Transaction }),
	}),
	z.object({
		method: z.literal("eth_signTransaction"),
		chain_type,
		params: z.object({ transaction: Transaction }),
	}),
	z.object({
		method: z.literal("personal_sign"),
		chain_type,
		params: z.discriminatedUnion("encoding", [
			z.object({ encoding: z.literal("utf-8"), message: z.string() }),
			z.object({
				encoding: z.literal("hex"),
				message: z.string().regex(/^(?:[0-9a-fA-F]{2})*$/),
			}),
		]),
	}),
	z.object({
		method: z.literal("eth_signTypedData_v4"),
		chain_type,
		params: z.object({
			typed_data: z.object({
				domain: z.record(z.string(), z.unknown()),
				types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
				primary_type: z.string(),
				message: z.record(z.string(), z.unknown()),
			}),
		}),
	}),
]);
export type RpcBody = z.output<typeof rpcBody>;
