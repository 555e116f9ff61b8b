import { keccak256, parseAbi, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Who fills orders, and signs them: an account of the sandbox's alone. */
export const solverAccount = privateKeyToAccount(keccak256(toHex("sandbox bridge solver")));

export const depositoryAbi = parseAbi([
	"function depositNative(address depositor, bytes32 id) payable",
	"function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
	"function payOut(address token, address to, uint256 amount)",
	"event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
	"event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)",
]);

export const dollarAbi = parseAbi([
	"function mint(address to, uint256 amount)",
	"function issuer() view returns (address)",
	"function approve(address spender, uint256 amount) returns (bool)",
	"function transfer(address to, uint256 amount) returns (bool)",
	"function balanceOf(address owner) view returns (uint256)",
]);
