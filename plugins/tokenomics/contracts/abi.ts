// Declares the contracts' functions, makes calls that read them, and decodes the answers.

import { parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";

/**
 * Describes the router that splits revenue. Buckets are in this order everywhere: 0 holders,
 * 1 league, 2 burn, 3 treasury. A source or currency of only zeros is the default split or the
 * chain's own coin.
 */
export const revenueRouterAbi = parseAbi([
	"event RevenueReceived(bytes32 indexed source, address indexed currency, address indexed from, uint256 amount)",
	"event SplitSet(bytes32 indexed source, uint16 holdersBps, uint16 leagueBps, uint16 burnBps, uint16 treasuryBps)",
	"event PayeeSet(uint8 indexed bucket, address payee)",
	"event Paid(uint8 indexed bucket, address indexed currency, address indexed payee, uint256 amount)",
	"function owner() view returns (address)",
	"function splitOf(bytes32 source) view returns (uint16[4])",
	"function payeeOf(uint8 bucket) view returns (address)",
	"function owed(uint8 bucket, address currency) view returns (uint256)",
	"function earned(uint8 bucket, address currency) view returns (uint256)",
	"function setSplit(bytes32 source, uint16[4] bps)",
	"function setPayee(uint8 bucket, address payee)",
	"function deposit(bytes32 source) payable",
	"receive() external payable",
	"function depositToken(bytes32 source, address token, uint256 amount)",
	"function release(uint8 bucket, address currency) returns (uint256 paid)",
	"function supportsInterface(bytes4 interfaceId) view returns (bool)",
	"error SplitSum()",
	"error PayeeIsRouter()",
]);

/** Describes the burner, which buys the token through one pool and burns it in the same call. */
export const buybackBurnerAbi = parseAbi([
	"event BoughtAndBurned(address indexed keeper, address indexed paidWith, uint256 spent, uint256 burned, address pool)",
	"function owner() view returns (address)",
	"function token() view returns (address)",
	"function keeper() view returns (address)",
	"function setKeeper(address keeper)",
	"function buyAndBurn(address paidWith, uint256 spend, uint24 fee, uint256 minBurned, uint256 deadline) payable returns (uint256 burned)",
	"function supportsInterface(bytes4 interfaceId) view returns (bool)",
]);

const WHOLE_BPS = 10_000n;

/** Uniswap V3's factory, pool and quoter, as far as they are asked here. */
export const v3Abi = parseAbi([
	"function factory() view returns (address)",
	"function WETH9() view returns (address)",
	"function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
	"function liquidity() view returns (uint128)",
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
	"struct QuoteIn { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
	"function quoteExactInputSingle(QuoteIn params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
]);

/** Lists the functions that are called of the token and of currencies of revenue. */
export const erc20Abi = parseAbi([
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function totalSupply() view returns (uint256)",
	"function symbol() view returns (string)",
]);

const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

const isBytes = (result: unknown): result is Hex =>
	typeof result === "string" && BYTES.test(result);

/** Declares what buckets are short of before anything came in. */
export const NOTHING_CARRIED: readonly bigint[] = [0n, 0n, 0n, 0n];

/**
 * Returns what each bucket gets of a deposit, as the router counts it, and what each is short of
 * its exact share after it, in ten thousandths of a unit (negative: ahead). `carried` is what they
 * were short of before, of one currency over all sources and splits.
 *
 * Each bucket gets the whole units of its share, and each unit that is left goes to whoever is
 * short of most, the first of equals.
 */
export function shareOut(
	amountRaw: bigint,
	splitBps: readonly number[],
	carried: readonly bigint[],
): { shares: bigint[]; carried: bigint[] } {
	const parts = splitBps.map((bps) => amountRaw * BigInt(bps));
	const shares = parts.map((all) => all / WHOLE_BPS);
	const short = parts.map((all, bucket) => (carried[bucket] ?? 0n) + (all % WHOLE_BPS));
	let left = shares.reduce((rest, share) => rest - share, amountRaw);
	for (; left > 0n; left -= 1n) {
		const most = short.reduce((best, one, at) => (one > (short[best] ?? 0n) ? at : best), 0);
		shares[most] = (shares[most] ?? 0n) + 1n;
		short[most] = (short[most] ?? 0n) - WHOLE_BPS;
	}
	return { shares, carried: short };
}

/** Returns the call that asks a contract something, at the newest block or as of another. */
export function viewCall(to: Address, data: Hex, block = "latest"): RpcCall {
	return { method: "eth_call", params: [{ to, data }, block] };
}

/**
 * Reads what a contract answered. Null where it refused or answered something else: both are what
 * the contract is like. Where the node did not answer it throws: nothing was learned.
 */
export function decoded<Value>(
	outcome: RpcOutcome | undefined,
	decode: (data: Hex) => Value,
): Value | null {
	const answer = answerOf(outcome);
	if (answer === null) return null;
	try {
		return decode(answer);
	} catch {
		return null;
	}
}

/** Returns the bytes that a call answered; null where it was refused or answered none. */
function answerOf(outcome: RpcOutcome | undefined): Hex | null {
	if (outcome?.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	const result = outcome?.result;
	return isBytes(result) && result !== "0x" ? result : null;
}
