import { parseAbi } from "viem";

/** The views that the emulator calls on contracts; most contracts support only some. */
export const viewAbi = parseAbi([
	"function name() view returns (string)",
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function contractURI() view returns (string)",
	"function owner() view returns (address)",
	"function price() view returns (uint256)",
	"function maxSupply() view returns (uint256)",
	"function royaltyInfo(uint256 id, uint256 price) view returns (address, uint256)",
	"function isApprovedForAll(address owner, address operator) view returns (bool)",
	"function tokenURI(uint256 id) view returns (string)",
	"function uri(uint256 id) view returns (string)",
]);
