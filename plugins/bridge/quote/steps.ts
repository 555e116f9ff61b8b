import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";

/** The provider's depository, as it publishes it: a deposit names its order, and nothing else. */
export const depositoryAbi = parseAbi([
	"function depositNative(address depositor, bytes32 id) payable",
	"function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
	"event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
	"event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)",
]);

/** One transaction of a bridge, in its order. */
export type BridgeStep = {
	kind: "approve" | "deposit";
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
};

/**
 * Returns the steps of a bridge, built from what was agreed and from nothing that the provider
 * wrote: an exact allowance where a token is paid in, then the deposit for the order.
 */
export function stepsOf(given: {
	chainId: number;
	user: Address;
	depository: Address;
	currency: Address;
	amountRaw: bigint;
	orderId: Hex;
}): BridgeStep[] {
	const { chainId, user, depository, currency, amountRaw, orderId } = given;
	const base = { chainId, from: user };
	if (currency === ZERO_ADDRESS) {
		const data = encodeFunctionData({
			...{ abi: depositoryAbi, functionName: "depositNative" as const },
			args: [user, orderId],
		});
		return [{ ...base, kind: "deposit", to: depository, valueRaw: amountRaw, data }];
	}
	const approve = encodeFunctionData({
		...{ abi: erc20Abi, functionName: "approve" as const },
		args: [depository, amountRaw],
	});
	const deposit = encodeFunctionData({
		...{ abi: depositoryAbi, functionName: "depositErc20" as const },
		args: [user, currency, amountRaw, orderId],
	});
	return [
		{ ...base, kind: "approve", to: currency, valueRaw: 0n, data: approve },
		{ ...base, kind: "deposit", to: depository, valueRaw: 0n, data: deposit },
	];
}
