import {
	type Abi,
	decodeFunctionResult,
	encodeFunctionData,
	parseAbi,
	toFunctionSelector,
} from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { chainFault } from "#core/chain/reads/faults.ts";
import { hexData } from "#core/chain/reads/hexData.ts";
import { readableBy } from "#core/chain/reads/readableBy.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault/assert.ts";
import { buybackBurnerAbi, revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { VIEW_GAS } from "#plugins/tokenomics/limits.ts";

export type NamedContracts = {
	token: Address;
	router: Address | null;
	burner: Address | null;
	/** Whom router and burner have to name as theirs. */
	owner: Address;
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

/** Returns the ERC-165 id of an interface: its functions' selectors, joined by exclusive or. */
export function interfaceIdOf(abi: Abi): Hex {
	const selectors = abi.flatMap((one) =>
		one.type === "function" ? [BigInt(toFunctionSelector(one))] : [],
	);
	const id = selectors.reduce((all, selector) => all ^ selector, 0n);
	return `0x${id.toString(16).padStart(8, "0")}`;
}

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

type View = { to: Address; abi: Abi; functionName: string; args: readonly unknown[] };
type Part = {
	name: "token" | "router" | "burner";
	address: Address;
	views: readonly View[];
	/** Throws where an answer is not what it has to be. */
	judge(answers: readonly unknown[]): void;
};

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

/** Returns whether the answers begin with a yes to both ids and a no to the last. */
function isOne([saysYes, isItself, saysNo]: readonly unknown[]): boolean {
	return saysYes === true && isItself === true && saysNo === false;
}

function mustBeOwned({ name, is, owner }: { name: string; is: unknown; owner: Address }): void {
	if (String(is).toLowerCase() === owner) return;
	throw tokenomicsFault.contractOwner({ public: `The ${name}'s owner is ${is}, not ${owner}.` });
}

function notA(name: Part["name"], address: Address) {
	return tokenomicsFault.contractInterface({
		public: `${address} does not answer as a ${name}.`,
		detail: name,
	});
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
