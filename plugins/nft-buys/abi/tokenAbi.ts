import { parseAbi } from "viem";

/** What is asked of tokens: who owns, and what somebody may spend. */
export const tokenAbi = parseAbi([
	"function ownerOf(uint256 tokenId) view returns (address)",
	"function balanceOf(address owner, uint256 id) view returns (uint256)",
]);
