import { parseAbi } from "viem";

/** Functions of the world's own contracts and of WETH. */
export const tokenAbi = parseAbi([
	"function mint(address to, uint256 quantity) payable",
	"function reserve(address to, uint256 quantity)",
	"function reveal()",
	"function mint(address to, uint256 id, uint256 amount) payable",
	"function mintBatch(address to, uint256[] ids, uint256[] amounts) payable",
	"function setApprovalForAll(address operator, bool approved)",
	"function approve(address spender, uint256 amount) returns (bool)",
	"function deposit() payable",
	"function safeTransferFrom(address from, address to, uint256 id)",
	"function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
	"function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)",
]);
