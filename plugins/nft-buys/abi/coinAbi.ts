import { parseAbi } from "viem";

/** Functions of an ERC-20 that a listing is priced in. */
export const coinAbi = parseAbi([
	"function balanceOf(address owner) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function decimals() view returns (uint8)",
]);
