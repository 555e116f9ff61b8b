// Reads from a chain what a transaction paid to addresses, by whom, and behind which block.

import { z } from "zod";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { GROWN_COIN, OWN_COIN, type Payment } from "#plugins/bridge/sql/arrivals.ts";

/** Holds the position of a transaction: block, index, and the block's time in seconds. */
export type Place = { block: bigint; index: bigint; atS: bigint };

/** Says what makes a payment one for this order, and not for an earlier one. */
export type Proof = {
	/** The provider's own addresses on this chain; null: the chain itself named the transaction. */
	payers: ReadonlySet<Address> | null;
	/** Ids of the order, without `0x`: a transaction that carries one is about it. */
	marks: readonly string[];
	/** The owner's own addresses: what they move between each other is no payment. */
	owners: ReadonlySet<Address>;
	isAfter(place: Place): boolean;
};

/**
 * Holds what a transaction paid. `absent`: the chain has no such transaction (yet). `foreign`: it
 * exists, and no payment of it can be for the order, for the reason in `detail`.
 */
export type Payments =
	| { kind: "unreadable" | "absent" | "reverted" }
	| { kind: "foreign"; detail: string }
	| { kind: "read"; payments: readonly Payment[] };

type Asked = {
	chainId: number;
	hash: Hex;
	parties: readonly Address[];
	/** The coin may end the order; else its growth is not asked: few nodes know old states. */
	isCoinWanted: boolean;
	proof: Proof;
	signal: AbortSignal;
};
type Receipt = z.output<typeof receiptSchema>;
type Transaction = z.output<typeof transactionSchema>;
type Found = { asked: Asked; receipt: Receipt; transaction: Transaction; isMarked: boolean };

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const LOGS_MAX = 2_000;
const TRANSACTIONS_MAX = 10_000;
const INPUT_LENGTH_MAX = 400_000;

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);
const bytes = z
	.string()
	.max(INPUT_LENGTH_MAX)
	.regex(/^0x([0-9a-fA-F]{2})*$/)
	.transform((text) => text.toLowerCase());
const logSchema = z.object({
	...{ address: anyCaseAddressSchema, topics: z.array(bytes).max(4), data: bytes },
	logIndex: quantity.transform(Number).pipe(z.int().min(0)),
});
const receiptSchema = z.object({
	transactionHash: anyCaseWordSchema,
	...{ status: quantity, blockNumber: quantity, transactionIndex: quantity },
	logs: z.array(logSchema).max(LOGS_MAX),
});
const transactionSchema = z.object({
	hash: anyCaseWordSchema,
	from: anyCaseAddressSchema,
	to: anyCaseAddressSchema.nullable(),
	...{ value: quantity, input: bytes },
});
const blockSchema = z.object({ timestamp: quantity });
const fullBlockSchema = z.object({
	transactions: z.array(transactionSchema).max(TRANSACTIONS_MAX),
});

/**
 * Reads the position of a transaction; null where the chain does not have it. Throws if no node
 * answers.
 */
export async function readPlace(
	read: ChainReader,
	{ hash, signal }: { hash: Hex; signal: AbortSignal },
): Promise<Place | null> {
	const told = await read("eth_getTransactionReceipt", [hash], signal);
	return told === null ? null : await placeOf(read, receiptSchema.parse(told), signal);
}

/**
 * Reads what one transaction paid to an order's addresses, and returns those payments.
 *
 * Tokens are read from transfer logs. The coin is the transaction's own value, or else how much the
 * address's balance grew in that block, less what the block's other transactions paid it. A payment
 * counts only after the deposit, and only if the provider sent it or it carries the order's id.
 */
export async function readPayments(read: ChainReader | null, asked: Asked): Promise<Payments> {
	const { hash, signal } = asked;
	if (read === null) return { kind: "unreadable" };
	try {
		const [told, sent] = await Promise.all([
			read("eth_getTransactionReceipt", [hash], signal),
			read("eth_getTransactionByHash", [hash], signal),
		]);
		if (told === null) return { kind: "absent" };
		const receipt = receiptSchema.parse(told);
		const transaction = transactionSchema.parse(sent);
		if (receipt.transactionHash !== hash || transaction.hash !== hash) {
			return { kind: "unreadable" };
		}
		if (receipt.status !== 1n) return { kind: "reverted" };
		const place = await placeOf(read, receipt, signal);
		if (!asked.proof.isAfter(place)) {
			return { kind: "foreign", detail: "It was paid before the deposit." };
		}
		const isMarked = isAbout(asked.proof.marks, { receipt, transaction });
		const found = { asked, receipt, transaction, isMarked };
		const tokens = tokensPaid(found);
		const coins = await coinsPaid(read, found);
		const payments = [...tokens.paid, ...coins.paid].filter(({ raw }) => raw > 0n);
		const isForeign = payments.length === 0 && (tokens.isForeign || coins.isForeign);
		if (!isForeign) return { kind: "read", payments };
		return { kind: "foreign", detail: "It was paid by nobody of the provider's." };
	} catch {
		// A node that does not answer, or nonsense: nothing is known, and it is asked again.
		return { kind: "unreadable" };
	}
}

async function placeOf(read: ChainReader, receipt: Receipt, signal: AbortSignal): Promise<Place> {
	const { blockNumber: block, transactionIndex: index } = receipt;
	const told = await read("eth_getBlockByNumber", [hexQuantity(block), false], signal);
	return { block, index, atS: blockSchema.parse(told).timestamp };
}

function isAbout(
	marks: readonly string[],
	{ receipt, transaction }: Pick<Found, "receipt" | "transaction">,
): boolean {
	const logged = receipt.logs.flatMap(({ topics, data }) => [...topics, data]);
	const texts = [transaction.input, ...logged];
	return marks.some((mark) => texts.some((text) => text.includes(mark)));
}

type Paid = { paid: readonly Payment[]; isForeign: boolean };

function tokensPaid({ asked, receipt, transaction, isMarked }: Found): Paid {
	const { chainId, hash, parties, proof } = asked;
	const paid: Payment[] = [];
	let isForeign = false;
	for (const { address: currency, topics, data, logIndex } of receipt.logs) {
		const [topic, from, to] = topics;
		if (topic !== TRANSFER || topics.length !== 3 || data.length !== 66) continue;
		const payer = addressOf(from);
		const party = parties.find((one) => one === addressOf(to));
		if (!party || payer === null) continue;
		const isOwners = proof.owners.has(payer) || payer === party;
		const isTheirs = isPayer(proof, payer) || isPayer(proof, transaction.from) || isMarked;
		if (isOwners || !isTheirs) {
			isForeign = true;
			continue;
		}
		const block = receipt.blockNumber;
		paid.push({ chainId, hash, logIndex, block, party, currency, raw: BigInt(data) });
	}
	return { paid, isForeign };
}

async function coinsPaid(read: ChainReader, found: Found): Promise<Paid> {
	const { asked, receipt, transaction, isMarked } = found;
	const { chainId, hash, parties, proof, signal } = asked;
	const { from, to, value, input } = transaction;
	const block = receipt.blockNumber;
	const base = { chainId, hash, block, currency: ZERO_ADDRESS };
	const isOwners = proof.owners.has(from);
	const isTheirs = isPayer(proof, from) || isMarked;
	const paid: Payment[] = [];
	let isForeign = false;
	for (const party of parties) {
		if (to === party) {
			if (value === 0n) continue;
			if (isOwners || !isTheirs) isForeign = true;
			else paid.push({ ...base, logIndex: OWN_COIN, party, raw: value });
			continue;
		}
		// An inner call is the provider's where it, or a contract of its, was called about the address.
		const isNamed = isMarked || proof.payers === null || input.includes(party.slice(2));
		const isInner = isNamed && (isTheirs || (to !== null && isPayer(proof, to)));
		if (isOwners || !isInner || !asked.isCoinWanted) continue;
		const raw = await grownBy(read, { hash, party, block, proof, signal });
		paid.push({ ...base, logIndex: GROWN_COIN, party, raw });
	}
	return { paid, isForeign };
}

/**
 * Returns what an address had more behind a block, less what other transactions paid it there.
 * None, where one of the block that is not the provider's may have paid it by an inner call, as an
 * owner's own swap does: nobody can say which of them it was.
 */
async function grownBy(
	read: ChainReader,
	given: { hash: Hex; party: Address; block: bigint; proof: Proof; signal: AbortSignal },
): Promise<bigint> {
	const { hash, party, block, proof, signal } = given;
	const at = async (number: bigint) =>
		quantity.parse(await read("eth_getBalance", [party, hexQuantity(number)], signal));
	const [before, after] = await Promise.all([at(block - 1n), at(block)]);
	if (after <= before) return 0n;
	const told = await read("eth_getBlockByNumber", [hexQuantity(block), true], signal);
	const others = fullBlockSchema.parse(told).transactions.filter((one) => one.hash !== hash);
	const mayPay = ({ from, to, input }: Transaction) => {
		if (from === party) return true;
		return to !== party && input.includes(party.slice(2)) && !isPayer(proof, from);
	};
	if (others.some(mayPay)) return 0n;
	const paid = others.filter(({ to }) => to === party).reduce((sum, { value }) => sum + value, 0n);
	return after - before > paid ? after - before - paid : 0n;
}

function isPayer({ payers }: Proof, address: Address): boolean {
	return payers === null || payers.has(address);
}

function addressOf(topic: string | undefined): Address | null {
	return anyCaseAddressSchema.safeParse(`0x${topic?.slice(-40)}`).data ?? null;
}
