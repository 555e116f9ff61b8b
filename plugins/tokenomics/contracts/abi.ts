import { parseAbi } from "viem";

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

/**
 * Returns each bucket's share of a total, as the router counts it: of the undivided total of one
 * source, currency and split. What a deposit earned is the difference between the shares of two
 * totals.
 *
 * Each bucket takes its part of what those before it left, and the last one the rest. Shares
 * rounded one by one would let the last one shrink while the total grows.
 */
export function sharesOf(totalRaw: bigint, splitBps: readonly number[]): bigint[] {
	let left = totalRaw;
	let parts = WHOLE_BPS;
	return splitBps.map((bps) => {
		const share = parts === 0n ? 0n : (left * BigInt(bps)) / parts;
		left -= share;
		parts -= BigInt(bps);
		return share;
	});
}
