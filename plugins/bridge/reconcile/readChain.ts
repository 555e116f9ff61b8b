// Chooses the node that a chain is read by, and reads what a transaction paid to an address.

import { z } from "zod";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { ChainReader, ChainReaders } from "#plugins/bridge/bridgeConfig.ts";
import { FOREIGN_RPC_BYTES_MAX, FOREIGN_RPC_TIMEOUT_MS } from "#plugins/bridge/limits.ts";

/** What a transaction did for somebody. `absent`: the chain has no such transaction (yet). */
export type Payments =
	| { kind: "unreadable" }
	| { kind: "absent" }
	| { kind: "reverted" }
	| { kind: "read"; paid: readonly { currency: Address; raw: bigint }[] };

const HTTP = /^https?:/;
const answerSchema = z.object({
	result: z.unknown().optional(),
	error: z.object({ message: z.string().optional() }).nullish(),
});

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const LOGS_MAX = 2_000;
const word = z
	.string()
	.regex(/^0x([0-9a-fA-F]{2})*$/)
	.transform((text) => text.toLowerCase());

const receiptSchema = z.object({
	transactionHash: anyCaseWordSchema,
	status: quantity,
	blockNumber: quantity,
	logs: z
		.array(z.object({ address: anyCaseAddressSchema, topics: z.array(word).max(4), data: word }))
		.max(LOGS_MAX),
});
const transactionSchema = z.object({
	hash: anyCaseWordSchema,
	to: anyCaseAddressSchema.nullable(),
	value: quantity,
});

/**
 * Makes what chooses the node that a chain is read by: the deployment's own nodes where it reaches
 * the chain, then those of `BRIDGE_RPC_URLS_JSON`, then the provider's public node, which a
 * stranger chose and which is reached by the guarded way alone.
 */
export function createChainReaders(options: {
	core: Pick<Core, "reached" | "foreignFetch">;
	urls: Readonly<Record<string, readonly string[]>>;
}): ChainReaders {
	const { core, urls } = options;
	const made = new Map<number, ChainReader>();
	for (const { chain, rpcFor } of core.reached) {
		const rpc = rpcFor("intents");
		made.set(chain.id, (method, params, signal) => rpc.call({ method, params }, { signal }));
	}
	for (const [id, named] of Object.entries(urls)) {
		const url = named.find((one) => HTTP.test(one));
		if (made.has(Number(id)) || url === undefined) continue;
		made.set(Number(id), checked(Number(id), ownReader(url)));
	}
	return {
		of(chainId, publicUrl) {
			const own = made.get(chainId);
			if (own || publicUrl === null || !HTTP.test(publicUrl)) return own ?? null;
			const reader = checked(chainId, foreignReader(core, publicUrl));
			made.set(chainId, reader);
			return reader;
		},
	};
}

/**
 * Reads from a chain what a transaction paid to an address: tokens by their transfers, the coin by
 * the transaction's own value, or by how much the address had more behind its block than before.
 */
export async function readPayments(
	read: ChainReader | null,
	{ hash, party, signal }: { hash: Hex; party: Address; signal: AbortSignal },
): Promise<Payments> {
	if (read === null) return { kind: "unreadable" };
	try {
		const [told, transaction] = await Promise.all([
			read("eth_getTransactionReceipt", [hash], signal),
			read("eth_getTransactionByHash", [hash], signal),
		]);
		if (told === null) return { kind: "absent" };
		const receipt = receiptSchema.parse(told);
		if (receipt.transactionHash !== hash) return { kind: "unreadable" };
		if (receipt.status !== 1n) return { kind: "reverted" };
		const coin = await coinPaid(read, { transaction, party, block: receipt.blockNumber, signal });
		const paid = [...tokensPaid(receipt.logs, party), { currency: ZERO_ADDRESS, raw: coin }];
		return { kind: "read", paid: paid.filter(({ raw }) => raw > 0n) };
	} catch {
		// A node that does not answer, or nonsense: nothing is known, and it is asked again.
		return { kind: "unreadable" };
	}
}

/** Wraps a reader: it must say that it serves the chain before anything of it counts. */
function checked(chainId: number, read: ChainReader): ChainReader {
	let isRight = false;
	return async (method, params, signal) => {
		if (!isRight) {
			const told = await read("eth_chainId", [], signal);
			if (Number(told) !== chainId) throw rpcFault.transport({ detail: "a node of another chain" });
			isRight = true;
		}
		return await read(method, params, signal);
	};
}

function ownReader(url: string): ChainReader {
	const rpc = httpRpc({
		...{ url, timeoutMs: FOREIGN_RPC_TIMEOUT_MS, batchMax: 1, concurrencyMax: 4 },
		bodyBytesMax: FOREIGN_RPC_BYTES_MAX,
	});
	return (method, params, signal) => rpc.call({ method, params }, { signal });
}

function foreignReader({ foreignFetch }: Pick<Core, "foreignFetch">, url: string): ChainReader {
	return async (method, params, signal) => {
		const answer = await foreignFetch({
			...{ url, signal, accept: "application/json" },
			...{ bytesMax: FOREIGN_RPC_BYTES_MAX, timeoutMs: FOREIGN_RPC_TIMEOUT_MS },
			json: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		const { data } = answerSchema.safeParse(jsonOf(answer.body));
		if (answer.status >= 300 || !data || data.error) {
			throw rpcFault.transport({ detail: `a public node: HTTP ${answer.status}` });
		}
		return data.result;
	};
}

function jsonOf(body: Uint8Array): unknown {
	try {
		return JSON.parse(Buffer.from(body).toString("utf8"));
	} catch {
		return null;
	}
}

async function coinPaid(
	read: ChainReader,
	given: { transaction: unknown; party: Address; block: bigint; signal: AbortSignal },
): Promise<bigint> {
	const { party, block, signal } = given;
	const transaction = transactionSchema.parse(given.transaction);
	if (transaction.to === party) return transaction.value;
	const at = async (number: bigint) =>
		quantity.parse(await read("eth_getBalance", [party, hexQuantity(number)], signal));
	const [before, after] = await Promise.all([at(block - 1n), at(block)]);
	return after > before ? after - before : 0n;
}

function tokensPaid(
	logs: z.output<typeof receiptSchema>["logs"],
	party: Address,
): { currency: Address; raw: bigint }[] {
	const sums = new Map<Address, bigint>();
	for (const { address, topics, data } of logs) {
		const [topic, , to] = topics;
		const isPaid = topic === TRANSFER && topics.length === 3 && to?.slice(-40) === party.slice(2);
		if (!isPaid || data.length !== 66) continue;
		sums.set(address, (sums.get(address) ?? 0n) + BigInt(data));
	}
	return [...sums].map(([currency, raw]) => ({ currency, raw }));
}
