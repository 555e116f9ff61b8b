// Reads from a chain what a transaction paid to addresses, by whom, and behind which block.

import { toFunctionSelector } from "viem";
import { z } from "zod";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { depositoryAbi } from "#plugins/bridge/quote/authorizations.ts";
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
type Found = {
	asked: Asked;
	receipt: Receipt;
	transaction: Transaction;
	/** The order's id is in its calldata or in a log; `isPinnedMark`: in one of the provider's. */
	isMarked: boolean;
	isPinnedMark: boolean;
};

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const LOGS_MAX = 2_000;
const TRANSACTIONS_MAX = 10_000;
const WITHDRAWALS_MAX = 1_000;
const INPUT_LENGTH_MAX = 400_000;
/** With less, no contract pays anybody: a plain transfer, and the cheapest way to hand out coin. */
const PLAIN_GAS_MAX = 28_000n;
/** Senders of which nobody has a key: Arbitrum's and Optimism's first transaction of a block. */
const SYSTEM_SENDERS: ReadonlySet<Address> = new Set<Address>([
	"0x00000000000000000000000000000000000a4b05",
	"0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001",
]);
const DEPOSITS = depositoryAbi
	.filter((item) => item.type === "function")
	.map((item) => toFunctionSelector(item));

/** Why growth is no proof by itself: the transaction is nobody's, or was not the only one. */
const CALLED_BY_OTHERS =
	"Somebody else called the provider's contract: no node says that this is what paid the coin.";
const NOT_ALONE =
	"Another transaction of that block may have paid the coin: no node says which of them did.";

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
	...{ value: quantity, input: bytes, gas: quantity.optional() },
});
const blockSchema = z.object({ timestamp: quantity });
const fullBlockSchema = z.object({
	transactions: z.array(transactionSchema).max(TRANSACTIONS_MAX),
	miner: anyCaseAddressSchema.nullish(),
	withdrawals: z
		.array(z.object({ address: anyCaseAddressSchema }))
		.max(WITHDRAWALS_MAX)
		.nullish(),
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
 * address's balance grew in that block, less what the block's other transactions paid it; where one
 * of those may have made it grow, it is in doubt. A payment counts only after the deposit, and only
 * if the provider sent it or it carries the order's id.
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
		const { marks } = asked.proof;
		const isMarked = isAbout(marks, { receipt, transaction });
		const logs = receipt.logs.filter(({ address }) => isPayer(asked.proof, address));
		const isPinnedMark = isAbout(marks, { receipt: { ...receipt, logs }, transaction });
		const found = { asked, receipt, transaction, isMarked, isPinnedMark };
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
	const { asked, receipt, transaction, isMarked, isPinnedMark } = found;
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
		// An inner call is the provider's where it sent it, about the address or with the order's id.
		const isNamed = isPinnedMark || proof.payers === null || input.includes(party.slice(2));
		const isBound = isPinnedMark || isPayer(proof, from);
		const isInner = isNamed && (isBound || (to !== null && isPayer(proof, to)));
		if (isOwners || !isInner || !asked.isCoinWanted) continue;
		const grown = await grownBy(read, { hash, party, block, proof, isPinnedMark, signal });
		const doubt = isBound ? grown.doubt : CALLED_BY_OTHERS;
		const { raw } = grown;
		paid.push({ ...base, logIndex: GROWN_COIN, party, raw, ...(doubt !== null && { doubt }) });
	}
	return { paid, isForeign };
}

type Growth = {
	hash: Hex;
	party: Address;
	block: bigint;
	proof: Proof;
	isPinnedMark: boolean;
	signal: AbortSignal;
};

/**
 * Returns what an address had more behind a block, less what other transactions paid it there, and
 * the doubt where something else of the block may have paid it: nobody can say which it was.
 */
async function grownBy(
	read: ChainReader,
	given: Growth,
): Promise<{ raw: bigint; doubt: string | null }> {
	const { hash, party, block, signal } = given;
	const at = async (number: bigint) =>
		quantity.parse(await read("eth_getBalance", [party, hexQuantity(number)], signal));
	const [before, after] = await Promise.all([at(block - 1n), at(block)]);
	if (after <= before) return { raw: 0n, doubt: null };
	const told = await read("eth_getBlockByNumber", [hexQuantity(block), true], signal);
	const { transactions, miner, withdrawals } = fullBlockSchema.parse(told);
	const others = transactions.filter((one) => one.hash !== hash);
	const paid = others.filter(({ to }) => to === party).reduce((sum, { value }) => sum + value, 0n);
	const raw = after - before > paid ? after - before - paid : 0n;
	const isRewarded = miner === party || withdrawals?.some(({ address }) => address === party);
	const isAlone = !isRewarded && !others.some((one) => mayPay(one, given));
	return { raw, doubt: isAlone ? null : NOT_ALONE };
}

/**
 * Returns whether a transaction may have paid an address by an inner call. Beside one that carries
 * the order's id that is one of the address's own, one that names it, and one of the provider's
 * contract, which pays whom it knows; beside any other, all that can call a contract.
 */
function mayPay(
	{ from, to, value, input, gas }: Transaction,
	{ party, proof, isPinnedMark }: Growth,
): boolean {
	if (from === party) return true;
	if (SYSTEM_SENDERS.has(from)) return false;
	const isTheirs = to !== null && proof.payers?.has(to) === true;
	if (isTheirs && DEPOSITS.some((selector) => input.startsWith(selector))) return false;
	// What is sent to the address itself is its value, which is taken off.
	if (to === party && (input === "0x" || proof.payers?.has(from) === true)) return false;
	const isCheap = gas !== undefined && gas <= PLAIN_GAS_MAX;
	const isNamed = to === party || input.includes(party.slice(2));
	if (isPinnedMark) return isNamed || (isTheirs && !isCheap);
	const isPlain = to !== null && input === "0x" && value > 0n;
	return !isPlain || !isCheap;
}

function isPayer({ payers }: Proof, address: Address): boolean {
	return payers === null || payers.has(address);
}

function addressOf(topic: string | undefined): Address | null {
	return anyCaseAddressSchema.safeParse(`0x${topic?.slice(-40)}`).data ?? null;
}
