// Simulates a chain with token, router and burner, without an EVM.

import {
	type Abi,
	type AbiEvent,
	decodeFunctionData,
	encodeAbiParameters,
	encodeEventTopics,
	encodeFunctionResult,
	keccak256,
	parseAbi,
	stringToHex,
} from "viem";
import { type Address, type Hex, hexQuantity, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type Rpc,
	type RpcCall,
	type RpcOptions,
	type RpcOutcome,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { buybackBurnerAbi, revenueRouterAbi, shareOut } from "#plugins/tokenomics/contracts/abi.ts";

export const TOKEN: Address = `0x${"70".repeat(20)}`;
export const ROUTER: Address = `0x${"71".repeat(20)}`;
export const BURNER: Address = `0x${"72".repeat(20)}`;
export const OWNER: Address = `0x${"0a".repeat(20)}`;
export const KEEPER: Address = `0x${"0b".repeat(20)}`;
export const USDG: Address = `0x${"5f".repeat(20)}`;
const POOL: Address = `0x${"3c".repeat(20)}`;
export const SUPPLY = 10n ** 27n;

const tokenAbi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 value)",
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function totalSupply() view returns (uint256)",
	"function balanceOf(address holder) view returns (uint256)",
]);

/** What somebody does in one transaction. */
export type Act =
	| { kind: "deposit"; source: Hex; currency: Address; amount: bigint }
	| { kind: "release"; bucket: number; currency: Address }
	| { kind: "split"; source: Hex; bps: readonly number[] }
	| { kind: "payee"; bucket: number; payee: Address }
	| { kind: "burn"; paidWith: Address; spent: bigint; burned: bigint }
	| { kind: "transfer"; from: Address; to: Address; amount: bigint };

type Log = { address: Address; topics: Hex[]; data: Hex; logIndex: number };
type Block = { hash: Hex; acts: Act[]; logs: (Log & { transactionHash: Hex })[] };

export type FakeTokenChain = ReturnType<typeof createFakeTokenChain>;

type FakeContract = { abi: Abi; view(name: string, args: readonly unknown[], at: State): unknown };

type Asked = { fromBlock: Hex; toBlock: Hex; address: readonly Address[]; to: Address; data: Hex };

const TIME_S = 1_795_000_000;
export const NO_SOURCE: Hex = `0x${"0".repeat(64)}`;

/**
 * Makes a chain with the token, its router and its burner, which does what the contracts do without
 * an EVM: thousands of blocks cost nothing, and it forks and lies as it is told. Its figures are
 * made by replaying acts one by one, as the contracts count.
 */
export function createFakeTokenChain() {
	const chain = createBlocks();
	const owner = { is: OWNER };
	const contracts = createContracts(owner);
	const tamper = { of: (_: RpcCall, answer: unknown): unknown => answer };
	const asked: string[] = [];
	const answer = createAnswer(chain, contracts);
	function ask(call: RpcCall, index: number, options: RpcOptions = {}): unknown {
		asked.push(call.method);
		const result = tamper.of(call, answer(call));
		if (options.isReadable && !options.isReadable(result, index)) throw rpcFault.unreadable();
		return result;
	}
	const rpc: Rpc = {
		call: async (call, options) => ask(call, 0, options),
		batch: async (calls, options) => calls.map((call, index) => ask(call, index, options)),
		settle: async (calls, options) =>
			calls.map((call, index): RpcOutcome => {
				try {
					return { kind: "result", result: ask(call, index, options) };
				} catch (fault) {
					if (fault instanceof Fault) return { kind: "fault", fault };
					throw fault;
				}
			}),
		distrust() {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	chain.mine([
		{ kind: "transfer", from: ZERO_ADDRESS, to: OWNER, amount: SUPPLY },
		{ kind: "transfer", from: OWNER, to: POOL, amount: SUPPLY / 2n },
		{ kind: "split", source: NO_SOURCE, bps: [3_500, 1_500, 2_000, 3_000] },
		...[0, 1, 2, 3].map((bucket): Act => ({ kind: "payee", bucket, payee: KEEPER })),
	]);
	return { ...chain, rpc, asked, owner, tamper, contracts };
}

type Blocks = ReturnType<typeof createBlocks>;

function createBlocks() {
	let blocks: Block[] = [];
	let forks = 0;
	function stateAt(number: number): State {
		let state = emptyState();
		for (const { acts } of blocks.slice(0, number + 1)) {
			for (const act of acts) state = applyAct(state, act);
		}
		return state;
	}
	function mine(acts: readonly Act[] = []): number {
		const number = blocks.length;
		const hash = keccak256(stringToHex(`block ${number} ${forks} ${blocks.at(-1)?.hash}`));
		const logs: Block["logs"] = [];
		let state = stateAt(number - 1);
		for (const [index, act] of acts.entries()) {
			const transactionHash = keccak256(stringToHex(`${hash} ${index}`));
			for (const log of logsOf(act, state)) {
				logs.push({ ...log, logIndex: logs.length, transactionHash });
			}
			state = applyAct(state, act);
		}
		blocks.push({ hash, acts: [...acts], logs });
		return number;
	}
	return {
		...{ mine, stateAt },
		block: (number: number) => blocks[number],
		head: () => blocks.length - 1,
		/** Mines empty blocks. */
		mineEmpty(count: number) {
			for (let mined = 0; mined < count; mined += 1) mine();
		},
		/** Takes the newest blocks back; what is mined from here on is another fork. */
		reorg(depth: number): void {
			forks += 1;
			blocks = blocks.slice(0, blocks.length - depth);
		},
		/** Returns all acts of one kind up to a block. */
		acts: (kind: Act["kind"], to = blocks.length - 1) =>
			blocks.slice(0, to + 1).flatMap(({ acts }) => acts.filter((act) => act.kind === kind)),
	};
}

function createContracts(owner: { is: Address }): Map<Address, FakeContract> {
	const shareOf = (books: Map<string, bigint[]>, [bucket, currency]: readonly unknown[]) =>
		books.get(String(currency).toLowerCase())?.[Number(bucket)] ?? 0n;
	const token: FakeContract = {
		abi: tokenAbi,
		view(name, [holder], { supply, balances }) {
			if (name === "symbol") return "TAPE";
			if (name === "decimals") return 18;
			return name === "totalSupply" ? supply : (balances.get(String(holder).toLowerCase()) ?? 0n);
		},
	};
	const router: FakeContract = {
		abi: revenueRouterAbi,
		view(name, args, { splits, payees, earned, paid }) {
			const [first] = args;
			if (name === "owner") return owner.is;
			if (name === "supportsInterface") return first !== "0xffffffff";
			if (name === "splitOf") return (splits.get(String(first)) ?? splits.get(NO_SOURCE))?.bps;
			if (name === "payeeOf") return payees[Number(first)];
			const all = shareOf(earned, args);
			return name === "earned" ? all : all - shareOf(paid, args);
		},
	};
	const burner: FakeContract = {
		abi: buybackBurnerAbi,
		view(name, [first]) {
			if (name === "owner") return owner.is;
			if (name === "token") return TOKEN;
			return name === "keeper" ? KEEPER : first !== "0xffffffff";
		},
	};
	return new Map([
		[TOKEN, token],
		[ROUTER, router],
		[BURNER, burner],
	]);
}

/** Returns what answers as an honest node does. */
function createAnswer(chain: Blocks, contracts: Map<Address, FakeContract>) {
	return ({ method, params }: RpcCall): unknown => {
		const [first, second] = params as [Asked & Address, unknown];
		switch (method) {
			case "eth_blockNumber":
				return hexQuantity(chain.head());
			case "eth_getCode":
				return contracts.has(first) ? "0x60" : "0x";
			case "eth_getBlockByNumber":
				return headerOf(chain, Number(first));
			case "eth_getLogs":
				return logsIn(chain, first);
			default: {
				const contract = contracts.get(first.to);
				if (!contract) return "0x";
				const at = second === "latest" ? chain.head() : Number(second);
				return viewOf(contract, first.data, chain.stateAt(at));
			}
		}
	};
}

function headerOf(chain: Blocks, number: number): unknown {
	const block = chain.block(number);
	if (!block) return null;
	const parentHash = chain.block(number - 1)?.hash ?? NO_SOURCE;
	const timestamp = hexQuantity(TIME_S + number);
	return { number: hexQuantity(number), hash: block.hash, parentHash, timestamp };
}

function logsIn(chain: Blocks, { fromBlock, toBlock, address }: Asked): unknown[] {
	const found: unknown[] = [];
	for (let number = Number(fromBlock); number <= Number(toBlock); number += 1) {
		const { hash: blockHash, logs = [] } = chain.block(number) ?? {};
		for (const { logIndex, ...log } of logs) {
			if (!address.includes(log.address)) continue;
			const place = { blockNumber: hexQuantity(number), logIndex: hexQuantity(logIndex) };
			found.push({ ...log, ...place, blockHash, transactionIndex: "0x0" });
		}
	}
	return found;
}

function viewOf({ abi, view }: FakeContract, data: Hex, state: State): Hex {
	try {
		const { functionName, args = [] } = decodeFunctionData({ abi, data });
		const result = view(functionName, args, state);
		return encodeFunctionResult({ abi, functionName, result } as never);
	} catch {
		throw rpcFault.refused({ detail: "execution reverted" });
	}
}

type State = ReturnType<typeof emptyState>;

function emptyState() {
	return {
		supply: 0n,
		balances: new Map<string, bigint>(),
		splits: new Map<string, { bps: readonly number[] }>(),
		carried: new Map<string, readonly bigint[]>(),
		earned: new Map<string, bigint[]>(),
		paid: new Map<string, bigint[]>(),
		payees: [] as Address[],
	};
}

function applyAct(state: State, act: Act): State {
	switch (act.kind) {
		case "split":
			state.splits.set(act.source, { bps: act.bps });
			return state;
		case "payee":
			state.payees[act.bucket] = act.payee;
			return state;
		case "deposit": {
			const split = state.splits.get(act.source) ?? state.splits.get(NO_SOURCE);
			const out = shareOut(act.amount, split?.bps ?? [], state.carried.get(act.currency) ?? []);
			state.carried.set(act.currency, out.carried);
			const earned = state.earned.get(act.currency) ?? [0n, 0n, 0n, 0n];
			for (const [at, more] of out.shares.entries()) earned[at] = (earned[at] ?? 0n) + more;
			state.earned.set(act.currency, earned);
			return state;
		}
		case "release": {
			const paid = state.paid.get(act.currency) ?? [0n, 0n, 0n, 0n];
			paid[act.bucket] = state.earned.get(act.currency)?.[act.bucket] ?? 0n;
			state.paid.set(act.currency, paid);
			return state;
		}
		case "burn":
			return move(state, { from: POOL, to: ZERO_ADDRESS, amount: act.burned });
		default:
			return move(state, act);
	}
}

function move(state: State, act: { from: Address; to: Address; amount: bigint }): State {
	const add = (who: Address, amount: bigint) =>
		state.balances.set(who, (state.balances.get(who) ?? 0n) + amount);
	if (act.from === ZERO_ADDRESS) state.supply += act.amount;
	else add(act.from, -act.amount);
	if (act.to === ZERO_ADDRESS) state.supply -= act.amount;
	else add(act.to, act.amount);
	return state;
}

function owedTo(state: State, { bucket, currency }: { bucket: number; currency: Address }): bigint {
	const of = (books: Map<string, bigint[]>) => books.get(currency)?.[bucket] ?? 0n;
	return of(state.earned) - of(state.paid);
}

function logsOf(act: Act, state: State): Omit<Log, "logIndex">[] {
	const log = (address: Address, abi: Abi, eventName: string, args: object) => {
		const event = abi.find(
			(one): one is AbiEvent => one.type === "event" && one.name === eventName,
		);
		const unindexed = event?.inputs.filter(({ indexed }) => !indexed) ?? [];
		const values = unindexed.map(({ name }) => (args as Record<string, unknown>)[name ?? ""]);
		const topics = encodeEventTopics({ abi, eventName, args } as never) as Hex[];
		return { address, topics, data: encodeAbiParameters(unindexed, values) };
	};
	const router = (name: string, args: object) => log(ROUTER, revenueRouterAbi, name, args);
	const moved = (from: Address, to: Address, value: bigint) =>
		log(TOKEN, tokenAbi, "Transfer", { from, to, value });
	switch (act.kind) {
		case "deposit":
			return [router("RevenueReceived", { ...act, from: OWNER })];
		case "release": {
			const amount = owedTo(state, act);
			return amount === 0n
				? []
				: [router("Paid", { ...act, payee: state.payees[act.bucket], amount })];
		}
		case "split": {
			const [holdersBps, leagueBps, burnBps, treasuryBps] = act.bps;
			const { source } = act;
			return [router("SplitSet", { source, holdersBps, leagueBps, burnBps, treasuryBps })];
		}
		case "payee":
			return [router("PayeeSet", act)];
		case "burn":
			return [
				moved(POOL, BURNER, act.burned),
				moved(BURNER, ZERO_ADDRESS, act.burned),
				log(BURNER, buybackBurnerAbi, "BoughtAndBurned", { ...act, keeper: KEEPER, pool: POOL }),
			];
		default:
			return [moved(act.from, act.to, act.amount)];
	}
}
