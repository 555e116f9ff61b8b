import { parseAbi } from "viem";

/** Functions of ERC-721 and ERC-1155 that prove ownership. */
export const tokenAbi = parseAbi([
	"function ownerOf(uint256 tokenId) view returns (address)",
	"function balanceOf(address owner, uint256 id) view returns (uint256)",
]);
