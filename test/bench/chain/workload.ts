// Describes what the blocks of the bench contain, compiles what emits it, and emits it.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { encodeDeployData, encodeFunctionData, getContractAddress, parseAbi, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { z } from "zod";
import { MULTICALL } from "#plugins/market-index/metadata/callContract.ts";
import type { Node, NodeCall } from "#test/bench/chain/model.ts";
import { CACHE_DIR } from "#test/bench/places.ts";

/**
 * The content of a bench chain. Figures are compared on `WORKLOAD`; a wider or longer chain is
 * another value of this type.
 */
export type Workload = {
	blocks: number;
	/** The time between two blocks, by the chain's clock. */
	blockSeconds: number;
	collections: number;
	/** Collections whose turn it is in a block, by its number; each mints and sells. */
	collectionsPerBlock: number;
	/** ERC-721 mints of each collection whose turn it is, in one transaction. */
	mintsPerCollection: number;
	/** TransferSingle logs a block. */
	singlesPerBlock: number;
	/** Ids of the one TransferBatch log a block. */
	batchIdsPerBlock: number;
	/** ERC-20 mints a block: logs that a scanner must leave out. */
	noisePerBlock: number;
	/** Sales of each collection whose turn it is. */
	salesPerCollection: number;
	/** The price of each token of a paid drop; every other block pays. */
	mintPriceWei: bigint;
	/**
	 * True: each ERC-721 mint and each sale has a transaction of its own, as most have in reality.
	 */
	isSpread: boolean;
};

/** A chain's newest block, with the rows of a complete index of it. */
export type Contents = { tip: number; mints: number; sales: number };

export type Emitters = {
	/** In lower case, in the order of their turns. */
	collections: readonly Address[];
	/** Returns the transactions of one block of the workload; `block` counts from 0. */
	blockCalls(block: number): NodeCall[];
	/** Returns a block of sales of one collection only. */
	saleCalls(collection: Address, count: number): NodeCall[];
	/** Returns mints of one collection in one transaction that paid for them. */
	mintCalls(collection: Address, count: number): NodeCall[];
	/** Returns different sales, in as many transactions as have the newest nonces. */
	otherSales(collection: Address, replaced: { count: number; transactions: number }): NodeCall[];
};

type Address = `0x${string}`;

type Transaction = { to?: Address; data: string; value?: bigint };

const hex = z.string().regex(/^0x[0-9a-f]+$/);
const artifacts = z.object({
	Drop721: hex,
	Drop1155: hex,
	Coin20: hex,
	Fulfiller: hex,
	Aggregator: hex,
});

/** Creation code of the emitters, by contract. */
export type WorkloadCode = z.infer<typeof artifacts>;

const SOURCE = "Workload.sol";

const compilerOutput = z.object({
	errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
	contracts: z.record(
		z.string(),
		z.record(
			z.string(),
			z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
		),
	),
});

export const WORKLOAD: Workload = {
	blocks: 1_000,
	blockSeconds: 1,
	collections: 20,
	collectionsPerBlock: 1,
	mintsPerCollection: 50,
	singlesPerBlock: 5,
	batchIdsPerBlock: 5,
	noisePerBlock: 10,
	salesPerCollection: 20,
	mintPriceWei: 1_000_000_000_000n,
	isSpread: false,
};

/** The same rows, with one mint or sale a transaction. */
export const SPREAD_WORKLOAD: Workload = { ...WORKLOAD, isSpread: true };

/**
 * As many collections as an index is wide, each met in one block: a batch's rows belong to rows of
 * collections, and buckets, that nothing before it touched. Several a block, because anvil's time
 * for a block grows with its accounts.
 */
export const WIDE_WORKLOAD: Workload = {
	...WORKLOAD,
	blocks: 500,
	blockSeconds: 12,
	collections: 2_000,
	collectionsPerBlock: 4,
};

/** As many rows as the wide chain has, of ten times as many collections: seven rows of each. */
export const VERY_WIDE_WORKLOAD: Workload = {
	...WIDE_WORKLOAD,
	collections: 20_000,
	collectionsPerBlock: 40,
	mintsPerCollection: 5,
	salesPerCollection: 2,
};

/** What one block's gas allows, with room. */
const DEPLOYMENTS_PER_BLOCK = 250;
/** Contracts besides the collections: editions, a coin, the venue, and Multicall3. */
const OTHER_CONTRACTS = 4;

const abi = parseAbi([
	"constructor(string name)",
	"function drop(uint256 count, uint160 firstHolder) payable",
	"function dropSingles(uint256 count, uint160 firstHolder)",
	"function dropBatch(uint256 count, address holder)",
	"function fill(address token, uint256 firstId, uint256 count, uint256 priceMin)",
]);

/** Seaport 1.6: a scanner knows it by address, so the emitter's code is put there. */
export const SEAPORT: Address = "0x0000000000000068f116a894984e2db1123eb395";

const SENDER = mnemonicToAccount(
	"test test test test test test test test test test test junk",
).address;
const SALE_PRICE_MIN = 10n ** 16n;
/** No block of a workload sells ids from here on. */
const OTHER_IDS_FROM = 10n ** 9n;
const GAS_PER_TRANSACTION = 12_000_000;
/** Gas of one mint or one sale: a block must have room for a hundred of them. */
const GAS_OF_ONE = 500_000;

/** Returns the rows of one block of the workload. */
export function rowsPerBlock(workload: Workload): number {
	return expectedRows({ ...workload, blocks: 1 }).all;
}

export function contentsOf(workload: Workload): Contents {
	const { mints, sales } = expectedRows(workload);
	return { tip: deploymentBlocks(workload) + workload.blocks, mints, sales };
}

/**
 * Returns the number of blocks before the workload's first, in which its contracts are deployed.
 */
export function deploymentBlocks({ collections }: Pick<Workload, "collections">): number {
	return Math.ceil((collections + OTHER_CONTRACTS) / DEPLOYMENTS_PER_BLOCK);
}

/** Returns the rows of a complete index of the chain. */
export function expectedRows(workload: Workload): { mints: number; sales: number; all: number } {
	const { blocks, collectionsPerBlock, singlesPerBlock, batchIdsPerBlock } = workload;
	const dropped = collectionsPerBlock * workload.mintsPerCollection;
	const mints = blocks * (dropped + singlesPerBlock + batchIdsPerBlock);
	const sales = blocks * collectionsPerBlock * workload.salesPerCollection;
	return { mints, sales, all: mints + sales };
}

/**
 * Deploys the emitters, as `deploymentBlocks` says, and returns how to call them. The code of
 * Seaport and Multicall3 is put at their addresses, by which a service knows them.
 */
export async function createEmitters(node: Node, workload: Workload): Promise<Emitters> {
	const code = compileWorkload();
	let nonce = 0;
	const gas = workload.isSpread ? GAS_OF_ONE : GAS_PER_TRANSACTION;
	const send = (transaction: Transaction): NodeCall => ({
		method: "eth_sendTransaction",
		params: [
			{
				from: SENDER,
				...transaction,
				value: toHex(transaction.value ?? 0n),
				gas: toHex(transaction.to === undefined ? GAS_PER_TRANSACTION : gas),
				nonce: toHex(nonce++),
				maxFeePerGas: toHex(0),
				maxPriorityFeePerGas: toHex(0),
			},
		],
	});
	const deployments: NodeCall[] = [];
	const deploy = (bytecode: string, name?: string): Address => {
		const address = getContractAddress({ from: SENDER, nonce: BigInt(nonce) });
		const code = bytecode as Address;
		const data =
			name === undefined ? code : encodeDeployData({ abi, bytecode: code, args: [name] });
		deployments.push(send({ data }));
		return address.toLowerCase() as Address;
	};
	const collections = Array.from({ length: workload.collections }, (_, index) =>
		deploy(code.Drop721, `Bench ${index + 1}`),
	);
	const editions = deploy(code.Drop1155);
	const coin = deploy(code.Coin20);
	const fulfiller = deploy(code.Fulfiller);
	const aggregator = deploy(code.Aggregator);
	for (let at = 0; at < deployments.length; at += DEPLOYMENTS_PER_BLOCK) {
		await node.batch(deployments.slice(at, at + DEPLOYMENTS_PER_BLOCK));
		await node.call("evm_mine");
	}
	await putCode(node, { of: fulfiller, at: SEAPORT });
	await putCode(node, { of: aggregator, at: MULTICALL });

	const fill = (collection: Address, firstId: bigint, count: number) =>
		send({
			to: SEAPORT,
			data: encodeFunctionData({
				abi,
				functionName: "fill",
				args: [collection, firstId, BigInt(count), SALE_PRICE_MIN],
			}),
		});
	return {
		collections,
		saleCalls: (collection, count) => [fill(collection, 1n, count)],
		mintCalls(to, count) {
			const args = [BigInt(count), 0x7000_0000n] as const;
			const data = encodeFunctionData({ abi, functionName: "drop", args });
			return [send({ to, data, value: workload.mintPriceWei * BigInt(count) })];
		},
		otherSales(collection, { count, transactions }) {
			nonce -= transactions;
			return Array.from({ length: transactions }, () => fill(collection, OTHER_IDS_FROM, count));
		},
		blockCalls(block) {
			const { mintsPerCollection, singlesPerBlock, batchIdsPerBlock, noisePerBlock } = workload;
			const { salesPerCollection, isSpread } = workload;
			const holder = BigInt(0x7000_0000 + block * 64);
			const turns = turnsOf(workload, block).map(({ index, turn }) => ({
				collection: collections[index] ?? SEAPORT,
				dropped: BigInt(turn * mintsPerCollection),
			}));
			const call = (functionName: "drop" | "dropSingles", count: number, to = holder) =>
				encodeFunctionData({ abi, functionName, args: [BigInt(count), to] });
			const batch = encodeFunctionData({
				abi,
				functionName: "dropBatch",
				args: [BigInt(batchIdsPerBlock), toHex(holder, { size: 20 })],
			});
			const price = block % 2 === 1 ? workload.mintPriceWei : 0n;
			const drops = inTransactions(mintsPerCollection, isSpread);
			const fills = inTransactions(salesPerCollection, isSpread);
			return [
				...turns.flatMap(({ collection: to }) =>
					drops.map(({ first, count }) => {
						const data = call("drop", count, holder + BigInt(first % 61));
						return send({ to, data, value: price * BigInt(count) });
					}),
				),
				send({ to: editions, data: call("dropSingles", singlesPerBlock) }),
				send({ to: editions, data: batch }),
				send({ to: coin, data: call("drop", noisePerBlock) }),
				...turns.flatMap(({ collection, dropped }) =>
					fills.map(({ first, count }) => fill(collection, dropped + 1n + BigInt(first), count)),
				),
			];
		},
	};
}

async function putCode(node: Node, { of, at }: { of: Address; at: Address }): Promise<void> {
	await node.call("anvil_setCode", [at, await node.call("eth_getCode", [of, "latest"])]);
}

/** Returns which collections mint and sell in a block, and how often each did before. */
function turnsOf({ collections, collectionsPerBlock }: Workload, block: number) {
	return Array.from({ length: collectionsPerBlock }, (_, offset) => {
		const place = block * collectionsPerBlock + offset;
		return { index: place % collections, turn: Math.floor(place / collections) };
	});
}

/** Returns how many of a block's mints or sales each transaction has, and its first one. */
function inTransactions(total: number, isSpread: boolean): { first: number; count: number }[] {
	if (!isSpread) return [{ first: 0, count: total }];
	return Array.from({ length: total }, (_, first) => ({ first, count: 1 }));
}

/** Compiles the emitters; a second run with the same source and compiler reads the cache. */
export function compileWorkload(): WorkloadCode {
	const require = createRequire(import.meta.url);
	const content = readFileSync(join(import.meta.dir, SOURCE), "utf8");
	const compiler = readFileSync(require.resolve("solc/package.json"), "utf8");
	const key = createHash("sha256").update(compiler).update(content).digest("hex").slice(0, 16);
	const file = join(CACHE_DIR, `workload-${key}.json`);
	try {
		return artifacts.parse(JSON.parse(readFileSync(file, "utf8")));
	} catch {
		// Missing or damaged: compiling again is always right.
	}
	const code = compile(require("solc"), content);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(`${file}.${process.pid}`, JSON.stringify(code));
	renameSync(`${file}.${process.pid}`, file);
	return code;
}

function compile(solc: { compile(input: string): string }, content: string): WorkloadCode {
	const input = {
		language: "Solidity",
		sources: { [SOURCE]: { content } },
		settings: {
			optimizer: { enabled: true, runs: 1_000 },
			evmVersion: "cancun",
			outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
		},
	};
	const output = compilerOutput.parse(JSON.parse(solc.compile(JSON.stringify(input))));
	const failure = output.errors?.find(({ severity }) => severity === "error");
	if (failure) throw new Error(failure.formattedMessage);
	const entries = Object.entries(output.contracts[SOURCE] ?? {});
	const code = entries.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`]);
	return artifacts.parse(Object.fromEntries(code));
}
