// Reads blocks and nonces of a chain, and sends a signed transaction again.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { defineFaults, Fault } from "#core/fault.ts";

/** A block with the hashes of its transactions, in lower case. */
export type BlockRead = { hash: string; transactions: readonly string[] };

/** Failures of a node's answer. Nothing was learned, so it is asked again. */
export const chainFault = defineFaults({
	chainUnreadable: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint answered something that cannot be read.",
	},
	chainContradicts: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoints do not agree on what is mined.",
	},
	chainBehind: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint is behind what is known already.",
	},
});

const isHex = (text: string): text is Hex => /^0x[0-9a-f]*$/.test(text);

/** Bytes as a node writes them, converted to lower case. */
export const hexData = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isHex);

const lowerHex = z.string().toLowerCase();
const TRANSACTIONS_MAX = 100_000;
const block = z.object({
	hash: lowerHex,
	transactions: z
		.array(z.union([lowerHex, z.object({ hash: lowerHex }).transform(({ hash }) => hash)]))
		.max(TRANSACTIONS_MAX),
});

/**
 * Reads blocks by their numbers in one request. If the node lacks one, or answers it wrongly, only
 * that entry is a Fault.
 */
export async function readBlocks(
	rpc: Rpc,
	{ numbers, ...options }: RpcOptions & { numbers: readonly number[] },
): Promise<Map<number, BlockRead | Fault>> {
	if (numbers.length === 0) return new Map();
	const calls = numbers.map((number) => ({
		method: "eth_getBlockByNumber",
		params: [hexQuantity(number), false],
	}));
	// A node that is behind does not have the block.
	const isReadable = (result: unknown) => result === null || block.safeParse(result).success;
	const minBlock = Math.max(...numbers);
	const outcomes = await rpc.settle(calls, { minBlock, isReadable, ...options });
	return new Map(
		numbers.map((number, place) => {
			const outcome = outcomes[place];
			if (outcome?.kind !== "result") {
				return [number, outcome?.fault ?? chainFault.chainUnreadable()];
			}
			const read = block.safeParse(outcome.result);
			return [number, read.success ? read.data : chainFault.chainUnreadable()];
		}),
	);
}

/**
 * Reads how many nonces of an account were used as of a block. Null where the node refuses, because
 * it no longer has that state.
 */
export async function readNonceAt(
	rpc: Rpc,
	{ address, block, signal }: { address: Address; block: number; signal: AbortSignal },
): Promise<number | null> {
	const params = [address, hexQuantity(block)];
	try {
		const count = await rpc.call(
			{ method: "eth_getTransactionCount", params },
			{ signal, isReadable: readableBy([chainNumbers.nonce]) },
		);
		return readAnswer(chainNumbers.nonce, count);
	} catch (error) {
		if (error instanceof Fault && error.code === "rpc_refused") return null;
		throw error;
	}
}

/**
 * Parses a node's answer by its schema. Throws `chain_unreadable` for an invalid one: the node's
 * failure, not ours.
 */
export function readAnswer<Output>(
	schema: Pick<z.ZodType<Output>, "safeParse">,
	answer: unknown,
): Output {
	const read = schema.safeParse(answer);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	throw chainFault.chainUnreadable({ detail: `${issue?.path.join(".")}: ${issue?.message}` });
}

/**
 * Makes a check whether each result fits its schema, by the position of its call; the pool asks
 * another endpoint for invalid ones. Positions without a schema are not checked.
 */
export function readableBy(
	schemas: readonly (z.ZodType | null)[],
): (result: unknown, index: number) => boolean {
	return (result, index) => schemas[index]?.safeParse(result).success ?? true;
}

/**
 * Sends a signed transaction that was sent before, byte for byte: hash and nonce are the same, so
 * it is mined at most once, however often this is done. The node's answer proves nothing; the next
 * lookup of the hash does.
 */
export async function sendSigned(
	rpc: Rpc,
	{ signed, signal }: { signed: Hex; signal: AbortSignal },
): Promise<void> {
	await rpc.call({ method: "eth_sendRawTransaction", params: [signed] }, { signal });
}
