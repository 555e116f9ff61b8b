import { z } from "zod";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { chainFault } from "#core/chain/reads/faults.ts";
import { readAnswer } from "#core/chain/reads/readAnswer.ts";
import { readableBy } from "#core/chain/reads/readableBy.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

/** What one transaction of an account takes now. */
export type AccountState = {
	balanceRaw: bigint;
	/** The first nonce that nothing mined uses. */
	minedNonce: number;
	/** The first nonce that nothing seen by the node uses. */
	pendingNonce: number;
	maxFeePerGas: bigint;
	maxPriorityFeePerGas: bigint;
	headBlock: number;
};

export type Simulation = { kind: "ok"; gasLimit: bigint } | { kind: "reverts"; detail: string };

type PlannedCall = Pick<Plan, "from" | "to" | "valueRaw" | "data">;

export type AccountAsked = {
	address: Address;
	plans: readonly PlannedCall[];
	/** What else is to be asked in the same request. */
	questions?: readonly RpcCall[];
	signal: AbortSignal;
	/** Asks another endpoint than the last one. */
	second?: boolean;
};

type Head = { number: number; baseFeePerGas?: bigint | undefined };

const { blockNumber, gas, gasPrice: pricePerGas, nonce: accountNonce, wei } = chainNumbers;
const block = z.object({ number: blockNumber, baseFeePerGas: pricePerGas.optional() });
const history = z.object({
	oldestBlock: blockNumber,
	baseFeePerGas: z.array(pricePerGas).nullish(),
});
/** What the first calls are answered by, in their order. */
const ACCOUNT = [wei, accountNonce, accountNonce, history, pricePerGas, pricePerGas];
const REASON_LENGTH_MAX = 300;

/**
 * Reads an account and runs plans of it on the newest state, in one request. Each plan runs by
 * itself: what one leaves for the next is not seen.
 *
 * The head is asked for by its fees: a block comes with the hashes of all that it holds, which is
 * most of what a node would answer here. A question that is refused is answered by null.
 */
export async function readAccount(
	rpc: Rpc,
	{ address, plans, questions = [], signal, second = false }: AccountAsked,
): Promise<{ account: AccountState; simulations: Simulation[]; answers: unknown[] }> {
	const outcomes = await rpc.settle(
		[
			{ method: "eth_getBalance", params: [address, "latest"] },
			{ method: "eth_getTransactionCount", params: [address, "latest"] },
			{ method: "eth_getTransactionCount", params: [address, "pending"] },
			{ method: "eth_feeHistory", params: ["0x1", "latest", []] },
			{ method: "eth_gasPrice", params: [] },
			{ method: "eth_maxPriorityFeePerGas", params: [] },
			// Said, because some nodes would run all that waits in their pool before it.
			...plans.map((plan) => ({ method: "eth_estimateGas", params: [callOf(plan), "latest"] })),
			...questions,
		],
		{
			...{ signal, isReadable: readableBy([...ACCOUNT, ...plans.map(() => gas)]) },
			...(second && { second }),
		},
	);
	const [balance, mined, pending, latest, gasPrice, tip, ...others] = outcomes;
	const head = await headOf(rpc, { latest, signal });
	const price = readAnswer(pricePerGas, resultOf(gasPrice));
	const base = head.baseFeePerGas ?? null;
	// A node that names no tip names a price, which has one in it: without any it would wait.
	const priority =
		tip?.kind === "result" ? readAnswer(pricePerGas, tip.result) : tipIn(price, base ?? price);
	// Room for base fees that double before it is mined; what is not needed is not paid.
	const maxFeePerGas = base ? base * 2n + priority : price;
	// Nothing that offers nothing is mined where gas has a price, and all later nonces wait for it.
	if (maxFeePerGas === 0n) throw chainFault.chainUnreadable({ detail: "gas for nothing" });
	return {
		account: {
			balanceRaw: readAnswer(wei, resultOf(balance)),
			minedNonce: readAnswer(accountNonce, resultOf(mined)),
			pendingNonce: readAnswer(accountNonce, resultOf(pending)),
			maxFeePerGas,
			maxPriorityFeePerGas: base ? priority : price,
			headBlock: head.number,
		},
		simulations: others.slice(0, plans.length).map(simulationOf),
		answers: others.slice(plans.length).map(answerOf),
	};
}

/** Of a node that does not know fees of old blocks, its newest block. */
async function headOf(
	rpc: Rpc,
	{ latest, signal }: { latest: RpcOutcome | undefined; signal: AbortSignal },
): Promise<Head> {
	if (latest?.kind === "fault" && latest.fault.code === "rpc_refused") {
		const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
		const [found] = await rpc.settle([call], { signal, isReadable: readableBy([block]) });
		return readAnswer(block, resultOf(found));
	}
	const { oldestBlock, baseFeePerGas } = readAnswer(history, resultOf(latest));
	return { number: oldestBlock, baseFeePerGas: baseFeePerGas?.[0] };
}

function tipIn(price: bigint, base: bigint): bigint {
	return price > base ? price - base : 0n;
}

function callOf(plan: PlannedCall) {
	return {
		from: plan.from,
		to: plan.to,
		value: hexQuantity(plan.valueRaw),
		data: plan.data,
	};
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
	if (outcome?.kind === "fault") throw outcome.fault;
	return outcome?.result;
}

function answerOf(outcome: RpcOutcome): unknown {
	return outcome.kind === "result" ? outcome.result : null;
}

/** A node that answers nothing else than "it reverts" is believed; one that fails is not. */
function simulationOf(outcome: RpcOutcome): Simulation {
	if (outcome.kind === "result") {
		const used = readAnswer(gas, outcome.result);
		// A fifth more: what it finds on chain may be a little different when it is mined.
		return { kind: "ok", gasLimit: used + used / 5n };
	}
	if (outcome.fault.code !== "rpc_refused") throw outcome.fault;
	return { kind: "reverts", detail: outcome.fault.message.slice(0, REASON_LENGTH_MAX) };
}
