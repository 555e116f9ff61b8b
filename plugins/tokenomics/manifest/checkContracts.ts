// Decides which contracts are the token's, and checks on chain that they are what they are named.

import {
	type Abi,
	decodeFunctionResult,
	encodeFunctionData,
	parseAbi,
	toFunctionSelector,
} from "viem";
import { type Chain, homeChainOf, SPECIFIED_HOME_ID } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { chainFault, hexData, readableBy } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { buybackBurnerAbi, revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { type TokenomicsConfig, VIEW_GAS } from "#plugins/tokenomics/limits.ts";
import { manifests } from "#plugins/tokenomics/sql/followed.ts";

type NamedContracts = {
	token: Address;
	router: Address | null;
	burner: Address | null;
	/** The account that router and burner have to name as their owner. */
	owner: Address;
};

/** The contracts of the token on one chain. */
export type TokenContracts = {
	chainId: number;
	token: Address;
	/** Null: there is none yet, and nothing is split. */
	router: Address | null;
	/** Null: there is none yet, and nothing is bought back. */
	burner: Address | null;
	/** Nothing of them is before this block. */
	fromBlock: number;
	/** The source of the addresses: the operators' manifest of this version, or the configuration. */
	saidBy: { kind: "manifest"; version: number } | { kind: "configuration" };
};

export type Contracts = {
	/** The chain that the token's economics are on; null where this deployment knows none. */
	home: ChainAccess | null;
	homeChain: Chain | null;
	/** Currencies of revenue that count before others, for any payer. */
	currencies: readonly Address[];
	/**
	 * Returns the token's contracts on a chain, as they are in force now: the manifest of operators,
	 * else the configuration for the home chain. Null: the token is not launched there.
	 */
	addressesOf(chainId: number, db?: Queryable): Promise<TokenContracts | null>;
};

type View = { to: Address; abi: Abi; functionName: string; args: readonly unknown[] };
type Part = {
	name: "token" | "router" | "burner";
	address: Address;
	views: readonly View[];
	/** Throws where an answer is not what it has to be. */
	judge(answers: readonly unknown[]): void;
};

export const tokenViews = parseAbi([
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function totalSupply() view returns (uint256)",
	"function balanceOf(address holder) view returns (uint256)",
]);

const DECIMALS_MAX = 36;
const BPS = 10_000;
const NO_SOURCE: Hex = `0x${"0".repeat(64)}`;
/** ERC-165: a contract says yes to this id and to its own, and no to the last one. */
const ERC165_ID = "0x01ffc9a7";
const NO_ID = "0xffffffff";
const ROUTER_ID = interfaceIdOf(revenueRouterAbi);
const BURNER_ID = interfaceIdOf(buybackBurnerAbi);

/**
 * Asks the chain whether these contracts are what they are named as: code is there, each answers
 * as its interface says (router and burner also by its ERC-165 id, so with the functions that
 * change something), router and burner name the owner, and the burner burns this token. All
 * of it is one request, in which as many nodes agree as the deployment asks for. Throws the Fault
 * of the first thing that is not so; one of the chain's where nothing was learned.
 */
export async function checkContracts(
	rpc: Rpc,
	named: NamedContracts,
	signal: AbortSignal,
): Promise<void> {
	const parts = [tokenPart(named.token), ...routerPart(named), ...burnerPart(named)];
	const calls = parts.flatMap(({ address, views }) => [codeCall(address), ...views.map(toCall)]);
	const isReadable = readableBy(calls.map(() => hexData));
	const outcomes = await rpc.settle(calls, { signal, quorum: true, isReadable });
	let place = 0;
	for (const { name, address, views, judge } of parts) {
		const [code, ...answers] = outcomes.slice(place, place + 1 + views.length);
		place += 1 + views.length;
		if (bytesIn(code) === "0x") {
			throw tokenomicsFault.contractWithoutCode({ public: `There is no code at ${address}.` });
		}
		judge(views.map((view, index) => resultOf(view, answers[index], { name, address })));
	}
}

/** Returns the ERC-165 id of an interface: its functions' selectors, joined by exclusive or. */
export function interfaceIdOf(abi: Abi): Hex {
	const selectors = abi.flatMap((one) =>
		one.type === "function" ? [BigInt(toFunctionSelector(one))] : [],
	);
	const id = selectors.reduce((all, selector) => all ^ selector, 0n);
	return `0x${id.toString(16).padStart(8, "0")}`;
}

/** Says which contracts count. A manifest, once set, wins over the configuration as a whole. */
export function createContracts(options: {
	core: Pick<Core, "chains" | "reached" | "db">;
	config: TokenomicsConfig & { BUYBACK_CURRENCIES: readonly Address[] };
}): Contracts {
	const { core, config } = options;
	refuseNamedTwice(config);
	const homeChain = homeOf(core, config);
	const home = core.reached.find(({ chain }) => chain.id === homeChain?.id) ?? null;
	return {
		...{ home, homeChain, currencies: config.BUYBACK_CURRENCIES },
		async addressesOf(chainId, db = core.db) {
			const manifest = await manifests.read(db, chainId);
			if (manifest) {
				const { token, router, burner, fromBlock, version } = manifest;
				const saidBy = { kind: "manifest", version } as const;
				return { chainId, token, router, burner, fromBlock, saidBy };
			}
			return chainId === homeChain?.id ? namedIn(config, chainId) : null;
		},
	};
}

function tokenPart(token: Address): Part {
	const view = (functionName: string, args: readonly unknown[] = []): View => {
		return { to: token, abi: tokenViews, functionName, args };
	};
	return {
		...{ name: "token", address: token },
		views: [view("symbol"), view("decimals"), view("totalSupply"), view("balanceOf", [token])],
		judge([, decimals]) {
			if (Number(decimals) > DECIMALS_MAX) throw notA("token", token);
		},
	};
}

function notA(name: Part["name"], address: Address) {
	return tokenomicsFault.contractInterface({
		public: `${address} does not answer as a ${name}.`,
		detail: name,
	});
}

function routerPart({ router, owner }: NamedContracts): Part[] {
	if (router === null) return [];
	const view = (functionName: string, args: readonly unknown[] = []): View => {
		return { to: router, abi: revenueRouterAbi, functionName, args };
	};
	return [
		{
			...{ name: "router", address: router },
			views: [
				...[view("owner"), view("splitOf", [NO_SOURCE])],
				...[ERC165_ID, ROUTER_ID, NO_ID].map((id) => view("supportsInterface", [id])),
				...[view("payeeOf", [0]), view("owed", [0, ZERO_ADDRESS])],
				view("earned", [0, ZERO_ADDRESS]),
			],
			judge([is, split, ...answers]) {
				const sum = Array.isArray(split) ? split.reduce((all, bps) => all + Number(bps), 0) : 0;
				if (!isOne(answers) || sum !== BPS) throw notA("router", router);
				mustBeOwned({ name: "router", is, owner });
			},
		},
	];
}

/** Returns whether the answers begin with a yes to both ids and a no to the last. */
function isOne([saysYes, isItself, saysNo]: readonly unknown[]): boolean {
	return saysYes === true && isItself === true && saysNo === false;
}

function mustBeOwned({ name, is, owner }: { name: string; is: unknown; owner: Address }): void {
	if (String(is).toLowerCase() === owner) return;
	throw tokenomicsFault.contractOwner({ public: `The ${name}'s owner is ${is}, not ${owner}.` });
}

function burnerPart({ burner, token, owner }: NamedContracts): Part[] {
	if (burner === null) return [];
	const view = (functionName: string, args: readonly unknown[] = []): View => {
		return { to: burner, abi: buybackBurnerAbi, functionName, args };
	};
	return [
		{
			...{ name: "burner", address: burner },
			views: [
				...[view("owner"), view("token")],
				...[ERC165_ID, BURNER_ID, NO_ID].map((id) => view("supportsInterface", [id])),
				view("keeper"),
			],
			judge([is, burns, ...answers]) {
				if (!isOne(answers)) throw notA("burner", burner);
				mustBeOwned({ name: "burner", is, owner });
				if (String(burns).toLowerCase() === token) return;
				throw tokenomicsFault.burnerToken({ public: `The burner burns ${burns}, not ${token}.` });
			},
		},
	];
}

function codeCall(address: Address): RpcCall {
	return { method: "eth_getCode", params: [address, "latest"] };
}

function toCall({ to, abi, functionName, args }: View): RpcCall {
	const data = encodeFunctionData({ abi, functionName, args });
	return { method: "eth_call", params: [{ to, data, gas: VIEW_GAS }, "latest"] };
}

/** Returns what a call answered; null where it reverted, as without such a function it does. */
function bytesIn(outcome: RpcOutcome | undefined): Hex | null {
	assert(outcome, "each call has an outcome");
	if (outcome.kind === "result") {
		const { data } = hexData.safeParse(outcome.result);
		if (data === undefined) throw chainFault.chainUnreadable();
		return data;
	}
	if (outcome.fault.code === "rpc_refused") return null;
	throw outcome.fault;
}

function resultOf(
	{ abi, functionName, args }: View,
	outcome: RpcOutcome | undefined,
	{ name, address }: Pick<Part, "name" | "address">,
): unknown {
	const data = bytesIn(outcome);
	if (data === null) throw notA(name, address);
	try {
		return decodeFunctionResult({ abi, functionName, args, data });
	} catch {
		throw notA(name, address);
	}
}

/** Refuses one address in two variables: it would be followed as one of the two alone. */
function refuseNamedTwice(config: TokenomicsConfig): void {
	const names = ["TOKEN_ADDRESS", "REVENUE_ROUTER_ADDRESS", "BUYBACK_BURN_ADDRESS"] as const;
	for (const [at, name] of names.entries()) {
		const other = names.slice(at + 1).find((one) => config[name] && config[one] === config[name]);
		if (!other) continue;
		const said = `${name} and ${other} are both ${config[name]}`;
		throw tokenomicsFault.contractNamedTwice({ public: `${said}.` });
	}
}

/** Returns the home chain as wallets find it: the named one, else 4663, else the sandbox's. */
function homeOf(
	{ chains, reached }: Pick<Core, "chains" | "reached">,
	config: TokenomicsConfig,
): Chain | null {
	const named = homeChainOf(chains, config);
	if (named || config.TRADING_HOME_CHAIN !== undefined || !config.SANDBOX) return named ?? null;
	const own = reached.find(({ chain }) => chain.id === SPECIFIED_HOME_ID);
	return (own ?? reached[0])?.chain ?? null;
}

function namedIn(config: TokenomicsConfig, chainId: number): TokenContracts | null {
	const { TOKEN_ADDRESS: token, TOKEN_FROM_BLOCK: fromBlock } = config;
	if (token === undefined) return null;
	const { REVENUE_ROUTER_ADDRESS: router = null, BUYBACK_BURN_ADDRESS: burner = null } = config;
	return { chainId, token, router, burner, fromBlock, saidBy: { kind: "configuration" } };
}
