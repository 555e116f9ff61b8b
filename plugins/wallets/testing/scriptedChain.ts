import { keccak256, pad, serializeTransaction, stringToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";

export type ScriptedTransaction = {
	hash: Hex;
	from: Address;
	to: Address;
	nonce: number;
	valueRaw: bigint;
	data: Hex;
	reverts: boolean;
	/** What it offers; another one makes it another transaction of the same nonce. */
	feeRaw?: bigint;
};

const FEES = {
	asSent: { chainId: 31_337, gas: 21_000n, maxFeePerGas: 16n, maxPriorityFeePerGas: 2n },
	asTold: {
		...{ type: "0x2", chainId: "0x7a69", gas: "0x5208" },
		maxPriorityFeePerGas: "0x2",
	},
};
/** A block comes each second. */
const BEGAN_AT_SECONDS = 1_795_262_000;
const SIGNATURE_S: Hex = `0x${"77".repeat(32)}`;
/** In place of a signature's first half: nobody here asks whose it is. */
const senderWord = (from: Address) => pad(from, { size: 32, dir: "right" });

type Block = { number: number; hash: Hex; transactions: ScriptedTransaction[] };

export type ScriptedChain = ReturnType<typeof createScriptedChain>;

/**
 * A chain of which a test says what is sent, mined and forgotten. It has what the execution path
 * asks for: counts at any block, receipts, blocks with their transactions.
 */
export function createScriptedChain() {
	let blocks: Block[] = [{ number: 0, hash: hashOf("block 0"), transactions: [] }];
	let salt = 0;
	const pool: ScriptedTransaction[] = [];
	const balances = new Map<Address, bigint>();
	const reverts = new Set<Hex>();
	const codes = new Map<Address, Hex>();
	const state = {
		isDown: false,
		/** So many of its newest blocks the node has not seen yet. */
		lagBlocks: 0,
		/** The oldest block that the node has state of. */
		oldestState: 0,
		/** What the node says is a fair tip. */
		tipRaw: 2n,
	};
	const seen = () => blocks.slice(0, blocks.length - state.lagBlocks);
	const mined = () => seen().flatMap((block) => block.transactions.map((one) => ({ block, one })));
	const countAt = (address: Address, number: number) =>
		mined().filter(({ block, one }) => one.from === address && block.number <= number).length;
	const sent = new Map<Hex, ScriptedTransaction>();
	const take = takerOf({ sent, pool });
	const answers = answersOf({ state, blocks: seen, pool, balances, reverts, codes, countAt, take });
	return {
		rpc: rpcOf({ state, answers }),
		state,
		balances,
		/** What is not here is no contract. */
		codes,
		/** Calldata whose simulation fails. */
		reverts,
		/** Somebody broadcasts; the hash follows from what it is. */
		send(transaction: Omit<ScriptedTransaction, "hash" | "reverts"> & { reverts?: boolean }): Hex {
			const hash = keccak256(signedOf(transaction));
			const one = { reverts: false, ...transaction, hash };
			sent.set(hash, one);
			const replaced = pool.findIndex((other) => replaces(one, other));
			pool.splice(replaced < 0 ? pool.length : replaced, replaced < 0 ? 0 : 1, one);
			return hash;
		},
		/** The hash that it has once it is signed. */
		hashOf: (transaction: Omit<ScriptedTransaction, "hash" | "reverts">): Hex =>
			keccak256(signedOf(transaction)),
		/** Mines what waits, in the order of nonces; of two with one nonce, the first. */
		mine(): void {
			salt++;
			const number = blocks.length;
			const block: Block = { number, hash: hashOf(`block ${number} ${salt}`), transactions: [] };
			blocks.push(block);
			for (const one of pool.splice(0).sort((a, b) => a.nonce - b.nonce)) {
				if (countAt(one.from, number) === one.nonce) block.transactions.push(one);
				else if (countAt(one.from, number) < one.nonce) pool.push(one);
			}
		},
		/** Empty blocks take the place of the newest; what was in these waits, or is forgotten. */
		reorg({ depth, forgets = false }: { depth: number; forgets?: boolean }): void {
			const gone = blocks.slice(-depth);
			salt++;
			blocks = [
				...blocks.slice(0, -depth),
				...gone.map(({ number }) => {
					return { number, hash: hashOf(`block ${number} ${salt}`), transactions: [] };
				}),
			];
			if (!forgets) pool.push(...gone.flatMap(({ transactions }) => transactions));
		},
		forgetPool: () => void pool.splice(0),
		pool: () => [...pool],
		minedFrom: (address: Address) => mined().filter(({ one }) => one.from === address).length,
	};
}

/** A node takes what offers a tenth more in place of another with its nonce. */
function replaces(one: ScriptedTransaction, other: ScriptedTransaction): boolean {
	const fee = (of: ScriptedTransaction) => of.feeRaw ?? FEES.asSent.maxFeePerGas;
	const isOfNonce = one.from === other.from && one.nonce === other.nonce;
	return isOfNonce && one.hash !== other.hash && fee(one) * 10n >= fee(other) * 11n;
}

/** What was broadcast once is taken again: by its bytes, and not twice. */
function takerOf(by: { sent: ReadonlyMap<Hex, ScriptedTransaction>; pool: ScriptedTransaction[] }) {
	return (raw: string): Hex => {
		const one = by.sent.get(keccak256(raw as Hex));
		if (!one) throw rpcFault.refused({ detail: "rlp: cannot be read" });
		if (by.pool.some(({ hash }) => hash === one.hash)) {
			throw rpcFault.refused({ detail: "already known" });
		}
		by.pool.push(one);
		return one.hash;
	};
}

function rpcOf(by: { state: { isDown: boolean }; answers: ReturnType<typeof answersOf> }): Rpc {
	const answer = ({ method, params }: RpcCall) => {
		if (by.state.isDown) throw rpcFault.transport({ detail: "down" });
		const found = by.answers[method];
		if (!found) throw new Error(`the scripted chain knows no ${method}`);
		return found(params);
	};
	return {
		call: async (call) => answer(call),
		batch: async (calls) => calls.map(answer),
		settle: async (calls) =>
			calls.map((call) => {
				try {
					return { kind: "result", result: answer(call) };
				} catch (fault) {
					return { kind: "fault", fault: fault as never };
				}
			}),
		distrust() {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
}

type World = {
	state: { tipRaw: bigint; oldestState: number };
	take(raw: string): Hex;
	blocks(): readonly Block[];
	pool: readonly ScriptedTransaction[];
	balances: ReadonlyMap<Address, bigint>;
	reverts: ReadonlySet<Hex>;
	codes: ReadonlyMap<Address, Hex>;
	countAt(address: Address, block: number): number;
};

/** What a node says, method by method. */
function answersOf(world: World): Record<string, (params: readonly unknown[]) => unknown> {
	const head = () => world.blocks().length - 1;
	const mined = () => {
		return world.blocks().flatMap((block) => block.transactions.map((one) => ({ block, one })));
	};
	return {
		eth_getBalance: ([address]) => hex(world.balances.get(lower(address)) ?? 10n ** 24n),
		eth_getTransactionCount: ([address, at]) => {
			const from = lower(address);
			if (at !== "pending" && at !== "latest" && Number(at) < world.state.oldestState) {
				throw rpcFault.refused({ detail: "missing trie node" });
			}
			if (at !== "pending") return hex(world.countAt(from, at === "latest" ? head() : Number(at)));
			let next = world.countAt(from, head());
			while (world.pool.some((one) => one.from === from && one.nonce === next)) next++;
			return hex(next);
		},
		eth_getBlockByNumber: ([at]) => {
			const block = world.blocks()[at === "latest" ? head() : Number(at)];
			if (!block) return null;
			const transactions = block.transactions.map(({ hash, from, to, ...one }) => {
				const [nonce, value] = [hex(one.nonce), hex(one.valueRaw)];
				return { hash, from, to, nonce, value, input: one.data };
			});
			const own = { number: hex(block.number), hash: block.hash, baseFeePerGas: "0x7" };
			const timestamp = hex(BEGAN_AT_SECONDS + block.number);
			return { ...own, timestamp, transactions };
		},
		eth_getCode: ([address]) => world.codes.get(lower(address)) ?? "0x",
		eth_feeHistory: () => ({ oldestBlock: hex(head()), baseFeePerGas: ["0x7", "0x6"] }),
		eth_gasPrice: () => "0x9",
		eth_maxPriorityFeePerGas: () => hex(world.state.tipRaw),
		eth_blockNumber: () => hex(head()),
		eth_estimateGas: ([call]) => {
			const { data } = parsed(call);
			if (world.reverts.has(data)) throw rpcFault.refused({ detail: "execution reverted" });
			return "0x5208";
		},
		eth_getTransactionByHash: ([hash]) => {
			const one = [...world.pool, ...mined().map((at) => at.one)].find(
				(each) => each.hash === hash,
			);
			if (!one) return null;
			const { from, to, nonce, valueRaw, data } = one;
			const sent = { hash, from, to, nonce: hex(nonce), value: hex(valueRaw), input: data };
			const fees = { ...FEES.asTold, maxFeePerGas: hex(one.feeRaw ?? FEES.asSent.maxFeePerGas) };
			return { ...sent, ...fees, r: senderWord(from), s: SIGNATURE_S, yParity: "0x1" };
		},
		eth_sendRawTransaction: ([raw]) => world.take(String(raw)),
		eth_getTransactionReceipt: ([hash]) => {
			const found = mined().find(({ one }) => one.hash === hash);
			if (!found) return null;
			return {
				transactionHash: hash,
				blockNumber: hex(found.block.number),
				blockHash: found.block.hash,
				status: found.one.reverts ? "0x0" : "0x1",
				logs: [],
			};
		},
	};
}

/** A transaction's bytes as if they were signed, so that its hash follows from what it is. */
function signedOf(one: Omit<ScriptedTransaction, "hash" | "reverts">): Hex {
	const { to, nonce, valueRaw, data } = one;
	return serializeTransaction(
		{
			...{ type: "eip1559", to, nonce, value: valueRaw, data, ...FEES.asSent },
			maxFeePerGas: one.feeRaw ?? FEES.asSent.maxFeePerGas,
		},
		{ r: senderWord(one.from), s: SIGNATURE_S, yParity: 1 },
	);
}

function hashOf(text: string): Hex {
	return keccak256(stringToBytes(text));
}

function hex(value: number | bigint): Hex {
	return `0x${value.toString(16)}`;
}

function lower(address: unknown): Address {
	return String(address).toLowerCase() as Address;
}

function parsed(call: unknown): { data: Hex } {
	return call as { data: Hex };
}
