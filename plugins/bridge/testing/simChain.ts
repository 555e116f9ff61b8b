// Simulates a chain that money arrives on, as its nodes would answer, and what it really paid.

import { keccak256, stringToBytes } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";

/** Something that a transaction pays: a token by a transfer, the coin by an inner call. */
export type SimPaid = { currency: Address; from: Address; to: Address; raw: bigint };

export type SimTransaction = {
	from: Address;
	to: Address;
	value?: bigint;
	input?: Hex;
	pays?: readonly SimPaid[];
	isReverted?: boolean;
};

/** A payment as the chain really made it. */
export type SimPayment = SimPaid & {
	hash: Hex;
	/** The transaction's sender. */
	sender: Address;
	input: Hex;
	block: number;
	atS: number;
};

type Block = { number: number; atS: number; transactions: Mined[] };
type Mined = SimTransaction & { hash: Hex; block: number; index: number };

export type SimChain = ReturnType<typeof createSimChain>;

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Everybody has something before the first payment. */
const START_RAW = 10n ** 24n;
const wordOf = (value: bigint | Hex): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;
const hexOf = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** Makes a chain whose blocks are those that a test mines, at the times that it says. */
export function createSimChain(id: number, { firstAtS }: { firstAtS: number }) {
	const blocks: Block[] = [{ number: 1, atS: firstAtS, transactions: [] }];
	let [made, isDown] = [0, false];
	const all = () => blocks.flatMap(({ transactions }) => transactions);
	const head = () => blocks.at(-1)?.number ?? 1;
	const blockOf = (number: number) => blocks.find((block) => block.number === number);

	/** Mines transactions in one block, and returns their hashes. */
	function mine(transactions: readonly SimTransaction[], atS: number): Hex[] {
		const number = head() + 1;
		const mined = transactions.map((one, index): Mined => {
			const hash = keccak256(stringToBytes(`${id} ${made++}`));
			return { ...one, hash, block: number, index };
		});
		blocks.push({ number, atS, transactions: mined });
		return mined.map(({ hash }) => hash);
	}

	function payments(): SimPayment[] {
		return all().flatMap(
			({ hash, from: sender, to, value = 0n, input = "0x", pays = [], ...rest }) => {
				if (rest.isReverted) return [];
				const own = value > 0n ? [{ currency: ZERO_ADDRESS, from: sender, to, raw: value }] : [];
				const atS = blockOf(rest.block)?.atS ?? 0;
				const base = { hash, sender, input, block: rest.block, atS };
				return [...own, ...pays].map((paid) => ({ ...paid, ...base }));
			},
		);
	}

	function balanceOf(party: string, number: number): bigint {
		const coins = payments().filter(
			({ currency, block }) => currency === ZERO_ADDRESS && block <= number,
		);
		return coins.reduce((sum, { from, to, raw }) => {
			return sum + (to === party ? raw : 0n) - (from === party ? raw : 0n);
		}, START_RAW);
	}

	const read: ChainReader = async (method, params) => {
		if (isDown) throw new Error("the node is down");
		const [first, second] = params;
		switch (method) {
			case "eth_chainId":
				return hexOf(id);
			case "eth_blockNumber":
				return hexOf(head());
			case "eth_getTransactionReceipt":
				return receiptOf(all().find(({ hash }) => hash === first));
			case "eth_getTransactionByHash":
				return transactionOf(all().find(({ hash }) => hash === first));
			case "eth_getBlockByNumber": {
				const block = first === "latest" ? blocks.at(-1) : blockOf(Number(first));
				return (
					block && {
						...{ number: hexOf(block.number), timestamp: hexOf(block.atS) },
						transactions: block.transactions.map(transactionOf),
					}
				);
			}
			case "eth_getBalance":
				return hexOf(balanceOf(String(first), Number(second)));
			default:
				throw new Error(`${method} is not simulated`);
		}
	};

	return {
		id,
		mine,
		payments,
		read,
		head,
		has: (wanted: Hex) => all().some(({ hash }) => hash === wanted),
		headAtS: () => blocks.at(-1)?.atS ?? firstAtS,
		/** Takes the newest block back. */
		reorg: () => void blocks.pop(),
		/** Takes the newest block back, and mines what was in it a block later, behind others. */
		remine: (atS: number) => void mineAgain(blocks, atS),
		set isDown(value: boolean) {
			isDown = value;
		},
	};
}

function mineAgain(blocks: Block[], atS: number): void {
	const [again = [], number] = [blocks.pop()?.transactions, (blocks.at(-1)?.number ?? 1) + 2];
	blocks.push({ number: number - 1, atS, transactions: [] });
	const moved = again.map((one) => ({ ...one, block: number, index: one.index + 7 }));
	blocks.push({ number, atS, transactions: moved });
}

function receiptOf(one: Mined | undefined) {
	if (!one) return null;
	const { hash, block, index, pays = [], isReverted = false } = one;
	const tokens = pays.filter(({ currency }) => currency !== ZERO_ADDRESS);
	return {
		...{ transactionHash: hash, blockNumber: hexOf(block), transactionIndex: hexOf(index) },
		status: isReverted ? "0x0" : "0x1",
		logs: isReverted
			? []
			: tokens.map(({ currency, from, to, raw }, nth) => ({
					...{ address: currency, data: wordOf(raw), logIndex: hexOf(index * 100 + nth) },
					topics: [TRANSFER, wordOf(from), wordOf(to)],
				})),
	};
}

function transactionOf(one: Mined | undefined) {
	if (!one) return null;
	const { hash, from, to, value = 0n, input = "0x", pays = [] } = one;
	const gas = pays.length === 0 && input === "0x" ? 21_000 : 200_000;
	return { hash, from, to, value: hexOf(value), input, gas: hexOf(gas) };
}
