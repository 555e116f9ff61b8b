import { encodeFunctionData, parseAbi } from "viem";
import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { tradeFault } from "#plugins/trading/faults.ts";

const abi = parseAbi([
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function getUserRawBalance(address account) view returns (uint256)",
]);

/** A wallet's tradable balance of a currency, and the router's allowance, in base units. */
export type Funds = { tradableRaw: bigint; allowanceRaw: bigint };

/**
 * Reads a wallet's balance and allowance of a currency. For a stock token the contract's tradable
 * balance counts (`getUserRawBalance`), and never more than the wallet holds; raw, whatever its
 * multiplier is.
 */
export async function readFunds(
	rpc: Pick<Rpc, "settle">,
	asked: { token: Address; wallet: Address; spender: Address; signal: AbortSignal },
): Promise<Funds> {
	const { token: to, wallet, spender, signal } = asked;
	if (to === ZERO_ADDRESS) {
		const call = { method: "eth_getBalance", params: [wallet, "latest"] };
		const [outcome] = await rpc.settle([call], { signal });
		return { tradableRaw: quantityOf(outcome), allowanceRaw: 0n };
	}
	const args = [wallet] as const;
	const calls = [
		encodeFunctionData({ abi, functionName: "balanceOf", args }),
		encodeFunctionData({ abi, functionName: "allowance", args: [wallet, spender] }),
		encodeFunctionData({ abi, functionName: "getUserRawBalance", args }),
	].map((data) => view(to, data));
	const [balance, allowance, tradable] = await rpc.settle(calls, { signal });
	const balanceRaw = wordOf(balance);
	const allowanceRaw = wordOf(allowance);
	const tradableRaw = wordOf(tradable) ?? balanceRaw;
	if (balanceRaw === null || tradableRaw === null || allowanceRaw === null) {
		throw tradeFault.tokenUnreadable();
	}
	const isWithin = tradableRaw <= balanceRaw;
	return { tradableRaw: isWithin ? tradableRaw : balanceRaw, allowanceRaw };
}

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data }, "latest"] };
}

/**
 * Returns the answer as a number; null where the contract has no such view. Throws where the node
 * does not answer.
 */
function wordOf(outcome: RpcOutcome | undefined): bigint | null {
	if (outcome?.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	return readAbiUint(outcome?.result);
}

function quantityOf(outcome: RpcOutcome | undefined): bigint {
	if (outcome?.kind === "fault") throw outcome.fault;
	const told = outcome?.result;
	if (typeof told !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(told)) {
		throw tradeFault.tokenUnreadable({ detail: "a balance that is no number" });
	}
	return BigInt(told);
}
