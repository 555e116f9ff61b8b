// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A dollar that anybody mints, and that its owner may let somebody take by a signature (EIP-3009). Nothing of it is in storage at first, so its code may be placed at the address that the real one has.
contract SandboxDollar is ERC20 {
	event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

	bytes32 private constant RECEIVE = keccak256(
		"ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	);
	bytes32 private constant DOMAIN = keccak256(
		"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
	);

	mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

	constructor() ERC20("", "") {}

	function name() public pure override returns (string memory) {
		return "Global Dollar";
	}

	function symbol() public pure override returns (string memory) {
		return "USDG";
	}

	function decimals() public pure override returns (uint8) {
		return 6;
	}

	function mint(address to, uint256 amount) external {
		_mint(to, amount);
	}

	function DOMAIN_SEPARATOR() public view returns (bytes32) {
		return keccak256(abi.encode(DOMAIN, keccak256("Global Dollar"), keccak256("1"), block.chainid, address(this)));
	}

	function receiveWithAuthorization(
		address from,
		address to,
		uint256 value,
		uint256 validAfter,
		uint256 validBefore,
		bytes32 nonce,
		bytes calldata signature
	) external {
		require(msg.sender == to, "not the payee");
		require(block.timestamp > validAfter && block.timestamp < validBefore, "not valid now");
		require(!authorizationState[from][nonce], "used");
		bytes32 asked = keccak256(abi.encode(RECEIVE, from, to, value, validAfter, validBefore, nonce));
		bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), asked));
		require(ECDSA.recover(digest, signature) == from, "not signed by its owner");
		authorizationState[from][nonce] = true;
		emit AuthorizationUsed(from, nonce);
		_transfer(from, to, value);
	}
}
