import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { ChainReader } from "#plugins/bridge/reconcile/chainReaders.ts";
import { wireAddress, wireHash } from "#plugins/bridge/relay/order.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const LOGS_MAX = 2_000;
const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const word = z
	.string()
	.regex(/^0x([0-9a-fA-F]{2})*$/)
	.transform((text) => text.toLowerCase());

const receiptSchema = z.object({
	transactionHash: wireHash,
	status: quantity,
	blockNumber: quantity,
	logs: z
		.array(z.object({ address: wireAddress, topics: z.array(word).max(4), data: word }))
		.max(LOGS_MAX),
});
const transactionSchema = z.object({ hash: wireHash, to: wireAddress.nullable(), value: quantity });

/** What a transaction did for somebody. `absent`: the chain has no such transaction (yet). */
export type Payments =
	| { kind: "unreadable" }
	| { kind: "absent" }
	| { kind: "reverted" }
	| { kind: "read"; paid: readonly { currency: Address; raw: bigint }[] };

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
