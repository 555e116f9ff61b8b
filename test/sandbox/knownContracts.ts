import { type Address, type Hex, parseAbi } from "viem";

/**
 * The mainnet addresses: a service that knows Seaport by address needs no setting for this world.
 */
export const addresses = {
	seaport: "0x0000000000000068F116a894984e2DB1123eB395",
	conduitController: "0x00000000F9490004C11Cef243f5400493c00Ad63",
	conduit: "0x1E0049783F008A0085193E00003D00cd54003c71",
	weth: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
	marketFee: "0x0000a26b00c1F0DF003000390027140000fAa719",
} as const satisfies Record<string, Address>;

/** The key whose CREATE2 address, under the canonical controller, is the OpenSea conduit. */
export const conduitKey: Hex = "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000";

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
